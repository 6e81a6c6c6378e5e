import type { Domain, Platform } from '../domain.ts'
import { openAddressPolicy } from '../platform/address-policy.ts'
import { isLoopbackName } from '../platform/networks.ts'
import { openDispatcher } from './dispatcher.service.ts'
import { webhooksJobs } from './jobs.ts'
import { webhooksRoutes } from './routes.ts'
import { webhookKeys } from './secrets.service.ts'
import type { WebhooksSettings } from './settings.ts'

/** The payload with which `record_app_event` notifies. */
const notified_payload = 'webhooks'

/** Webhooks of apps, and their delivery. */
export function webhooksDomain(
  { db, clock, log, mailer, secrets, public_url, dns_servers, is_sandbox }: Platform,
  { webhook_addresses }: WebhooksSettings,
): Domain {
  const is_local = is_sandbox && isLoopbackName(new URL(public_url).hostname)
  const addresses = webhook_addresses === 'public' && is_local ? 'local' : webhook_addresses
  const policy = openAddressPolicy(addresses, dns_servers)
  const keys = webhookKeys(secrets)
  const dispatcher = openDispatcher({ db, clock, log, keys, policy, random: Math.random })
  const deps = { db, clock, keys, policy, wake: () => dispatcher.wake() }
  return {
    mount: (http) => webhooksRoutes(http, deps),
    jobs: webhooksJobs(deps, { db, issuer: public_url }, mailer),
    start() {
      dispatcher.start()
      return () => dispatcher.stop()
    },
    notified(payload) {
      if (payload === undefined || payload === notified_payload) dispatcher.wake()
    },
  }
}
