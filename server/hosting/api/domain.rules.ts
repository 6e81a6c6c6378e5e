import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { decisions } from '../../../contract/decisions.ts'
import { equalSecrets, keyedHash } from '../../platform/secrets.ts'

const { record_label } = decisions['D-61'].value

/** The names under which the platform itself is reached. */
export interface PlatformNames {
  /** Deployments are reached below it. */
  apps_domain: string
  /** Where the API is. */
  public_host: string
}

export type DomainReading = { domain: string } | { fault: string }

const domain_form = /^(?=.{4,246}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * Reads a custom domain: small letters, international names in their ASCII form. Tells the fault of what is no domain that
 * somebody could own: addresses, ports, wildcards, public suffixes, and whatever belongs to the platform (D-61).
 */
export function readDomain(text: string, { apps_domain, public_host }: PlatformNames): DomainReading {
  // Of ASCII only letters, digits, dots and hyphens: the conversion would take some others for parts of a URL.
  if (/[\0-,/:-@[-`{-\x7f\s]/.test(text)) return { fault: 'must be a plain domain name' }
  const domain = domainToASCII(text).toLowerCase()
  if (!domain_form.test(domain) || isIP(domain) !== 0) return { fault: 'must be a plain domain name' }
  if ([apps_domain, public_host].some((own) => isSameOrBelow(domain, own))) return { fault: 'belongs to the platform' }
  if (parse(domain, { allowPrivateDomains: true }).domain === null)
    return { fault: 'is a public suffix, below which anybody can have a domain' }
  return { domain }
}

const isSameOrBelow = (domain: string, other: string) => domain === other || domain.endsWith(`.${other}`)

/** Where the proof of ownership is looked for. */
export const recordName = (domain: string) => `${record_label}.${domain}`

/** What the proof says: nobody but us can work it out, and it is another one for every app. */
export const recordValue = (key: Buffer, app_id: string, domain: string) =>
  `plaza-domain=${keyedHash(key, `${app_id} ${domain}`).toString('base64url')}`

/** Do these TXT records prove that the domain is the app's? Proofs made with older keys still hold. */
export function provesOwnership(keys: readonly Buffer[], app_id: string, domain: string, records: readonly string[]) {
  const values = keys.map((key) => Buffer.from(recordValue(key, app_id, domain)))
  return records.some((record) => values.some((value) => equalSecrets(value, Buffer.from(record.trim()))))
}
