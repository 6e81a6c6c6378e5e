import { firstValue, hasRows, type Sql, type Tx } from '../platform/postgres/database.ts'

/** Stores the picture of a person or an app, in place of an older one. */
export const putPicture = (
  tx: Tx,
  { id, owner_id, content, now }: { id: string; owner_id: string; content: Buffer; now: Date },
) =>
  tx.sql`
    insert into pictures (id, owner_id, content, inserted_at) values (${id}, ${owner_id}, ${content}, ${now})
    on conflict (owner_id) do update
       set id = excluded.id, content = excluded.content, inserted_at = excluded.inserted_at`

export const findPictureOf = (db: Sql, owner_id: string) =>
  firstValue(db.sql<{ content: Buffer }>`
    select content from pictures where owner_id = ${owner_id}`)

/** The picture of a person who is not suspended. */
export const findPicture = (db: Sql, id: string) =>
  firstValue(db.sql<{ content: Buffer }>`
    select p.content from pictures p join users u on u.id = p.owner_id where p.id = ${id} and u.suspended_at is null`)

export const setPictureUrl = (tx: Tx, user_id: string, picture_url: string) =>
  tx.sql`update users set picture_url = ${picture_url} where id = ${user_id}`

/** Removes a user's picture; returns whether there was one. */
export async function deletePicture(tx: Tx, user_id: string) {
  await tx.sql`update users set picture_url = null where id = ${user_id}`
  return hasRows(tx.sql`delete from pictures where owner_id = ${user_id} returning id`)
}
