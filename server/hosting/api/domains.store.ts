import { firstRow, type Sql, type Tx } from '../../platform/postgres/database.ts'

export interface Claim {
  id: string
  app_id: string
  custom_domain: string
  domain_verified_at: Date | null
}

/** Claims that were not checked after these times, oldest check first. */
export const listClaimsToCheck = (
  db: Sql,
  { unproved_since, proved_since, rows_max }: { unproved_since: Date; proved_since: Date; rows_max: number },
) =>
  db.sql<Claim>`
    select id, app_id, custom_domain, domain_verified_at
      from deployments
     where custom_domain is not null and status <> 'destroyed'
       and (domain_checked_at is null
            or domain_checked_at < case when domain_verified_at is null then ${unproved_since}::timestamptz
                                        else ${proved_since}::timestamptz end)
     order by domain_checked_at nulls first
     limit ${rows_max}`

/** Locks the other deployment that holds the verified domain; undefined if there is none. */
export const lockVerifiedHolder = (tx: Tx, { id, custom_domain }: Claim) =>
  firstRow(tx.sql<Claim>`
    select id, app_id, custom_domain, domain_verified_at
      from deployments
     where custom_domain = ${custom_domain} and domain_verified_at is not null and status <> 'destroyed' and id <> ${id}
       for no key update`)

/** Stores the result of a DNS check; a domain that stays verified keeps its date. Undefined if the claim is gone. */
export const recordCheck = (tx: Sql, { id, custom_domain }: Claim, proved: boolean | undefined, now: Date) =>
  firstRow(tx.sql<Claim>`
    update deployments
       set domain_checked_at = ${now},
           domain_verified_at = case when ${proved}::boolean is null then domain_verified_at
                                     when ${proved}::boolean then coalesce(domain_verified_at, ${now}) end
     where id = ${id} and custom_domain = ${custom_domain} and desired <> 'destroyed' and status <> 'destroyed'
    returning id, app_id, custom_domain, domain_verified_at`)
