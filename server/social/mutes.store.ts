import { purgesRowsOf } from '../platform/erasure.ts'
import { firstRow, firstValue, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

export const purgeMutes = purgesRowsOf('chat_mutes', 'muted_until')

/** Mutes a person until a time, replacing any mute; false if the person does not exist. */
export const putMute = (
  tx: Tx,
  { user_id, muted_until, reason, now }: { user_id: string; muted_until: Date; reason: string; now: Date },
) =>
  hasRows(tx.sql`
    insert into chat_mutes (user_id, muted_until, reason, inserted_at)
    select id, ${muted_until}, ${reason}, ${now} from users where id = ${user_id}
    on conflict (user_id) do update
       set muted_until = excluded.muted_until, reason = excluded.reason, inserted_at = excluded.inserted_at
    returning user_id`)

/**
 * Mutes a person at least until a time; a longer mute remains, with its reason. Returns the end of the mute that applies; undefined if the
 * person does not exist.
 */
export const lengthenMute = (
  tx: Tx,
  { user_id, muted_until, reason, now }: { user_id: string; muted_until: Date; reason: string; now: Date },
) =>
  firstValue(tx.sql<{ muted_until: Date }>`
    insert into chat_mutes as m (user_id, muted_until, reason, inserted_at)
    select id, ${muted_until}, ${reason}, ${now} from users where id = ${user_id}
    on conflict (user_id) do update
       set muted_until = greatest(m.muted_until, excluded.muted_until),
           reason = case when excluded.muted_until >= m.muted_until then excluded.reason else m.reason end,
           inserted_at = case when excluded.muted_until >= m.muted_until then excluded.inserted_at else m.inserted_at end
    returning muted_until`)

/** Ends a mute; false if there was none. */
export const deleteMute = (tx: Tx, user_id: string) =>
  hasRows(tx.sql`delete from chat_mutes where user_id = ${user_id} returning user_id`)

export const findMute = (db: Sql, { user_id, now }: { user_id: string; now: Date }) =>
  firstRow(db.sql<{ muted_until: Date; reason: string }>`
    select muted_until, reason from chat_mutes where user_id = ${user_id} and muted_until > ${now}`)
