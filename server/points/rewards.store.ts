import type { Sql, Tx } from '../platform/postgres/database.ts'

export interface Reward {
  user_id: string
  kind: 'signup' | 'referral' | 'reward'
  amount: number
  description?: string | null
}

export const insertWaitingReward = (tx: Tx, { user_id, kind, amount, description = null }: Reward, now: Date) =>
  tx.sql`
    insert into waiting_rewards (user_id, kind, amount, description, inserted_at)
    values (${user_id}, ${kind}, ${amount}, ${description}::text, ${now})`

/** Deletes and returns the waiting rewards of a person, oldest first. Of parallel calls, only one gets them. */
export const takeWaitingRewards = (tx: Tx, user_id: string) =>
  tx.sql<Required<Reward>>`
    with taken as (
      delete from waiting_rewards where user_id = ${user_id} returning *
    )
    select user_id, kind, amount, description from taken order by seq`

/** Verified people with waiting rewards. */
export async function findForgottenPeople(db: Sql, rows_max: number) {
  const rows = await db.sql<{ user_id: string }>`
    select distinct w.user_id from waiting_rewards w join users u on u.id = w.user_id
     where u.email_verified limit ${rows_max}`
  return rows.map(({ user_id }) => user_id)
}

export const deleteWaitingRewards = (tx: Tx, user_id: string) =>
  tx.sql`delete from waiting_rewards where user_id = ${user_id}`

/** The waiting rewards of a person, newest first. */
export const listWaitingRewards = (db: Sql, user_id: string, rows_max: number) =>
  db.sql<Required<Omit<Reward, 'user_id'>> & { inserted_at: Date }>`
    select kind, amount, description, inserted_at from waiting_rewards
     where user_id = ${user_id} order by seq desc limit ${rows_max}`
