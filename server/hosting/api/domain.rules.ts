import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { decisions } from '../../../contract/decisions.ts'
import type { FieldFault } from '../../../contract/field-errors.ts'
import { fieldErrors, type FieldError } from '../../platform/failure.ts'
import { equalSecrets, keyedHash } from '../../platform/secrets.ts'

const { record_label } = decisions.custom_domains

/** The hostnames of the platform itself. */
export interface PlatformNames {
  /** Deployments have subdomains of it. */
  apps_domain: string
  /** The host of PUBLIC_URL. */
  public_host: string
}

export type ParsedDomain = { domain: string } | { error: FieldFault }

const domain_pattern = /^(?=.{4,246}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Parses a custom domain to lower case and ASCII. Returns an error for anything that is not a registrable domain or a
 * subdomain of one: addresses, ports, wildcards, public suffixes, and the platform's own domains (D-61).
 */
export function parseDomain(text: string, { apps_domain, public_host }: PlatformNames): ParsedDomain {
  // `domainToASCII` would parse some other ASCII characters as parts of a URL.
  if (/[\0-,/:-@[-`{-\x7f\s]/.test(text)) return { error: 'domain' }
  const domain = domainToASCII(text).toLowerCase()
  if (!domain_pattern.test(domain) || isIP(domain) !== 0) return { error: 'domain' }
  if ([apps_domain, public_host].some((platform_host) => isSameOrBelow(domain, platform_host)))
    return { error: 'domain_taken' }
  if (parse(domain, { allowPrivateDomains: true }).domain === null) return { error: 'domain_suffix' }
  return { domain }
}

/** The field errors of a custom domain; empty if the value is not text. */
export function domainErrors(custom_domain: unknown, names: PlatformNames): FieldError[] {
  if (typeof custom_domain !== 'string') return []
  const parsed = parseDomain(custom_domain, names)
  return 'error' in parsed ? fieldErrors('custom_domain', parsed.error) : []
}

const isSameOrBelow = (domain: string, other: string) => domain === other || domain.endsWith(`.${other}`)

/** The name of the TXT record that proves ownership. */
export const recordName = (domain: string) => `${record_label}.${domain}`

/** The value of the TXT record: an HMAC of app and domain. */
export const recordValue = (key: Buffer, app_id: string, domain: string) =>
  `plaza-domain=${keyedHash(key, `${app_id} ${domain}`).toString('base64url')}`

/** True if these TXT records prove that the app owns the domain. Values made with older keys are accepted. */
export function provesOwnership(keys: readonly Buffer[], app_id: string, domain: string, records: readonly string[]) {
  const values = keys.map((key) => Buffer.from(recordValue(key, app_id, domain)))
  return records.some((record) => values.some((value) => equalSecrets(value, Buffer.from(record.trim()))))
}
