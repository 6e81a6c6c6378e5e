import type { AppCaller } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { DeploymentOperation } from '../../../contract/states.ts'
import { requireActiveUser } from '../../accounts/service.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { Failure, invalidField, refuseFieldErrors } from '../../platform/failure.ts'
import { newId } from '../../platform/ids.ts'
import { sealingKeys, type SealingKeys } from '../../platform/secrets.ts'
import { getAppOfOwner } from '../../oauth/apps.service.ts'
import { openingTerms, payFirstCycle } from './billing.service.ts'
import { readDomain, type PlatformNames } from './domain.rules.ts'
import { allowedImage, type Registries } from './image.rules.ts'
import { isReserved, keptSince, log_messages, operations } from './rules.ts'
import { environmentError, sealEnv, type Environment } from './sealing.rules.ts'
import type { CompletionWatch } from './completion.service.ts'
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
} from './store.ts'
import { findOfferedTier, listOfferedTiers, type TierRow } from './tiers.store.ts'

export interface DeploymentsDeps {
  db: Database
  clock: Clock
  registries: Registries
  names: PlatformNames
  /** `BILLING=on` (D-62). */
  billing: boolean
  /** Hide environments at rest. */
  env_keys: SealingKeys
  settlements: CompletionWatch
}

/** The keys that hide environments at rest, from the service's secrets (the first is the newest). */
export const environmentKeys = (secrets: readonly [string, ...string[]]): SealingKeys =>
  sealingKeys(secrets, 'deployment environment')

export interface NewDeploymentRequest {
  subdomain?: string
  name?: string
  image: string
  tier: string
  port?: number
  env_vars?: Environment
  custom_domain?: string
}

const { wait_seconds } = decisions['D-57'].value
const { entries_max } = decisions['D-58'].value
const { seen_seconds } = decisions['D-65'].value

/**
 * Takes a container to host for the caller's app: row, log entry and first charge in one transaction. Workers take it from
 * there. Fails with `not_app_owner`, `validation_failed`, `image_not_allowed`, `container_engine_unavailable` (D-65),
 * `subdomain_taken` or `insufficient_points`, and then nothing is stored.
 */
export async function createDeployment(deps: DeploymentsDeps, caller: AppCaller, request: NewDeploymentRequest) {
  const { db, clock, registries } = deps
  const app = await getAppOfOwner(deps, caller)
  refuseFieldErrors(requestFaults(deps, request))
  const subdomain = subdomainOf(request)
  const env = request.env_vars ?? {}
  const container_image = allowedImage(registries, app.client_id, request.image)
  if (container_image === undefined) throw new Failure('image_not_allowed', { app_id: app.id })
  const now = clock()
  return db.transaction(async (tx) => {
    await requireActiveUser(tx, app.owner_id)
    const tier = await findOfferedTier(tx, request.tier)
    if (!tier) throw invalidField('tier', 'is not the slug of a tier')
    const custom_domain = domainOf(deps, request, tier)
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
      ...openingTerms(deps, tier, now),
      kept_since: keptSince(now),
      now,
    })
    if (!deployment) throw new Failure('subdomain_taken', { subdomain })
    await logIntent(tx, {
      id: newId(),
      deployment_id: id,
      generation: deployment.generation,
      action: 'create',
      initiated_by: caller.user_id,
      details: creationDetails(deployment, tier),
      now,
    })
    await payFirstCycle(tx, deployment, tier, now)
    return deployment
  })
}

const creationDetails = ({ container_image, memory_limit_mb, cpu_limit_millicores }: DeploymentRow, tier: TierRow) => ({
  message: log_messages.create,
  image: container_image,
  tier: tier.slug,
  memory_limit_mb,
  cpu_limit_millicores,
})

/** What is wrong with a request, whatever its caller. The tier's rule on domains comes before the domain's own form. */
function requestFaults(
  { names }: DeploymentsDeps,
  { subdomain, name, env_vars = {}, custom_domain }: NewDeploymentRequest,
) {
  const asked = subdomain ?? name
  const env = environmentError(env_vars)
  const faults = [
    ...(asked === undefined ? [{ path: 'subdomain', message: 'is required' }] : []),
    ...(name !== undefined && name !== asked ? [{ path: 'name', message: 'must be the same as subdomain' }] : []),
    ...(env ? [{ path: env.path, message: env.fault }] : []),
  ]
  if (faults.length === 0 || custom_domain === undefined) return faults
  const reading = readDomain(custom_domain, names)
  return 'fault' in reading ? [...faults, { path: 'custom_domain', message: reading.fault }] : faults
}

/** The name that was asked for, in either field (D-55). Fails with `subdomain_taken`. */
function subdomainOf({ subdomain, name = '' }: NewDeploymentRequest) {
  const asked = subdomain ?? name
  if (isReserved(asked)) throw new Failure('subdomain_taken', { subdomain: asked, why: 'reserved' })
  return asked
}

function domainOf({ names }: DeploymentsDeps, { custom_domain }: NewDeploymentRequest, tier: TierRow) {
  if (custom_domain === undefined) return null
  if (!tier.custom_domain_allowed) throw invalidField('custom_domain', 'is not part of this tier')
  const reading = readDomain(custom_domain, names)
  if ('fault' in reading) throw invalidField('custom_domain', reading.fault)
  return reading.domain
}

// Reading

/** The app's deployments that are not destroyed, newest first. Fails with `not_app_owner`. */
export async function listDeployments(deps: DeploymentsDeps, caller: AppCaller) {
  const app = await getAppOfOwner(deps, caller)
  return listDeploymentsOfApp(deps.db, app.id)
}

/** A deployment of the caller's app. Fails with `not_app_owner`, or `not_found`, of a destroyed one too (D-57). */
export async function getDeployment(deps: DeploymentsDeps, caller: AppCaller, deployment_id: string) {
  const deployment = await findOwnDeployment(deps, caller, deployment_id)
  if (!deployment || deployment.status === 'destroyed') throw new Failure('not_found', { deployment_id })
  return deployment
}

async function findOwnDeployment(deps: DeploymentsDeps, caller: AppCaller, deployment_id: string) {
  const app = await getAppOfOwner(deps, caller)
  const deployment = await findDeployment(deps.db, deployment_id)
  return deployment?.app_id === app.id ? deployment : undefined
}

/** What was done to a deployment, newest first. Fails as `getDeployment` does. */
export async function listLog(deps: DeploymentsDeps, caller: AppCaller, deployment_id: string) {
  const { id } = await getDeployment(deps, caller, deployment_id)
  return listLogNewestFirst(deps.db, id, entries_max)
}

/** The tiers to choose from. Fails with `not_app_owner`. */
export async function listTiers(deps: DeploymentsDeps, caller: AppCaller) {
  await getAppOfOwner(deps, caller)
  return listOfferedTiers(deps.db)
}

// Operations (D-57)

/** Starts the container anew. Fails as `getDeployment` does, and with `suspended` or `not_allowed_now`. */
export const restartDeployment = (deps: DeploymentsDeps, caller: AppCaller, deployment_id: string) =>
  operate(deps, caller, deployment_id, 'restart')

/** Stops the container. Fails as `getDeployment` does, and with `not_allowed_now`. */
export const stopDeployment = (deps: DeploymentsDeps, caller: AppCaller, deployment_id: string) =>
  operate(deps, caller, deployment_id, 'stop')

/** Destroys a deployment for good; harmless where that was done before. Fails with `not_app_owner` or `not_found`. */
export async function destroyDeployment(deps: DeploymentsDeps, caller: AppCaller, deployment_id: string) {
  const deployment = await findOwnDeployment(deps, caller, deployment_id)
  if (!deployment) throw new Failure('not_found', { deployment_id })
  if (deployment.desired !== 'destroyed') await order(deps, caller, deployment_id, 'destroy')
  return { id: deployment.id }
}

/** Carries an operation out as far as the engine gets in a little while, and answers what is so then. */
async function operate(deps: DeploymentsDeps, caller: AppCaller, deployment_id: string, operation: 'restart' | 'stop') {
  await getDeployment(deps, caller, deployment_id)
  const ordered = await order(deps, caller, deployment_id, operation)
  const after = await findDeployment(deps.db, deployment_id)
  if (ordered && after) return after
  if (!after || after.status === 'destroyed') throw new Failure('not_found', { deployment_id })
  const { status, desired, suspended_by } = after
  const code = operation === 'restart' && suspended_by !== null ? 'suspended' : 'not_allowed_now'
  throw new Failure(code, { deployment_id, operation, status, desired, suspended_by })
}

/** Writes what is wanted now and waits for a worker to settle it; false, and nothing is written, where it is not allowed. */
async function order(deps: DeploymentsDeps, caller: AppCaller, id: string, operation: DeploymentOperation) {
  const { db, clock, settlements } = deps
  const { desired, statuses } = operations[operation]
  const now = clock()
  const log_id = await db.transaction(async (tx) => {
    const even_suspended = operation !== 'restart'
    const row = await changeDesired(tx, { id, app_id: caller.app_id, desired, statuses, even_suspended, now })
    if (!row) return undefined
    // Made under the row's lock, so that ids of one process are in the order of the commits.
    const entry_id = newId()
    const { generation } = row
    const details = { message: log_messages[operation] }
    const initiated_by = caller.user_id
    await logIntent(tx, { id: entry_id, deployment_id: id, generation, action: operation, initiated_by, details, now })
    if (operation === 'destroy') await notifyRoutes(tx, id)
    return entry_id
  })
  if (log_id !== undefined) await settlements.completed(log_id, wait_seconds)
  return log_id !== undefined
}
