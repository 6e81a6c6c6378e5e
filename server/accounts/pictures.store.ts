import type { Sql, Tx } from '../platform/postgres/database.ts'

/** Sets the picture of a user, under a new id and path. */
export async function putPicture(
  tx: Tx,
  { id, user_id, content, now }: { id: string; user_id: string; content: Buffer; now: Date },
) {
  await tx.sql`update users set picture_url = ${`/pictures/${id}`} where id = ${user_id}`
  await tx.sql`
    insert into pictures (id, user_id, content, inserted_at) values (${id}, ${user_id}, ${content}, ${now})
    on conflict (user_id) do update
       set id = excluded.id, content = excluded.content, inserted_at = excluded.inserted_at`
}

export async function deletePicture(tx: Tx, user_id: string) {
  await tx.sql`update users set picture_url = null where id = ${user_id}`
  await tx.sql`delete from pictures where user_id = ${user_id}`
}

export async function findPicture(db: Sql, id: string) {
  const [row] = await db.sql<{ content: Buffer }>`
    select p.content from pictures p join users u on u.id = p.user_id where p.id = ${id} and u.suspended_at is null`
  return row?.content
}
