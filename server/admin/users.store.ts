import type { Sql } from '../platform/postgres/database.ts'

/** The number of a person's apps and deployments. */
export async function countBelongings(db: Sql, user_id: string) {
  const [row] = await db.sql<{ owned_apps: number; deployments: number }>`
    select (select count(*) from oauth_apps where owner_id = ${user_id}) as owned_apps,
           (select count(*) from deployments where owner_id = ${user_id} and status <> 'destroyed') as deployments`
  return row ?? { owned_apps: 0, deployments: 0 }
}
