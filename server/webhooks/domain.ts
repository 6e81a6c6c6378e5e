import type { Domain, Platform } from '../domain.ts'
import type { OAuthDeps } from '../oauth/service.ts'
import { Dispatcher } from './dispatcher.service.ts'
import { webhooksJobs } from './jobs.ts'
import { webhooksRoutes } from './routes.ts'
import { webhookKeys } from './secrets.service.ts'

/** The payload with which `record_app_event` notifies. */
const notified_payload = 'webhooks'

/** Webhooks of apps, and their delivery. */
export function webhooksDomain(
  { db, clock, log, mailer, secrets, public_url }: Platform,
  oauth: Pick<OAuthDeps, 'issuer' | 'signing_keys' | 'policy'>,
): Domain {
  const { policy } = oauth
  const keys = webhookKeys(secrets)
  const dispatcher = new Dispatcher({ db, clock, log, keys, policy, oauth, random: Math.random })
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
