import type { Domain, Platform } from '../domain.ts'
import { openAddressPolicy, type SendAddresses } from '../platform/address-policy.ts'
import { pushKeySealing } from './devices.service.ts'
import { noticesJobs } from './jobs.ts'
import { noticeRoutes } from './routes.ts'

/** The inbox, and the mails and push messages about it. */
export function noticesDomain(
  { db, clock, mailer, public_url, secrets, dns_servers }: Platform,
  { webhook_addresses }: { webhook_addresses: SendAddresses },
): Domain {
  const policy = openAddressPolicy(webhook_addresses, dns_servers)
  const deps = { db, clock, issuer: public_url, keys: pushKeySealing(secrets), policy }
  return { mount: (http) => noticeRoutes(http, deps), jobs: noticesJobs(deps, mailer) }
}
