import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'

/** The connection to a database of the tests' PostgreSQL, as its superuser. */
export const connectionTo = (database: string) => {
  const { host, user } = inject('postgres')
  return { host, user, database }
}

export async function connectTo(database: string) {
  const client = new pg.Client(connectionTo(database))
  await client.connect()
  return client
}

/** Runs one statement in a database of the tests' PostgreSQL, or of another server. */
export async function query<Row extends pg.QueryResultRow>(database: string | pg.ClientConfig, text: string) {
  const client = new pg.Client(typeof database === 'string' ? connectionTo(database) : database)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** A name for a database, which is dropped after the test. */
export function newDatabaseName() {
  const name = `made_${randomBytes(4).toString('hex')}`
  onTestFinished(async () => void (await query('postgres', `drop database if exists ${name} with (force)`)))
  return name
}

/** A new database without tables, with these options of `create database`; dropped after the test. */
export async function newDatabase(options = '') {
  const name = newDatabaseName()
  await query('postgres', `create database ${name} template template0 strategy file_copy ${options}`)
  return name
}
