import type { Sql } from '../../platform/postgres/database.ts'
import type { RouteRow } from './routing.rules.ts'

/** A page of deployments that may have a route, in order of id; see `live_deployments` in functions.sql. */
export const listRoutes = (db: Sql, { after, rows_max }: { after: string | null; rows_max: number }) =>
  db.sql<RouteRow>`
    select id, subdomain, case when domain_verified_at is not null then custom_domain end as custom_domain, status, desired,
           suspended_by, billing_status, generation, failed_generation, endpoints_of(id) as endpoints
      from deployments
     where id = any(array(select live_deployments(${after}::uuid, ${rows_max}::integer)))
     order by id`

/** The deployments with one of these names that are not destroyed. */
export async function findByNames(db: Sql, subdomains: readonly string[]) {
  const rows = await db.sql<{ id: string }>`
    select id from deployments where subdomain = any(${subdomains}::text[]) and status <> 'destroyed'`
  return rows.map(({ id }) => id)
}

/** The routes of these deployments. Deployments that are destroyed or to be destroyed have none. */
export const findRoutes = (db: Sql, ids: readonly string[]) =>
  db.sql<RouteRow>`
    select id, subdomain, case when domain_verified_at is not null then custom_domain end as custom_domain, status, desired,
           suspended_by, billing_status, generation, failed_generation, endpoints_of(id) as endpoints
      from deployments
     where id = any(${ids}::uuid[]) and status <> 'destroyed' and desired <> 'destroyed'`
