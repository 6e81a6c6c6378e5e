import type { AccountEvents } from '../accounts/service.ts'
import type { Platform } from '../domain.ts'
import type { Http } from '../http/mount.ts'
import { authenticateClientOr, type ClientGuard } from '../oauth/client-authentication.service.ts'
import { keyRing } from '../platform/secrets.ts'
import { openCompletionPoller } from './api/completion.service.ts'
import { proofs_purpose } from './api/domains.service.ts'
import { deploymentsJobs } from './api/jobs.ts'
import { openOutputFollower } from './api/output-follower.service.ts'
import { outputRoutes } from './api/output.routes.ts'
import { registryRoutes } from './api/registry.routes.ts'
import { openRegistryTokens, registryKeySealing } from './api/registry.service.ts'
import { reactivateDeploymentsOfOwner, suspendDeploymentsOfOwner } from './api/review.service.ts'
import { deploymentsRoutes } from './api/routes.ts'
import { environmentKeys } from './api/service.ts'
import { openTxtLookup } from './api/txt-records.ts'
import type { HostingSettings } from './settings.ts'

const account_events: Partial<AccountEvents> = {
  suspended: (tx, { user_id, now }) => suspendDeploymentsOfOwner(tx, user_id, now),
  reactivated: (tx, { user_id, now }) => reactivateDeploymentsOfOwner(tx, user_id, now),
}

interface HostingParts {
  client_guard: ClientGuard
  /** Derived keys of retired secrets that still verify domain proofs. */
  kept_keys: readonly Buffer[] | undefined
}

/** Deployments as their owners see them. `control/` runs them in a worker. */
export function hostingDomain(
  { db, clock, mailer, secrets, public_url, dns_servers }: Platform,
  { registries, apps_domain, billing, containers }: HostingSettings,
  { client_guard, kept_keys }: HostingParts,
) {
  const deps = {
    db,
    clock,
    registries,
    names: { apps_domain, public_host: new URL(public_url).hostname },
    billing,
    env_keys: environmentKeys(secrets),
    proof_keys: keyRing(secrets, proofs_purpose, kept_keys),
    completions: openCompletionPoller(db),
    txt: openTxtLookup(dns_servers),
    output: openOutputFollower(db),
  }
  return {
    deps,
    account_events,
    mount(http: Http) {
      deploymentsRoutes(http, deps)
      registryRoutes(
        http,
        openRegistryTokens({ ...deps, issuer: public_url, keys: registryKeySealing(secrets) }),
        (authorization, use, reading) =>
          authenticateClientOr(client_guard, containers.registry_credentials, authorization, use, reading),
      )
      outputRoutes(http, deps)
    },
    jobs: deploymentsJobs(deps, { db, issuer: public_url }, mailer),
    async drain() {
      deps.completions.close()
      deps.output.close()
    },
  }
}
