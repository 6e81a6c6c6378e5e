import { theRow, type Sql } from '../platform/postgres/database.ts'

/** The number of a person's apps and deployments. */
export const countBelongings = (db: Sql, user_id: string) =>
  theRow(db.sql<{ owned_apps: number; deployments: number }>`
    select (select count(*) from oauth_apps where owner_id = ${user_id}) as owned_apps,
           (select count(*) from deployments where owner_id = ${user_id} and status <> 'destroyed') as deployments`)
