import type { Sql } from '../../platform/postgres/database.ts'

/** Custom domains, verified or not. */
export async function countCustomDomains(db: Sql) {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from deployments where custom_domain is not null and status <> 'destroyed'`
  return row?.count ?? 0
}
