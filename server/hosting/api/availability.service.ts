import { decisions } from '../../../contract/decisions.ts'
import type { hosting_needs } from '../../../contract/deployment-fields.ts'
import type { DeploymentsDeps } from './service.ts'
import { findHostingState } from './store.ts'

const { seen_seconds } = decisions.container_engine

/** Reports if deployments can be created now, and what is missing if not. The answer is the same for every app (D-59, D-65). */
export async function getAvailability({ db, registries }: Pick<DeploymentsDeps, 'db' | 'registries'>) {
  const { has_hosts, is_reachable, has_tiers } = await findHostingState(db, seen_seconds)
  const has_registries = Object.values(registries).some((host) => host !== undefined)
  const missing: (typeof hosting_needs)[number][] = [
    ...(has_registries ? [] : (['registries'] as const)),
    ...(has_hosts ? [] : (['container_hosts'] as const)),
    ...(has_hosts && !is_reachable ? (['container_engine'] as const) : []),
    ...(has_tiers ? [] : (['tiers'] as const)),
  ]
  return {
    available: missing.length === 0,
    missing,
    registries: {
      private: registries.private ?? null,
      public: registries.public ?? null,
      code_host: registries.code_host ?? null,
    },
  }
}
