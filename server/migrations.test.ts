import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { migrate } from './kit/migrate.ts'
import { package_root } from './kit/package.ts'

const all = join(package_root, 'server/migrations')
const { host, user } = inject('postgres')
const admin = new pg.Client({ host, user, database: 'postgres' })
await admin.connect()
const folder = await mkdtemp(join(tmpdir(), 'plaza-migrations-'))
const pools: pg.Pool[] = []
const databases: string[] = []
afterAll(async () => {
  for (const pool of pools) await pool.end()
  for (const name of databases) await admin.query(`drop database ${name} with (force)`)
  await admin.end()
  await rm(folder, { recursive: true, force: true })
})

/** A database as the version had it whose newest migration this is. */
async function databaseOf(newest: string) {
  const name = `migrated_${process.pid}_${Date.now().toString(36)}_${databases.length}`
  await admin.query(`create database ${name}`)
  databases.push(name)
  const pool = new pg.Pool({ host, user, database: name })
  pools.push(pool.on('error', () => {}))
  const older = join(folder, name)
  for (const file of await readdir(all)) if (file <= newest) await cp(join(all, file), join(older, file))
  await migrate(pool, older)
  return pool
}

/** Answers once a statement waits for a lock. */
async function somebodyWaits(pool: pg.Pool) {
  for (;;) {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length > 0) return
  }
}

test('D-49: a user who connects while an older process still runs beside the migration is counted', async () => {
  const pool = await databaseOf('0011_presence_lapses.sql')
  const connect = `insert into connections (user_id, app_id, scopes, connected_at)
                   values (gen_random_uuid(), '01900000-0000-7000-8000-000000000000', '{}', now())`
  await pool.query(connect)
  const older = await pool.connect()
  await older.query('begin')
  await older.query(connect)
  const migrated = migrate(pool, all)
  await somebodyWaits(pool)
  await older.query('commit')
  older.release()
  await migrated
  await pool.query(connect)
  expect((await pool.query('select total_users::integer from app_users')).rows).toEqual([{ total_users: 3 }])
})
