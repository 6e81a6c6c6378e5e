import type { Sql } from '../kit/database.ts'
import type { RouteRow } from './router.rules.ts'

/** Who changes where a deployment answers announces it here, with its id. */
export const routes_channel = 'plaza_routes'
/** Who changes what is wanted of a deployment announces it here, with its id. */
export const intents_channel = 'plaza_deployments'

/** A page of all routes, in order of id. */
export const listRoutes = (db: Sql, { after, rows_max }: { after: string | null; rows_max: number }) =>
  db.sql<RouteRow>`
    select id, subdomain, case when domain_verified_at is not null then custom_domain end as custom_domain, status, desired,
           suspended_by, billing_status, generation, failed_generation, serving_generation, endpoint_host, endpoint_port
      from deployments
     where status <> 'destroyed' and desired <> 'destroyed'
       and id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000')
     order by id
     limit ${rows_max}`

/** The routes of these deployments; of one that is destroyed, or about to be, there is none. */
export const findRoutes = (db: Sql, ids: readonly string[]) =>
  db.sql<RouteRow>`
    select id, subdomain, case when domain_verified_at is not null then custom_domain end as custom_domain, status, desired,
           suspended_by, billing_status, generation, failed_generation, serving_generation, endpoint_host, endpoint_port
      from deployments
     where id = any(${ids}::uuid[]) and status <> 'destroyed' and desired <> 'destroyed'`
