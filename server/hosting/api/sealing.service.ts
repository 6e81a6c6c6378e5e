import { sealedColumn } from '../../platform/sealed-column.store.ts'

/** The sealed environments of all deployments that are not destroyed, for key rotation (D-60). */
export const environments = sealedColumn({
  noun: 'deployment environment',
  table: 'deployments',
  column: 'sealed_env',
  where: "sealed_env <> ''",
  // One environment may have up to 256 KiB.
  rows_at_once: 20,
})

/** The sealed environments of releases (D-104), which are bound to the deployment. */
export const releaseEnvironments = sealedColumn({
  noun: 'release environment',
  table: 'deploy_releases',
  column: 'sealed_env',
  where: "sealed_env <> ''",
  bound_to: 'deployment_id',
  rows_at_once: 20,
})
