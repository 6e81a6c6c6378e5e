import type { listDeploymentReleases } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { t } from '../../texts.ts'

export type Release = AnswerOf<typeof listDeploymentReleases>['releases'][number]

export const release_states = (): Record<Release['status'], { label: string; color: string }> => ({
  pending: { label: t('deployments.releases.on-its-way'), color: 'yellow' },
  current: { label: t('deployments.releases.current'), color: 'plaza' },
  replaced: { label: t('deployments.releases.replaced'), color: 'gray' },
  failed: { label: t('deployments.releases.failed'), color: 'red' },
  superseded: { label: t('deployments.releases.overtaken'), color: 'gray' },
})

/** An image for display: a digest is cut to twelve characters. */
export const shortImage = (image: string) => image.replace(/(@sha256:[0-9a-f]{12})[0-9a-f]{52}$/, '$1…')

/**
 * The release that the next change starts from: the one in progress, else the one that serves or served last, else the
 * newest.
 */
export const baseOf = (releases: readonly Release[]) =>
  releases.find(({ status }) => status === 'pending') ??
  releases.find(({ status }) => status === 'current') ??
  releases[0]

/** The values that a change sets; undefined ones do not change. */
export interface Change {
  image?: string
  tier?: string
  port?: number
  custom_domain?: string | null
  replicas?: number
  health_path?: string | null
  env_set: readonly string[]
  env_unset: readonly string[]
}

/** The differences that a change makes, one per line. `tierOf` names a tier by its id, `tierNamed` by its slug. */
export function linesOfChange(
  base: Release,
  change: Change,
  { tierOf, tierNamed }: { tierOf: (id: string) => string; tierNamed: (slug: string) => string },
): string[] {
  const { image, tier, port, custom_domain, replicas, health_path, env_set, env_unset } = change
  return [
    image !== undefined && t('deployments.releases.image', { container_image: base.container_image, image }),
    tier !== undefined &&
      t('deployments.releases.tier', { deploy_tier_id: tierOf(base.deploy_tier_id), tier: tierNamed(tier) }),
    ...linesOfBoth(base, { port, custom_domain, replicas, health_path }),
    ...env_set.map(
      (name) =>
        `${name}: ${base.env_names.includes(name) ? t('deployments.releases.a-new-value') : t('deployments.releases.newly-added')}`,
    ),
    ...env_unset.map((name) => t('deployments.releases.taken-away', { name })),
  ].filter((line) => line !== false)
}

/** The lines that a change and a rollback share; undefined values do not change. */
const linesOfBoth = (
  base: Release,
  {
    port,
    custom_domain,
    replicas,
    health_path,
  }: { [Name in 'port' | 'custom_domain' | 'replicas' | 'health_path']: Change[Name] | undefined },
) => [
  port !== undefined && t('deployments.releases.port', { port: base.port, port_2: port }),
  custom_domain !== undefined &&
    t('deployments.releases.custom-domain', {
      custom_domain: base.custom_domain ?? t('common.none'),
      custom_domain_2: custom_domain ?? t('common.none'),
    }),
  replicas !== undefined && t('deployments.releases.replicas', { replicas: base.replicas, replicas_2: replicas }),
  health_path !== undefined &&
    t('deployments.releases.health-path', {
      health_path: base.health_path ?? t('common.none'),
      health_path_2: health_path ?? t('common.none'),
    }),
]

/** The differences between the current release and a rollback, one per line. Environment values are not known here. */
export function linesOfRollBack(base: Release, to: Release, tierOf: (id: string) => string): string[] {
  const image = to.image_digest ?? to.container_image
  const [from, into] = [shortImage(base.container_image), shortImage(image)]
  const added = to.env_names.filter((name) => !base.env_names.includes(name))
  const gone = base.env_names.filter((name) => !to.env_names.includes(name))
  const kept = to.env_names.length - added.length
  return [
    image !== base.container_image && t('deployments.releases.image-2', { from, into }),
    to.deploy_tier_id !== base.deploy_tier_id &&
      t('deployments.releases.tier-2', {
        deploy_tier_id: tierOf(base.deploy_tier_id),
        deploy_tier_id_2: tierOf(to.deploy_tier_id),
      }),
    ...linesOfBoth(base, {
      port: to.port === base.port ? undefined : to.port,
      custom_domain: to.custom_domain === base.custom_domain ? undefined : to.custom_domain,
      replicas: to.replicas === base.replicas ? undefined : to.replicas,
      health_path: to.health_path === base.health_path ? undefined : to.health_path,
    }),
    ...added.map((name) => t('deployments.releases.added', { name })),
    ...gone.map((name) => t('deployments.releases.taken-away', { name })),
    kept > 0 && t('deployments.releases.all-other-variables-get-the-values', { number: to.number }),
  ].filter((line) => line !== false)
}
