import type { Sql, Tx } from '../../platform/postgres/database.ts'

export interface Claim {
  id: string
  app_id: string
  custom_domain: string
  domain_verified_at: Date | null
}

/** Claims that were not looked at since these moments, the longest unseen first. */
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

/** Who holds a domain by proof, other than this deployment; the row stays as it is until the transaction ends. */
export async function lockHolder(tx: Tx, { id, custom_domain }: Claim) {
  const [row] = await tx.sql<Claim>`
    select id, app_id, custom_domain, domain_verified_at
      from deployments
     where custom_domain = ${custom_domain} and domain_verified_at is not null and status <> 'destroyed' and id <> ${id}
       for no key update`
  return row
}

/** Writes what a look at DNS told of a claim; a proof that holds keeps its date. Undefined when the claim is gone. */
export async function writeCheck(tx: Sql, { id, custom_domain }: Claim, proved: boolean | undefined, now: Date) {
  const [row] = await tx.sql<Claim>`
    update deployments
       set domain_checked_at = ${now},
           domain_verified_at = case when ${proved}::boolean is null then domain_verified_at
                                     when ${proved}::boolean then coalesce(domain_verified_at, ${now}) end
     where id = ${id} and custom_domain = ${custom_domain} and desired <> 'destroyed' and status <> 'destroyed'
    returning id, app_id, custom_domain, domain_verified_at`
  return row
}
