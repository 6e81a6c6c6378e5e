import { firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'

export interface Offer {
  app_id: string
  to_user_id: string
  offered_by: string
  now: Date
  expires_at: Date
}

/** Offers an app to a person, in place of an earlier offer. */
export const upsertOffer = (tx: Tx, offer: Offer) =>
  tx.sql`
    insert into app_offers (app_id, to_user_id, offered_by, inserted_at, expires_at)
    values (${offer.app_id}, ${offer.to_user_id}, ${offer.offered_by}, ${offer.now}, ${offer.expires_at})
    on conflict (app_id) do update
       set to_user_id = excluded.to_user_id, offered_by = excluded.offered_by, inserted_at = excluded.inserted_at,
           expires_at = excluded.expires_at`

/** Apps offered to a person by somebody who still has the right to give them away. */
export const listOffersTo = (db: Sql, user_id: string, now: Date) =>
  db.sql<{ app_id: string; app_name: string; offered_by_username: string; expires_at: Date }>`
    select app_id, app_name, offered_by_username, expires_at from open_offers
     where to_user_id = ${user_id} and expires_at > ${now}
     order by inserted_at desc
     limit 100`

/** Consumes an offer of an app; undefined if it is invalid or already consumed. */
export const takeOffer = (tx: Tx, { app_id, user_id, now }: { app_id: string; user_id: string; now: Date }) =>
  firstRow(tx.sql<{ offered_by: string }>`
    delete from app_offers o using open_offers open
     where o.app_id = ${app_id} and open.app_id = o.app_id and open.to_user_id = ${user_id} and open.expires_at > ${now}
    returning o.offered_by`)

/** Makes a team or a person the owner of an app, and ends an offer of it; returns the previous team. */
export async function setOwner(
  tx: Tx,
  { app_id, team_id, owner_id }: { app_id: string; team_id: string | null; owner_id: string },
) {
  await tx.sql`delete from app_offers where app_id = ${app_id}`
  const [before] = await tx.sql<{ team_id: string | null }>`select team_id from oauth_apps where id = ${app_id}`
  await tx.sql`update oauth_apps set team_id = ${team_id}, owner_id = ${owner_id} where id = ${app_id}`
  return before?.team_id ?? null
}
