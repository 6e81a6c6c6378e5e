import type { Page } from '../../platform/each.ts'
import { allValues, type Sql } from '../../platform/postgres/database.ts'
import type { RouteRow } from './routing.rules.ts'

/**
 * The deployments that are not destroyed, in order of id: those with these ids, or a page of all; see
 * `live_deployments` in functions.sql.
 */
export const listRoutes = (db: Sql, chosen: { ids: readonly string[] } | Page) => {
  const { ids, after, rows_max } = { ids: null, after: null, rows_max: 0, ...chosen }
  return db.sql<RouteRow>`
    select id, subdomain, case when domain_verified_at is not null then custom_domain end as custom_domain, status, desired,
           suspended_by, billing_status, generation, failed_generation, endpoints_of(id) as endpoints
      from deployments
     where id = any(coalesce(${ids}::uuid[], array(select live_deployments(${after}::uuid, ${rows_max}::integer))))
       and status <> 'destroyed'
     order by id`
}

/** The deployments with one of these names that are not destroyed. */
export const findByNames = (db: Sql, subdomains: readonly string[]) =>
  allValues(db.sql<{ id: string }>`
    select id from deployments where subdomain = any(${subdomains}::text[]) and status <> 'destroyed'`)
