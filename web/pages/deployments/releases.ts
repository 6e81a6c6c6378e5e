import type { listDeploymentReleases } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'

export type Release = AnswerOf<typeof listDeploymentReleases>['releases'][number]

export const release_states: Record<Release['status'], { label: string; color: string }> = {
  pending: { label: 'On its way', color: 'yellow' },
  current: { label: 'Current', color: 'plaza' },
  replaced: { label: 'Replaced', color: 'gray' },
  failed: { label: 'Failed', color: 'red' },
  superseded: { label: 'Overtaken', color: 'gray' },
}

/** An image for people: a digest by its first twelve characters. */
export const shortImage = (image: string) => image.replace(/(@sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1…')

/** The release that the next change starts from: what is on its way, else what serves or served last, else the newest. */
export const baseOf = (releases: readonly Release[]) =>
  releases.find(({ status }) => status === 'pending') ??
  releases.find(({ status }) => status === 'current') ??
  releases[0]

/** What a change would make of a release; what is undefined stays. */
export interface Change {
  image?: string
  tier?: string
  port?: number
  custom_domain?: string | null
  replicas?: number
  env_set: readonly string[]
  env_unset: readonly string[]
}

/** The differences that a change makes, a line each. `tierOf` names a tier by its id, `tierNamed` by its slug. */
export function linesOfChange(
  base: Release,
  change: Change,
  { tierOf, tierNamed }: { tierOf: (id: string) => string; tierNamed: (slug: string) => string },
): string[] {
  const { image, tier, port, custom_domain, replicas, env_set, env_unset } = change
  return [
    ...(image === undefined ? [] : [`Image: ${base.container_image} → ${image}`]),
    ...(tier === undefined ? [] : [`Tier: ${tierOf(base.deploy_tier_id)} → ${tierNamed(tier)}`]),
    ...(port === undefined ? [] : [`Port: ${base.port} → ${port}`]),
    ...(custom_domain === undefined
      ? []
      : [`Custom domain: ${base.custom_domain ?? 'none'} → ${custom_domain ?? 'none'}`]),
    ...(replicas === undefined ? [] : [`Replicas: ${base.replicas} → ${replicas}`]),
    ...env_set.map((name) => `${name}: ${base.env_names.includes(name) ? 'a new value' : 'added'}`),
    ...env_unset.map((name) => `${name}: taken away`),
  ]
}

/** The differences between what is and what a roll back brings, a line each. Values of the environment are not known here. */
export function linesOfRollBack(base: Release, to: Release, tierOf: (id: string) => string): string[] {
  const image = to.image_digest ?? to.container_image
  const [from, into] = [shortImage(base.container_image), shortImage(image)]
  const added = to.env_names.filter((name) => !base.env_names.includes(name))
  const gone = base.env_names.filter((name) => !to.env_names.includes(name))
  const kept = to.env_names.length - added.length
  return [
    ...(image === base.container_image ? [] : [`Image: ${from} → ${into}`]),
    ...(to.deploy_tier_id === base.deploy_tier_id
      ? []
      : [`Tier: ${tierOf(base.deploy_tier_id)} → ${tierOf(to.deploy_tier_id)}`]),
    ...(to.port === base.port ? [] : [`Port: ${base.port} → ${to.port}`]),
    ...(to.custom_domain === base.custom_domain
      ? []
      : [`Custom domain: ${base.custom_domain ?? 'none'} → ${to.custom_domain ?? 'none'}`]),
    ...(to.replicas === base.replicas ? [] : [`Replicas: ${base.replicas} → ${to.replicas}`]),
    ...added.map((name) => `${name}: added`),
    ...gone.map((name) => `${name}: taken away`),
    ...(kept > 0 ? [`All other variables get the values that they had in release ${to.number}.`] : []),
  ]
}
