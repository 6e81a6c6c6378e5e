import { deceivingAddressError } from '../../contract/addresses.ts'
import type { FieldFault } from '../../contract/field-errors.ts'
import { AddressRefused, anyAddresses, dnsAddresses, requireAllowed, type AddressRule } from './address-guard.ts'
import { invalidField } from './failure.ts'
import { isLoopbackName } from './networks.ts'
import { isPublicAddress } from './public-address.ts'

/**
 * The external addresses that the service sends to: webhooks and push services (WEBHOOK_ADDRESSES). `local`: public
 * addresses, and plain http to loopback for a sandbox on loopback.
 */
export type SendAddresses = 'public' | 'local' | 'any'

export interface AddressPolicy {
  addresses: SendAddresses
  ruleOf(url: URL): AddressRule
}

/** True if the IP address is this machine's. */
const isLoopback = (address: string) => /^127\.|^::1$/.test(address)

/** Only these DNS servers resolve names of public addresses. Other names are also resolved by the system. */
export function openAddressPolicy(addresses: SendAddresses, dns_servers: readonly string[]): AddressPolicy {
  const public_only = { find: dnsAddresses(dns_servers), isAllowed: isPublicAddress }
  const find = anyAddresses(dns_servers)
  const any = { find, isAllowed: () => true }
  const loopback_only = { find, isAllowed: isLoopback }
  return {
    addresses,
    ruleOf: ({ protocol }) => {
      if (addresses !== 'public' && protocol === 'http:') return loopback_only
      return addresses === 'any' ? any : public_only
    },
  }
}

/** The policy for addresses of apps: a sandbox on loopback sends to loopback too. */
export function appAddressPolicy(
  webhook_addresses: 'public' | 'any',
  { public_url, is_sandbox, dns_servers }: { public_url: string; is_sandbox: boolean; dns_servers: readonly string[] },
) {
  const is_local = is_sandbox && isLoopbackName(new URL(public_url).hostname)
  return openAddressPolicy(webhook_addresses === 'public' && is_local ? 'local' : webhook_addresses, dns_servers)
}

/** The reason why an address is refused by its text alone; its host is resolved later. */
export function urlError(url: string, addresses: SendAddresses): FieldFault | undefined {
  if (!/^https?:\/\/[^/?#\\]/i.test(url) || /[\s\\#\p{Cc}]/u.test(url) || !URL.canParse(url)) return 'webhook_url'
  // No program can listen on port 0.
  if (/^[^/]*\/\/[^/?#]*@/.test(url) || new URL(url).port === '0') return 'webhook_url'
  const { protocol, hostname } = new URL(url)
  if (addresses === 'public' && protocol === 'http:') return isLoopbackName(hostname) ? 'webhook_local' : 'webhook_url'
  return deceivingAddressError(url)
}

/** The error for a host to which no connection may be made. */
function hostError(url: URL, reason: 'unresolved' | 'forbidden', addresses: SendAddresses): FieldFault {
  if (reason === 'unresolved') return 'webhook_host'
  return addresses !== 'public' && url.protocol === 'http:' ? 'webhook_https' : 'webhook_public'
}

/** Fails with `validation_failed` for this field if the address is not allowed or does not resolve. */
export async function requireAddress({ addresses, ruleOf }: AddressPolicy, text: string, field: string) {
  const error = urlError(text, addresses)
  if (error !== undefined) throw invalidField(field, error)
  const url = new URL(text)
  await requireAllowed(url, ruleOf(url)).catch((refusal: unknown) => {
    if (refusal instanceof AddressRefused) throw invalidField(field, hostError(url, refusal.reason, addresses))
    throw refusal
  })
}
