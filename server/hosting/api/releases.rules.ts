import { decisions } from '../../../contract/decisions.ts'
import type { release_changes } from '../../../contract/deployment-fields.ts'
import type { changeDeployment } from '../../../contract/deployments.ts'
import type { BodyOf } from '../../../contract/endpoint.ts'
import { fieldErrors, fieldsOf, type FieldError } from '../../platform/failure.ts'
import { secondsAfter } from '../../platform/clock.ts'
import { domainErrors, type PlatformNames } from './domain.rules.ts'
import { cycle_seconds } from './rules.ts'
import { environmentErrors, type Environment } from './sealing.rules.ts'

const reserved_variables: readonly string[] = decisions.release_outcomes.reserved_variables

export type ReleaseChange = (typeof release_changes)[number]

/** The content of a release. */
export interface ReleaseContent {
  container_image: string
  deploy_tier_id: string
  memory_limit_mb: number
  cpu_limit_millicores: number
  port: number
  custom_domain: string | null
  replicas: number
  health_path: string | null
  sealed_env: Buffer
  /** Null if it is not known without decrypting the environment. */
  env_names: string[] | null
}

/** A requested change; undefined fields do not change. */
export type ChangeRequest = BodyOf<typeof changeDeployment>

const changed_fields = [
  'image',
  'tier',
  'port',
  'env_vars',
  'env_set',
  'env_unset',
  'custom_domain',
  'replicas',
  'health_path',
] as const satisfies readonly (keyof ChangeRequest)[]

/** False if a request contains no field of a change (D-126). */
export const changesAnything = (request: ChangeRequest) => changed_fields.some((field) => request[field] !== undefined)

/** Validates a change against the rules and returns the field errors. Accepts a body of any shape; skips values of other types. */
export function changeErrors({ names }: { names: PlatformNames }, body: unknown): FieldError[] {
  const { env_vars, env_set, env_unset, custom_domain } = fieldsOf(body)
  const is_twice = env_vars !== undefined && (env_set !== undefined || env_unset !== undefined)
  const unset: unknown[] = Array.isArray(env_unset) ? env_unset : []
  return [
    ...fieldErrors('env_vars', is_twice && 'environment_twice'),
    ...environmentErrors(env_vars),
    ...environmentErrors(env_set, 'env_set'),
    ...Object.keys(fieldsOf(env_set)).flatMap((name) => [
      ...fieldErrors(`env_set.${name}`, unset.includes(name) && 'variable_unset'),
      ...fieldErrors(`env_set.${name}`, reserved_variables.includes(name) && 'variable_reserved'),
    ]),
    ...domainErrors(custom_domain, names),
  ]
}

/** The environment after a change. */
export function changedEnvironment(
  before: Environment,
  { env_vars, env_set, env_unset = [] }: ChangeRequest,
): Environment {
  if (env_vars) return env_vars
  const entries = new Map(Object.entries(before))
  for (const name of env_unset) entries.delete(name)
  for (const [name, value] of Object.entries(env_set ?? {})) entries.set(name, value)
  return Object.fromEntries(entries)
}

/** The names of added, changed and removed variables, sorted. */
export function changedNames(before: Environment, after: Environment): string[] {
  const [old_values, new_values] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const names = new Set([...old_values.keys(), ...new_values.keys()])
  return [...names].filter((name) => old_values.get(name) !== new_values.get(name)).sort()
}

/** The differences between two releases, without environment values. */
export function differencesOf(before: ReleaseContent, after: ReleaseContent, env_changed: string[]): ReleaseChange[] {
  const is_different: Record<ReleaseChange, boolean> = {
    image: before.container_image !== after.container_image,
    tier: before.deploy_tier_id !== after.deploy_tier_id,
    port: before.port !== after.port,
    custom_domain: before.custom_domain !== after.custom_domain,
    env_vars: env_changed.length > 0,
    replicas: before.replicas !== after.replicas,
    health_path: before.health_path !== after.health_path,
  }
  return (Object.keys(is_different) as ReleaseChange[]).filter((what) => is_different[what])
}

/** True if a change needs no new container. */
export const isInPlace = (changed: readonly ReleaseChange[]) =>
  changed.every((what) => what === 'replicas' || what === 'custom_domain')

interface PastRelease {
  number: number
  changed: readonly ReleaseChange[]
  rolled_back_to: number | null
  served_at: Date | null
}

const isScaling = ({ changed }: PastRelease) => changed.length === 1 && changed[0] === 'replicas'

/**
 * The release that a rollback without a chosen release repeats: the newest that served before the content of the target was created.
 * Scalings and rollbacks repeat the content of an earlier release. `releases` must be newest first; undefined if no earlier release served.
 */
export function releaseBefore<Release extends PastRelease>(releases: readonly Release[], target: PastRelease) {
  const originOf = (number: number): number => {
    const release = releases.find((each) => each.number === number)
    if (!release) return number
    if (release.rolled_back_to !== null) return originOf(release.rolled_back_to)
    const scaled = isScaling(release) && releases.find((each) => each.number < number && each.served_at !== null)
    return scaled ? originOf(scaled.number) : number
  }
  const origin = originOf(target.number)
  return releases.find((each) => each.number < origin && each.served_at !== null && each.rolled_back_to === null)
}

/** The additional cost for the rest of a paid cycle at a higher price, rounded up; 0 at a lower price. */
export function surcharge(
  { before, after }: { before: number; after: number },
  { paid_until, now }: { paid_until: Date; now: Date },
) {
  const difference = after - before
  const rest_ms = Math.max(0, paid_until.getTime() - now.getTime())
  const cycle_ms = secondsAfter(now, cycle_seconds).getTime() - now.getTime()
  return Math.max(0, Math.ceil((difference * rest_ms) / cycle_ms))
}
