import type { AppActor } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import type * as contract from '../../../contract/deployments.ts'
import type { BodyOf } from '../../../contract/endpoint.ts'
import { requireActiveUser } from '../../accounts/service.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Sql } from '../../platform/postgres/database.ts'
import {
  Failure,
  fieldErrors,
  fieldsOf,
  invalidField,
  orFail,
  refuseFieldErrors,
  type FieldError,
} from '../../platform/failure.ts'
import { newId } from '../../platform/ids.ts'
import { sealingKeys, type SealingKeys } from '../../platform/secrets.ts'
import { getApp, getAppOfActor } from '../../oauth/apps.service.ts'
import { initialBilling, chargeFirstCycle } from './billing.service.ts'
import { domainErrors, parseDomain, type PlatformNames } from './domain.rules.ts'
import { allowedPlaces, parseImage, resolveImage, type Registries } from './image.rules.ts'
import { isReserved, notAllowedNow, reservedSince, log_messages, operations } from './rules.ts'
import { environmentErrors, sealEnv } from './sealing.rules.ts'
import type { CompletionPoller } from './completion.service.ts'
import { insertRelease, type NewRelease } from './releases.store.ts'
import {
  notifyRoutes,
  changeDesired,
  findDeployment,
  insertDeployment,
  isAnyHostReachable,
  listDeploymentsOfApp,
  listLogNewestFirst,
  logIntent,
  type DeploymentRow,
  type InsertedDeployment,
} from './store.ts'
import { findOfferedTier, listOfferedTiers, type TierRow } from './tiers.store.ts'

export interface DeploymentsDeps {
  db: Database
  clock: Clock
  registries: Registries
  names: PlatformNames
  /** `BILLING=on` (D-62). */
  billing: boolean
  /** The keys that encrypt environments at rest. */
  env_keys: SealingKeys
  completions: CompletionPoller
}

/** The keys that encrypt environments at rest, from the service's secrets (the first is the newest). */
export const environmentKeys = (secrets: readonly [string, ...string[]]): SealingKeys =>
  sealingKeys(secrets, 'deployment environment')

type NewDeploymentRequest = BodyOf<typeof contract.createDeployment>

const { wait_seconds } = decisions.deployment_operations
const { entries_max } = decisions.deploy_log
const { kept_max } = decisions.deployment_upkeep
const { seen_seconds } = decisions.container_engine

/**
 * Creates a deployment of the caller's app: row, log entry and first charge in one transaction. Workers then start it.
 * Fails with `validation_failed`, `image_not_allowed`, `container_engine_unavailable` (D-65),
 * `subdomain_taken` or `insufficient_points`, with nothing stored.
 */
export async function createDeployment(deps: DeploymentsDeps, caller: AppActor, request: NewDeploymentRequest) {
  const { db, clock, registries } = deps
  const { client_id } = await getApp(deps, caller.app_id)
  const errors = deploymentErrors(deps, request)
  // If only the custom domain is invalid, the tier is checked first: it may not allow domains at all.
  if (errors.some(({ path }) => path !== 'custom_domain')) refuseFieldErrors(errors)
  const subdomain = requestedSubdomain(request)
  const env = request.env_vars ?? {}
  const container_image = requireImage(registries, client_id, request.image)
  const now = clock()
  return db.transaction(async (tx) => {
    const app = await getAppOfActor(tx, caller)
    await requireActiveUser(tx, app.owner_id)
    const tier = await findOfferedTier(tx, request.tier)
    if (!tier) throw invalidField('tier', 'tier_slug')
    const custom_domain = requestedDomain(deps, request, tier)
    const replicas = requestedReplicas(request, tier)
    if (!(await isAnyHostReachable(tx, seen_seconds)))
      throw new Failure('container_engine_unavailable', {}, { retry_after_seconds: seen_seconds })
    const id = newId()
    const deployment = await insertDeployment(tx, {
      id,
      app_id: app.id,
      owner_id: app.owner_id,
      deploy_tier_id: tier.id,
      container_image,
      subdomain,
      port: request.port!,
      sealed_env: sealEnv(deps.env_keys, id, env),
      memory_limit_mb: tier.memory_limit_mb,
      cpu_limit_millicores: tier.cpu_limit_millicores,
      custom_domain,
      replicas,
      health_path: request.health_path ?? null,
      ...initialBilling(deps, tier, now),
      reserved_since: reservedSince(now),
      now,
    })
    if (!deployment) throw new Failure('subdomain_taken', { subdomain })
    await insertRelease(tx, firstRelease(deployment, caller.user_id, Object.keys(env), now), kept_max)
    await logIntent(tx, {
      id: newId(),
      deployment_id: id,
      generation: deployment.generation,
      action: 'create',
      initiated_by: caller.user_id,
      details: creationDetails(deployment, tier),
      now,
    })
    await chargeFirstCycle(tx, deployment, tier, now)
    return deployment
  })
}

const firstRelease = (
  deployment: InsertedDeployment,
  initiated_by: string | null,
  env_names: string[],
  now: Date,
): NewRelease => ({
  ...deployment,
  id: newId(),
  deployment_id: deployment.id,
  env_names: env_names.sort(),
  changed: [],
  env_changed: [],
  rolled_back_to: null,
  initiated_by,
  charged_points: 0,
  now,
})

/** The canonical form of an image that the app may run. Fails with `image_malformed` or `image_not_allowed`. */
export function requireImage(registries: Registries, client_id: string, text: string): string {
  const image = resolveImage(registries, client_id, text)
  if (image !== undefined) return image
  const code = parseImage(text) ? 'image_not_allowed' : 'image_malformed'
  throw new Failure(code, { client_id }, { body: { allowed: allowedPlaces(registries, client_id) } })
}

function requestedReplicas({ replicas = 1 }: NewDeploymentRequest, { replicas_max }: TierRow) {
  if (replicas > replicas_max) throw invalidField('replicas', ['replicas_max', { max: replicas_max }])
  return replicas
}

const creationDetails = ({ container_image, memory_limit_mb, cpu_limit_millicores }: DeploymentRow, tier: TierRow) => ({
  message: log_messages.create,
  image: container_image,
  tier: tier.slug,
  memory_limit_mb,
  cpu_limit_millicores,
})

/** The field errors of a request by the rules. Accepts a body of any shape; skips values of other types. */
export function deploymentErrors({ names }: Pick<DeploymentsDeps, 'names'>, body: unknown): FieldError[] {
  const { subdomain, name, env_vars, custom_domain } = fieldsOf(body)
  const requested = subdomain ?? name
  return [
    ...fieldErrors('subdomain', requested === undefined && 'required'),
    ...fieldErrors('name', name !== undefined && name !== requested && 'as_subdomain'),
    ...environmentErrors(env_vars),
    ...domainErrors(custom_domain, names),
  ]
}

/** The requested name, from `subdomain` or `name` (D-55). Fails with `subdomain_taken` if it is reserved. */
function requestedSubdomain({ subdomain, name = '' }: NewDeploymentRequest) {
  const requested = subdomain ?? name
  if (isReserved(requested)) throw new Failure('subdomain_taken', { subdomain: requested, why: 'reserved' })
  return requested
}

/**
 * The requested domain in canonical form, or null. Fails with `validation_failed` if the tier does not allow domains or
 * the domain is invalid.
 */
export function requestedDomain(
  { names }: Pick<DeploymentsDeps, 'names'>,
  { custom_domain }: Pick<NewDeploymentRequest, 'custom_domain'>,
  tier: TierRow,
) {
  if (custom_domain === undefined) return null
  if (!tier.custom_domain_allowed) throw invalidField('custom_domain', 'not_in_tier')
  const parsed = parseDomain(custom_domain, names)
  if ('error' in parsed) throw invalidField('custom_domain', parsed.error)
  return parsed.domain
}

// Reading

/** The app's deployments that are not destroyed, newest first. */
export const listDeployments = ({ db }: DeploymentsDeps, { app_id }: AppActor) => listDeploymentsOfApp(db, app_id)

/** A deployment of the caller's app. Fails with `not_found`, also if it is destroyed (D-57). */
export async function getDeployment(deps: DeploymentsDeps, caller: AppActor, deployment_id: string) {
  const deployment = await findDeploymentOfCaller(deps, caller, deployment_id)
  if (!deployment || deployment.status === 'destroyed') throw new Failure('not_found', { deployment_id })
  return deployment
}

async function findDeploymentOfCaller({ db }: DeploymentsDeps, { app_id }: AppActor, deployment_id: string) {
  const deployment = await findDeployment(db, deployment_id)
  return deployment?.app_id === app_id ? deployment : undefined
}

/** The log of a deployment, newest first. Fails as `getDeployment`. */
export async function listLog(deps: DeploymentsDeps, caller: AppActor, deployment_id: string) {
  const { id } = await getDeployment(deps, caller, deployment_id)
  return logOf(deps.db, id)
}

/** The log of a deployment, as `listLog`, for any reader. */
export const logOf = (db: Sql, id: string) => listLogNewestFirst(db, id, entries_max)

/** The tiers on offer. */
export const listTiers = ({ db }: DeploymentsDeps) => listOfferedTiers(db)

// Operations (D-57)

/** Restarts the container as a new generation. Fails as `getDeployment`, and with `suspended` or `not_allowed_now`. */
export const restartDeployment = (deps: DeploymentsDeps, caller: AppActor, deployment_id: string) =>
  operate(deps, caller, deployment_id, 'restart')

/** Stops the container. Fails as `getDeployment`, and with `not_allowed_now`. */
export const stopDeployment = (deps: DeploymentsDeps, caller: AppActor, deployment_id: string) =>
  operate(deps, caller, deployment_id, 'stop')

/** Destroys a deployment permanently; idempotent. Waits some seconds, then returns its status. Fails with `not_found`. */
export async function destroyDeployment(deps: DeploymentsDeps, caller: AppActor, deployment_id: string) {
  const deployment = await orFail(findDeploymentOfCaller(deps, caller, deployment_id), 'not_found', { deployment_id })
  if (deployment.desired !== 'destroyed') await requestOperation(deps, caller, deployment_id, 'destroy')
  const after = await findDeployment(deps.db, deployment_id)
  return { id: deployment.id, status: after?.status ?? 'destroyed' }
}

/** Requests an operation, waits some seconds for its completion, and returns the current deployment. */
async function operate(deps: DeploymentsDeps, caller: AppActor, deployment_id: string, operation: 'restart' | 'stop') {
  await getDeployment(deps, caller, deployment_id)
  const is_accepted = await requestOperation(deps, caller, deployment_id, operation)
  const after = await findDeployment(deps.db, deployment_id)
  if (is_accepted && after) return after
  if (!after || after.status === 'destroyed') throw new Failure('not_found', { deployment_id })
  const { status, desired, suspended_by } = after
  const why = { deployment_id, operation, status, desired, suspended_by }
  if (operation === 'restart' && suspended_by !== null) throw new Failure('suspended', why)
  throw notAllowedNow(after, why)
}

/** Writes the desired state and waits for a worker to complete it. Returns false and writes nothing if the operation is not allowed. */
async function requestOperation(
  deps: DeploymentsDeps,
  caller: AppActor,
  id: string,
  operation: keyof typeof operations,
) {
  const { db, clock, completions } = deps
  const { desired, statuses } = operations[operation]
  const now = clock()
  const log_id = await db.transaction(async (tx) => {
    await getAppOfActor(tx, caller)
    const allow_suspended = operation !== 'restart'
    const row = await changeDesired(tx, { id, app_id: caller.app_id, desired, statuses, allow_suspended, now })
    if (!row) return undefined
    // Created under the row's lock, so that ids of one process are in commit order.
    const entry_id = newId()
    const { generation } = row
    const details = { message: log_messages[operation] }
    const initiated_by = caller.user_id
    await logIntent(tx, { id: entry_id, deployment_id: id, generation, action: operation, initiated_by, details, now })
    if (operation === 'destroy') await notifyRoutes(tx, id)
    return entry_id
  })
  if (log_id !== undefined) await completions.waitFor(log_id, wait_seconds)
  return log_id !== undefined
}
