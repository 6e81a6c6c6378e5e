import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { openDatabase } from './kit/database.ts'
import { openLog } from './kit/log.ts'
import { migrate } from './kit/migrate.ts'
import { package_root } from './kit/package.ts'
import { forgetWhatIsOver } from './oauth/service.ts'

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

test('D-26: what an older version left of ended grants is forgotten a day later, and all of the others stays', async () => {
  const pool = await databaseOf('0014_late_ad_events.sql')
  // `rest` says what there still is of a grant: its newest refresh token, an access token, a session that is kept up.
  await pool.query(`
    create table g as
      select gen_random_uuid() as id, rest, now() - interval '40 days' as begun from unnest('{r,a,s,nothing}'::text[]) rest;
    insert into grants select id, id, id, '{}', 0, begun from g;
    insert into authorization_codes
      select sha256(id::text::bytea), id, id, '{}', '', '', 0, begun, begun, 0, begun, id from g;
    insert into refresh_tokens select sha256(('used' || id)::bytea), id, begun, begun, begun from g;
    insert into refresh_tokens
      select sha256(('newest' || id)::bytea), id, begun, now() + interval '9 days' from g where rest = 'r';
    insert into access_tokens
      select sha256(id::text::bytea), id, id, id, '{}', begun, now() + interval '9 days' from g where rest = 'a';
    insert into app_sessions
      select id, id, id, id, begun, case rest when 's' then now() + interval '9 days' else begun end, begun from g`)
  await migrate(pool, all)
  const log = openLog('silent')
  const db = openDatabase({ connection: { host, user, database: pool.options.database! }, log })
  const leftAfter = async (days: number) => {
    await forgetWhatIsOver({ db, clock: () => new Date(Date.now() + days * 86_400_000) }, { rows_max: 100 })
    const { rows } = await pool.query(`
      select rest, (select count(*)::integer from grants where id = g.id) as grants,
             (select count(*)::integer from authorization_codes where grant_id = g.id) as codes,
             (select count(*)::integer from refresh_tokens where grant_id = g.id) as refresh_tokens,
             (select count(*)::integer from app_sessions where grant_id = g.id) as sessions
        from g order by rest`)
    return rows
  }
  const whole = { grants: 1, codes: 1, refresh_tokens: 2, sessions: 1 }
  const none = { grants: 0, codes: 0, refresh_tokens: 0, sessions: 0 }
  const rests = (nothing: object, others: object) =>
    ['a', 'nothing', 'r', 's'].map((rest) => ({ rest, ...(rest === 'nothing' ? nothing : others) }))
  expect(await leftAfter(0)).toEqual(rests(whole, whole))
  expect(await leftAfter(2)).toEqual(rests(none, whole))
  expect(await leftAfter(11)).toEqual(rests(none, none))
  await db.close()
})
