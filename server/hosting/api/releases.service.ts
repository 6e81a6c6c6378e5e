import type { AppActor } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import { requireActiveUser } from '../../accounts/service.ts'
import { getApp, getAppOfActor } from '../../oauth/apps.service.ts'
import type { Tx } from '../../platform/postgres/database.ts'
import { Failure, invalidField, refuseFieldErrors } from '../../platform/failure.ts'
import { newId } from '../../platform/ids.ts'
import { chargeSurcharge, giveBackUnserved } from './billing.service.ts'
import {
  changedEnvironment,
  changesAnything,
  changedNames,
  changeErrors,
  differencesOf,
  isInPlace,
  releaseBefore,
  type ChangeRequest,
  type ReleaseContent,
} from './releases.rules.ts'
import {
  changeInPlace,
  findRelease,
  insertRelease,
  listReleasesNewestFirst,
  lockForChange,
  startGeneration,
  targetRelease,
  type ReleaseRow,
} from './releases.store.ts'
import { log_messages, mayChange, notAllowedNow } from './rules.ts'
import { environmentErrors, openEnv, sealEnv, type Environment } from './sealing.rules.ts'
import { getDeployment, requestedDomain, requireImage, type DeploymentsDeps } from './service.ts'
import { findDeployment, findOpenDeploy, logIntent } from './store.ts'
import { findOfferedTier, findTier, type TierRow } from './tiers.store.ts'

const { wait_seconds } = decisions.deployment_operations
const { kept_max } = decisions.deployment_upkeep

/** The releases of a deployment, newest first, with the names of their environments. Fails as `getDeployment`. */
export async function listReleases(deps: DeploymentsDeps, caller: AppActor, deployment_id: string) {
  const { id } = await getDeployment(deps, caller, deployment_id)
  return releasesOf(deps, id)
}

/** The releases of a deployment, as `listReleases`, for any reader. */
export async function releasesOf(deps: DeploymentsDeps, id: string) {
  const rows = await listReleasesNewestFirst(deps.db, id, kept_max)
  return rows.map((row) => ({ ...row, env_names: row.env_names ?? namesOf(openOrEmpty(deps, row)) }))
}

/** A requested release, before its cost is known. */
interface Wanted {
  content: ReleaseContent
  env_changed: string[]
  tier: TierRow
  rolled_back_to: number | null
  message: string
}

/** The base of a change: the locked deployment and the release of its latest generation. */
interface Base {
  app: { id: string; client_id: string }
  deployment: NonNullable<Awaited<ReturnType<typeof lockForChange>>>
  target: ReleaseRow
}

/**
 * Creates a release with the requested change (D-104), waits up to `wait` seconds for its outcome, and returns the current deployment and
 * release. Writes nothing if nothing changes. Fails as `getDeployment`, and with `validation_failed`, `nothing_to_change`,
 * `image_not_allowed`, `suspended`, `not_allowed_now` or `insufficient_points`.
 */
export async function changeDeployment(
  deps: DeploymentsDeps,
  caller: AppActor,
  deployment_id: string,
  request: ChangeRequest,
  wait?: number,
) {
  refuseFieldErrors(changeErrors(deps, request))
  if (!changesAnything(request)) throw new Failure('nothing_to_change', { deployment_id })
  return release(deps, caller, { deployment_id, wait }, (tx, base) => wantedChange(deps, tx, base, request))
}

interface RollBackRequest {
  release_id?: string
}

/**
 * Repeats an earlier release (D-104), by default the last other one that served, and keeps the number of replicas. Waits and returns as
 * `changeDeployment`. Fails with `not_found` for an unknown release, and with `no_release_before` if no earlier release served.
 */
export async function rollBackDeployment(
  deps: DeploymentsDeps,
  caller: AppActor,
  deployment_id: string,
  request: RollBackRequest,
  wait?: number,
) {
  return release(deps, caller, { deployment_id, wait }, (tx, base) => wantedRollBack(deps, tx, base, request))
}

/**
 * Rolls back as `rollBackDeployment`, in an admin's transaction. The deployment's log shows the reason but not the
 * admin. Returns the number of the release and a function that awaits it; undefined for both if nothing changes.
 */
export async function rollBackByAdmin(
  deps: DeploymentsDeps,
  tx: Tx,
  deployment_id: string,
  { reason, ...request }: RollBackRequest & { reason: string },
) {
  const found = await findDeployment(tx, deployment_id)
  if (!found || found.status === 'destroyed') throw new Failure('not_found', { deployment_id })
  const app = await getApp({ db: deps.db }, found.app_id)
  return releaseIn(deps, tx, { app, deployment_id, initiated_by: null, details: { reason } }, async (base) => ({
    ...(await wantedRollBack(deps, tx, base, request)),
    message: log_messages.roll_back_by_platform,
  }))
}

/** Waits for the outcome of a release, then returns the current deployment. */
export async function awaitRelease(
  { db, completions }: DeploymentsDeps,
  deployment_id: string,
  { log_id, wait = wait_seconds }: { log_id: string | undefined; wait?: number | undefined },
) {
  if (log_id !== undefined) await completions.waitFor(log_id, wait)
  return (await findDeployment(db, deployment_id))!
}

async function wantedRollBack(
  deps: DeploymentsDeps,
  tx: Tx,
  base: Base,
  { release_id }: RollBackRequest,
): Promise<Wanted> {
  const { target, app, deployment } = base
  const deployment_id = deployment.id
  const earlier =
    release_id === undefined
      ? releaseBefore(await listReleasesNewestFirst(tx, deployment_id, kept_max), target)
      : await findRelease(tx, deployment_id, release_id)
  if (!earlier)
    throw new Failure(release_id === undefined ? 'no_release_before' : 'not_found', { deployment_id, release_id })
  const image = earlier.image_digest ?? earlier.container_image
  const container_image = requireImage(deps.registries, app.client_id, image)
  const { deploy_tier_id, memory_limit_mb, cpu_limit_millicores, port, custom_domain, health_path } = earlier
  const { sealed_env, env_names } = earlier
  const limits = { deploy_tier_id, memory_limit_mb, cpu_limit_millicores }
  const tier = (await findTier(tx, deploy_tier_id))!
  const wanted = release_id === undefined ? target.replicas : earlier.replicas
  const replicas = Math.min(wanted, replicasAllowed(target, tier))
  return {
    content: { container_image, ...limits, port, custom_domain, replicas, health_path, sealed_env, env_names },
    env_changed: changedNames(openOrEmpty(deps, target), openOrEmpty(deps, earlier)),
    tier,
    rolled_back_to: earlier.rolled_back_to ?? earlier.number,
    message: log_messages.roll_back,
  }
}

/** Creates the requested release under the lock of the deployment, then waits for it. */
async function release(
  deps: DeploymentsDeps,
  caller: AppActor,
  { deployment_id, wait }: { deployment_id: string; wait: number | undefined },
  want: (tx: Tx, base: Base) => Promise<Wanted>,
) {
  await getDeployment(deps, caller, deployment_id)
  const { release_id, log_id } = await deps.db.transaction(async (tx) => {
    const app = await getAppOfActor(tx, caller)
    const by = { app, deployment_id, initiated_by: caller.user_id, details: {} }
    await requireActiveUser(tx, app.owner_id)
    return releaseIn(deps, tx, by, (base) => want(tx, base))
  })
  const deployment = await awaitRelease(deps, deployment_id, { log_id, wait })
  const { id, status, failure } = (await findRelease(deps.db, deployment_id, release_id))!
  return { ...deployment, release: { id, status, failure } }
}

interface ReleaseOrder {
  app: Base['app']
  deployment_id: string
  /** Null for the platform. */
  initiated_by: string | null
  /** Further log details. */
  details: Record<string, unknown>
}

/** Creates the requested release under the lock of the deployment. */
async function releaseIn(
  deps: DeploymentsDeps,
  tx: Tx,
  { app, deployment_id, initiated_by, details }: ReleaseOrder,
  want: (base: Base) => Promise<Wanted>,
) {
  const deployment = await lockForChange(tx, { id: deployment_id, app_id: app.id })
  if (!deployment) throw new Failure('not_found', { deployment_id })
  if (deployment.suspended_by !== null) throw new Failure('suspended', { deployment_id })
  if (!mayChange(deployment.status)) throw notAllowedNow(deployment)
  const target = await targetRelease(tx, deployment)
  const wanted = await want({ app, deployment, target })
  return writeRelease(deps, tx, { initiated_by, details }, { deployment, target, wanted })
}

/** Writes the release, its charge and its log entry. Writes nothing if nothing changes. */
async function writeRelease(
  deps: DeploymentsDeps,
  tx: Tx,
  by: Pick<ReleaseOrder, 'initiated_by' | 'details'>,
  { deployment, target, wanted }: Pick<Base, 'deployment' | 'target'> & { wanted: Wanted },
) {
  const { content, env_changed, tier, rolled_back_to, message } = wanted
  const changed = differencesOf(target, content, env_changed)
  if (changed.length === 0) {
    const log_id = target.status === 'pending' ? await findOpenDeploy(tx, deployment.id) : undefined
    return { release_id: target.id, number: undefined, log_id }
  }
  const { id } = deployment
  const now = deps.clock()
  const { initiated_by } = by
  const release = { ...content, changed, env_changed, rolled_back_to, initiated_by, now }
  const release_id = newId()
  // A superseded release is refunded first, because its points may pay for this one.
  const number = await insertRelease(tx, { ...release, id: release_id, deployment_id: id, charged_points: 0 }, kept_max)
  await giveBackUnserved(tx, id, now)
  if (tier.id !== deployment.deploy_tier_id || content.replicas > deployment.replicas)
    await chargeSurcharge(tx, { deployment, release_id, tier, replicas: content.replicas, now })
  const details = { message, ...by.details, release: number, changed, image: content.container_image }
  if (isInPlace(changed) && target.status === 'current' && deployment.serving_generation === deployment.generation) {
    await changeInPlace(tx, { id: release_id, deployment_id: id, entry_id: newId(), initiated_by, details, now })
    return { release_id, number, log_id: undefined }
  }
  const generation = await startGeneration(tx, id, now)
  const entry_id = newId()
  await logIntent(tx, { id: entry_id, deployment_id: id, generation, action: 'deploy', initiated_by, details, now })
  return { release_id, number, log_id: entry_id }
}

async function wantedChange(deps: DeploymentsDeps, tx: Tx, { app, deployment, target }: Base, request: ChangeRequest) {
  const tier = await wantedTier(tx, target, request)
  const container_image =
    request.image === undefined ? target.container_image : requireImage(deps.registries, app.client_id, request.image)
  const changes_env = request.env_vars !== undefined || request.env_set !== undefined || request.env_unset !== undefined
  const before = changes_env ? openedEnv(deps, target, request) : {}
  const after = changes_env ? checkedEnv(changedEnvironment(before, request)) : before
  const env_changed = changedNames(before, after)
  const content: ReleaseContent = {
    container_image,
    deploy_tier_id: tier.id,
    memory_limit_mb: tier.id === target.deploy_tier_id ? target.memory_limit_mb : tier.memory_limit_mb,
    cpu_limit_millicores: tier.id === target.deploy_tier_id ? target.cpu_limit_millicores : tier.cpu_limit_millicores,
    port: request.port ?? target.port,
    custom_domain: wantedDomain(deps, target, tier, request),
    replicas: wantedReplicas(target, tier, request),
    health_path: request.health_path === undefined ? target.health_path : request.health_path,
    sealed_env: env_changed.length > 0 ? sealEnv(deps.env_keys, deployment.id, after) : target.sealed_env,
    env_names: env_changed.length > 0 ? namesOf(after) : target.env_names,
  }
  return { content, env_changed, tier, rolled_back_to: null, message: log_messages.change }
}

/**
 * The number of replicas after the change (D-105), within the limit of the tier. Without a requested number or tier it
 * is the current number.
 */
function wantedReplicas(target: ReleaseRow, tier: TierRow, { replicas }: ChangeRequest) {
  const wanted = replicas ?? target.replicas
  const is_kept = wanted === target.replicas && tier.id === target.deploy_tier_id
  if (wanted <= tier.replicas_max || is_kept) return wanted
  if (replicas === undefined) throw invalidField('tier', ['tier_replicas', { max: tier.replicas_max }])
  throw invalidField('replicas', ['replicas_max', { max: tier.replicas_max }])
}

/**
 * The most replicas that a rollback may restore: the tier's current limit, or the current number if that is higher and
 * the tier does not change.
 */
const replicasAllowed = (target: ReleaseRow, tier: TierRow) =>
  tier.id === target.deploy_tier_id ? Math.max(tier.replicas_max, target.replicas) : tier.replicas_max

/** The tier after the change: an offered one, or the current one even if it is no longer offered. */
async function wantedTier(tx: Tx, target: ReleaseRow, { tier: slug }: ChangeRequest): Promise<TierRow> {
  const present = (await findTier(tx, target.deploy_tier_id))!
  if (slug === undefined || slug === present.slug) return present
  const tier = await findOfferedTier(tx, slug)
  if (!tier) throw invalidField('tier', 'tier_slug')
  return tier
}

function wantedDomain(
  deps: DeploymentsDeps,
  target: ReleaseRow,
  tier: TierRow,
  { custom_domain }: ChangeRequest,
): string | null {
  if (custom_domain === null) return null
  const kept = target.custom_domain
  if (custom_domain === undefined) {
    if (kept !== null && !tier.custom_domain_allowed) throw invalidField('tier', 'tier_domain')
    return kept
  }
  return requestedDomain(deps, { custom_domain }, tier)
}

const namesOf = (env: Environment) => Object.keys(env).sort()

/** Fails with `validation_failed` if the environment is too large after the change. */
function checkedEnv(env: Environment) {
  const names_max = decisions.environment.keys_max
  if (Object.keys(env).length > names_max) throw invalidField('env_set', ['variables_max', { max: names_max }])
  refuseFieldErrors(environmentErrors(env, 'env_set'))
  return env
}

/** The environment before a change. If no key decrypts it, it can only be replaced as a whole. */
function openedEnv({ env_keys }: DeploymentsDeps, target: ReleaseRow, { env_vars }: ChangeRequest): Environment {
  try {
    return openEnv(env_keys, target.deployment_id, target.sealed_env)
  } catch {
    if (env_vars !== undefined) return {}
    throw new Failure('not_allowed_now', { deployment_id: target.deployment_id, why: 'no key opens the environment' })
  }
}

/** The environment for views that only show names; empty if no key decrypts it. */
function openOrEmpty({ env_keys }: DeploymentsDeps, { deployment_id, sealed_env }: ReleaseRow): Environment {
  try {
    return openEnv(env_keys, deployment_id, sealed_env)
  } catch {
    return {}
  }
}
