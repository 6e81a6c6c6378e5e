import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { connectTo, newDatabaseName, query } from './databases.ts'
import { cloneTemplate } from './harness.ts'

/** The space that owns a database (D-102). */
export type Space = 'sandbox' | 'real'

/** A database that a service of this space has created, without users; dropped after the test. */
export async function databaseOf(space: Space) {
  const [name, admin] = [newDatabaseName(), await connectTo('postgres')]
  await cloneTemplate(admin, { ...inject('postgres'), name, is_sandbox: space === 'sandbox' })
  await admin.end()
  return name
}

export const marksOf = (name: string) => query(name, 'select is_sandbox from sandbox_mark')

/** The rows that a start or a command would change in a database. */
export const stateOf = async (name: string) => [
  await marksOf(name),
  await query(name, 'select * from schema_migrations order by name'),
  await query(name, 'select count(*)::int from users'),
  await query(name, 'select id from installation'),
]

/** The error when a sandbox, or the real space, opens the database of the other one. */
export function refusalOf(refused: Space, name: string) {
  const { host, user } = inject('postgres')
  const database = `database of DATABASE_URL (${host}, database ${name}, user ${user})`
  return refused === 'sandbox'
    ? `SANDBOX=on needs a separate database, and the ${database} is the real space’s. Nothing in it was changed. Let DATABASE_URL ` +
        'name a new one, or leave SANDBOX out.\n'
    : `The ${database} is a sandbox’s, where people give themselves points: the real space does not use it. Nothing in it was changed. ` +
        'Set SANDBOX=on, or let DATABASE_URL name the database of the real space.\n'
}

/** A new folder, removed after the test. */
export async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-space-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
