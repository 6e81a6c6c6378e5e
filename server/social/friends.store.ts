import type { Static } from 'typebox'
import type { friend, friend_request } from '../../contract/social-fields.ts'
import type { FriendshipStatus } from '../../contract/states.ts'
import { firstRow, type Sql, type Tx } from '../platform/postgres/database.ts'
import type { Pair } from './rules.ts'

export interface FriendshipRow extends Pair {
  id: string
  requester_id: string
  addressee_id: string
  status: FriendshipStatus
}

export const findFriendship = (db: Sql, { low_id, high_id }: Pair) =>
  firstRow(db.sql<FriendshipRow>`
    select id, low_id, high_id, requester_id, addressee_id, status
      from friendships
     where low_id = ${low_id} and high_id = ${high_id}`)

export interface NewRequest extends Pair {
  /** Used if the pair has no friendship yet; an existing one keeps its id. */
  id: string
  requester_id: string
  now: Date
}

/** Sets the friendship of the pair to pending, as a new request. */
export async function putRequest(tx: Tx, { id, low_id, high_id, requester_id, now }: NewRequest) {
  const [row] = await tx.sql<FriendshipRow>`
    insert into friendships (id, low_id, high_id, requester_id, status, sent_at, changed_at)
    values (${id}, ${low_id}, ${high_id}, ${requester_id}, 'pending', ${now}, ${now})
    on conflict (low_id, high_id) do update
       set requester_id = excluded.requester_id, status = excluded.status, sent_at = excluded.sent_at,
           changed_at = excluded.changed_at
    returning id, low_id, high_id, requester_id, addressee_id, status`
  return row as FriendshipRow
}

export async function setStatus(tx: Tx, friendship_id: string, status: FriendshipStatus, now: Date) {
  const [row] = await tx.sql<FriendshipRow>`
    update friendships set status = ${status}, changed_at = ${now}
     where id = ${friendship_id}
    returning id, low_id, high_id, requester_id, addressee_id, status`
  return row as FriendshipRow
}

/** The user's friends by name, without suspended ones. */
export const findFriends = (db: Sql, { user_id, rows_max }: { user_id: string; rows_max: number }) =>
  db.sql<Static<typeof friend>>`
    select u.id, u.username, u.display_name, u.picture_url, u.email
      from friends f join users u on u.id = f.friend_id
     where f.user_id = ${user_id} and u.suspended_at is null
     order by lower(u.username)
     limit ${rows_max}`

/** Pending requests to the user, newest first, without those of suspended users. */
export const findPending = (db: Sql, { user_id, rows_max }: { user_id: string; rows_max: number }) =>
  db.sql<Static<typeof friend_request>>`
    select f.id as friendship_id, u.id, u.username, u.display_name, u.picture_url, f.sent_at
      from friendships f join users u on u.id = f.requester_id
     where f.addressee_id = ${user_id} and f.status = 'pending' and u.suspended_at is null
     order by f.sent_at desc, f.id desc
     limit ${rows_max}`
