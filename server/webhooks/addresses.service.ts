import {
  AddressRefused,
  anyAddresses,
  dnsAddresses,
  requireAllowed,
  type AddressRule,
} from '../platform/address-guard.ts'
import { invalidField } from '../platform/failure.ts'
import { isPublicAddress } from '../platform/public-address.ts'
import { hostError, isLoopback, urlError, type WebhookAddresses } from './rules.ts'

/** The addresses that webhooks may have (WEBHOOK_ADDRESSES). */
export interface AddressPolicy {
  addresses: WebhookAddresses
  ruleOf(url: URL): AddressRule
}

/** With `public`, names are resolved by these DNS servers only; with `any`, also by the system. */
export function openAddressPolicy(addresses: WebhookAddresses, dns_servers: readonly string[]): AddressPolicy {
  const public_only = { find: dnsAddresses(dns_servers), isAllowed: isPublicAddress }
  const find = anyAddresses(dns_servers)
  const any = { find, isAllowed: () => true }
  const loopback_only = { find, isAllowed: isLoopback }
  return {
    addresses,
    ruleOf: ({ protocol }) => (addresses === 'public' ? public_only : protocol === 'https:' ? any : loopback_only),
  }
}

/** Fails with `validation_failed` for an address that is not allowed or does not resolve. */
export async function requireAddress({ addresses, ruleOf }: AddressPolicy, text: string) {
  const error = urlError(text, addresses)
  if (error !== undefined) throw invalidField('url', error)
  const url = new URL(text)
  await requireAllowed(url, ruleOf(url)).catch((refusal: unknown) => {
    if (refusal instanceof AddressRefused) throw invalidField('url', hostError(url, refusal.reason, addresses))
    throw refusal
  })
}
