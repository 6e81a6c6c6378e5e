import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { cloneTemplate } from './harness.ts'

/** Whose database it is (D-102). */
export type Space = 'sandbox' | 'real'

export const connectionOf = (database: string) => {
  const { host, user } = inject('postgres')
  return { host, user, database }
}

/** Runs one statement in a database of the tests' PostgreSQL. */
export async function query<Row extends pg.QueryResultRow>(database: string, text: string) {
  const client = new pg.Client(connectionOf(database))
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

const newName = () => `space_${randomBytes(4).toString('hex')}`
const dropAtEnd = (name: string) =>
  onTestFinished(async () => void (await query('postgres', `drop database if exists ${name} with (force)`)))

/** A new database without a table; dropped when the test is done. */
export async function newDatabase() {
  const name = newName()
  dropAtEnd(name)
  await query('postgres', `create database ${name} template template0`)
  return name
}

/** A database that a service of this space has made and nobody has used; dropped when the test is done. */
export async function databaseOf(space: Space) {
  const [name, admin] = [newName(), new pg.Client(connectionOf('postgres'))]
  dropAtEnd(name)
  await admin.connect()
  await cloneTemplate(admin, { ...inject('postgres'), name, is_sandbox: space === 'sandbox' })
  await admin.end()
  return name
}

export const marksOf = (name: string) => query(name, 'select is_sandbox from sandbox_mark')

/** What a start or a command would change in a database. */
export const stateOf = async (name: string) => [
  await marksOf(name),
  await query(name, 'select * from schema_migrations order by name'),
  await query(name, 'select count(*)::int from users'),
  await query(name, 'select id from installation'),
]

/** How a sandbox, or the real space, is refused the database of the other one. */
export function refusalOf(refused: Space, name: string) {
  const { host, user } = inject('postgres')
  const database = `database of DATABASE_URL (${host}, database ${name}, user ${user})`
  return refused === 'sandbox'
    ? `SANDBOX=on needs a database of its own, and the ${database} is the real space’s. Nothing in it was changed. Let DATABASE_URL ` +
        'name a new one, or leave SANDBOX out.\n'
    : `The ${database} is a sandbox’s, where people give themselves points: the real space does not use it. Nothing in it was changed. ` +
        'Set SANDBOX=on, or let DATABASE_URL name the database of the real space.\n'
}

/** A new folder, removed when the test is done. */
export async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-space-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
