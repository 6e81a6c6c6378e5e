import type { searchMyApps } from '../../contract/app-payments.ts'
import type { ResponseOf } from '../../contract/endpoint.ts'
import type { Sql } from '../platform/postgres/database.ts'

type Found = ResponseOf<typeof searchMyApps>

/** Deployments of the person's apps that are not destroyed and have these words in their name, newest first. */
export const findDeploymentsByName = (
  db: Sql,
  { user_id, q, rows_max }: { user_id: string; q: string; rows_max: number },
) =>
  db.sql<Found['deployments'][number]>`
    select d.id, d.app_id, a.app_name, d.subdomain, d.container_image, d.status
      from app_members m
      join oauth_apps a on a.id = m.app_id
      join deployments d on d.app_id = a.id
     where m.user_id = ${user_id} and not m.lacks_second_factor and d.status <> 'destroyed' and strpos(d.subdomain, lower(${q})) > 0
     order by d.id desc
     limit ${rows_max}`

/** The person's apps that have a movement with this reference, newest app first; one index probe per app. */
export const findAppsByReference = (
  db: Sql,
  { user_id, reference, rows_max }: { user_id: string; reference: string; rows_max: number },
) =>
  db.sql<Found['payments'][number]>`
    select a.id as app_id, a.app_name
      from app_members m join oauth_apps a on a.id = m.app_id
     where m.user_id = ${user_id} and not m.lacks_second_factor
       and exists (select from transfers t
                    where t.app_id = a.id and t.reference = ${reference}
                      and (t.from_account = a.id or t.to_account = a.id or t.kind = 'transfer'))
     order by a.id desc
     limit ${rows_max}`
