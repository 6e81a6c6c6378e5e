import { theValue, type Sql } from '../../platform/postgres/database.ts'

/** Custom domains, verified or not. */
export const countCustomDomains = (db: Sql) =>
  theValue(db.sql<{ count: number }>`
    select count(*) as count from deployments where custom_domain is not null and status <> 'destroyed'`)
