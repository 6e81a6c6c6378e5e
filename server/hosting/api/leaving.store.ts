import type { EraseRound } from '../../platform/erasure.ts'
import { longSection, tableSection, type ExportPage } from '../../platform/export-section.ts'
import { theValue, type Sql, type Tx } from '../../platform/postgres/database.ts'

/** Requests the destruction of an owner's deployments, locked in id order, and erases their environments. Returns them. */
export const destroyAllOfOwner = (tx: Tx, owner_id: string, now: Date) =>
  tx.sql<{ id: string; generation: number }>`
    with owned as (
      select id from deployments where owner_id = ${owner_id} and desired <> 'destroyed' and status <> 'destroyed'
       order by id for no key update
    )
    update deployments d
       set desired = 'destroyed', generation = generation + 1, next_attempt_at = least(${now}, now()), attempts = 0,
           last_error = null, custom_domain = null, domain_verified_at = null
      from owned where d.id = owned.id
    returning d.id, d.generation`

export const emptyEnvironments = async (tx: Tx, owner_id: string) => {
  await tx.sql`
    update deploy_releases set sealed_env = '', env_names = null, env_changed = '{}'
     where deployment_id = any(array(select id from deployments where owner_id = ${owner_id} and sealed_env <> ''))`
  await tx.sql`update deployments set sealed_env = '' where owner_id = ${owner_id} and sealed_env <> ''`
}

/** `left-` and a hash: longer than a name can be. */
const erased_length = 69

/**
 * Erases the owner's data from destroyed deployments: name, image, domain, log, releases, measurements. A hash replaces
 * the name, so the name stays reserved as usual (D-55).
 */
const eraseDeployments: EraseRound = async (tx, { user_id }, rows_max) => {
  const rows = await tx.sql<{ id: string }>`
    update deployments
       set subdomain = 'left-' || encode(sha256(convert_to(subdomain, 'UTF8')), 'hex'), container_image = '', custom_domain = null,
           last_error = null, image_digest = null, sealed_env = '', health_status = null
     where id = any(array(
       select id from deployments
        where owner_id = ${user_id} and status = 'destroyed' and length(subdomain) < ${erased_length} limit ${rows_max}))
    returning id`
  const ids = rows.map(({ id }) => id)
  await tx.sql`delete from deploy_releases where deployment_id = any(${ids}::uuid[])`
  await tx.sql`delete from deploy_logs where deployment_id = any(${ids}::uuid[])`
  await tx.sql`delete from deploy_output where deployment_id = any(${ids}::uuid[])`
  await tx.sql`delete from deploy_output_sources where deployment_id = any(${ids}::uuid[])`
  await tx.sql`delete from deploy_watch where deployment_id = any(${ids}::uuid[])`
  await tx.sql`delete from deploy_instances where deployment_id = any(${ids}::uuid[])`
  return ids.length
}

/** Deployments of an owner that an engine has not destroyed yet. */
export const countUndestroyed = (db: Sql, owner_id: string) =>
  theValue(db.sql<{ count: number }>`
    select count(*) as count from deployments where owner_id = ${owner_id} and status <> 'destroyed'`)

/** The deployments of an owner for which no destruction was requested. */
export const listRunningOfOwner = (db: Sql, owner_id: string) =>
  db.sql<{ id: string; app_id: string; subdomain: string }>`
    select id, app_id, subdomain from deployments
     where owner_id = ${owner_id} and status <> 'destroyed' and desired <> 'destroyed' order by id desc limit 1000`

const listReleasesForExport = (db: Sql, { user_id, after, rows_max }: ExportPage) =>
  db.sql<{ id: string }>`
    select r.id, r.deployment_id, r.number, r.status, r.container_image, r.port, r.custom_domain, r.env_names, r.changed, r.replicas, r.health_path,
           r.served_at, r.inserted_at
      from deploy_releases r join deployments d on d.id = r.deployment_id
     where d.owner_id = ${user_id} and (${after}::uuid is null or r.id > ${after}) order by r.id limit ${rows_max}`

export const hosting_erasure = [eraseDeployments]

export const hosting_sections = [
  tableSection('deployments', 'deployments', {
    columns:
      'id, app_id, container_image, subdomain, port, health_path, status, custom_domain, domain_verified_at, deployed_at, ' +
      'stopped_at, billing_status, paid_until, inserted_at, destroyed_at',
    owner: 'owner_id',
  }),
  longSection('releases', listReleasesForExport, ({ id }) => id),
]
