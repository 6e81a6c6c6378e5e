import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { awardPoints } from '../../contract/admin.ts'
import { spendPoints } from '../../contract/points.ts'
import { openLog } from '../platform/log.ts'
import { partsOf } from '../platform/postgres/backup/append-only.ts'
import { listTables } from '../platform/postgres/backup/catalog.ts'
import { writeUnfinished } from '../platform/postgres/backup/file.ts'
import { openSession } from '../platform/postgres/backup/session.ts'
import { openDatabase } from '../platform/postgres/database.ts'
import { applySchema, migrate } from '../platform/postgres/migrations.ts'
import { describeSchema } from '../platform/postgres/schema-comparison.ts'
import { verifyLedger } from '../points/ledger-check.service.ts'
import { schema_sources } from '../processes/database.ts'
import { connectionTo, connectTo, newDatabase, query } from '../test/databases.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { restoreVersion, worldOf } from '../test/old-versions.ts'
import { theAdmin, world } from '../test/world.ts'
import { restoreFile } from './restore.ts'
import { takeBackup } from './take.ts'

const plaza = await startTestService()
const source = await databaseNameOf(plaza)
const secrets = ['a-secret-of-the-tests-long-enough-for-the-rule'] as const
const folder = await mkdtemp(join(tmpdir(), 'plaza-backup-'))
afterAll(() => rm(folder, { recursive: true }))

let files = 0
/** Takes a backup; `onPart` is called before each part of it is written. */
async function backUp(database = source, onPart?: (at: number) => Promise<void>) {
  const path = join(folder, `${++files}.backup`)
  const { written } = await takeBackup({ connection: connectionTo(database) }, (frames) =>
    writeUnfinished(path, onPart ? watched(frames, onPart) : frames),
  )
  await written.publish()
  return path
}

async function* watched(frames: AsyncIterable<Buffer>, onPart: (at: number) => Promise<void>) {
  let at = 0
  for await (const frame of frames) {
    await onPart(at++)
    yield frame
  }
}

const restore = (file: string, database: string, { keys = { secrets: [...secrets] as [string] } } = {}) =>
  restoreFile({
    connection: connectionTo(database),
    file,
    names: { file, database: 'the database' },
    keys,
  })

/** Every table in a backup, with the digest of its rows. */
async function digestsOf(database: string) {
  const tables = await query<{ name: string }>(
    database,
    `select quote_ident(table_name) as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'
        and table_name not in ('events', 'events_cleared', 'job_runners', 'backup_runs', 'deploy_output', 'deploy_output_sources', 'deploy_output_collectors', 'schema_migrations', 'schema_functions')`,
  )
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as rows from ${name} t`,
  )
  const rows = await query<{ name: string; rows: string }>(database, digests.join(' union all '))
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]))
}

async function schemaOf(database: string) {
  const client = await connectTo(database)
  try {
    return await describeSchema(client, 'public')
  } finally {
    await client.end()
  }
}

async function ledgerOf(database: string) {
  const db = openDatabase({ connection: connectionTo(database), log: openLog('silent') })
  try {
    return await verifyLedger({ db })
  } finally {
    await db.close()
  }
}

let people: Awaited<ReturnType<typeof world>>
beforeAll(async () => {
  people = await world(plaza, { points: 1_000, scopes: ['points:spend', 'points:read'] })
})

const spend = () => people.tokens.api.result(spendPoints, { body: { amount: 1 } })

test('a restore has every row, the same schema, and sequences that continue after the last number', async () => {
  await spend()
  // Otherwise the times of the last use would be written meanwhile.
  await plaza.service.app.last_uses.flush()
  const file = await backUp()
  const target = await newDatabase()
  const { tables, rows, migrations } = await restore(file, target)
  expect(migrations).toEqual([])
  expect(await digestsOf(target)).toEqual(await digestsOf(source))
  expect(await schemaOf(target)).toEqual(await schemaOf(source))
  const counted = Object.values(await digestsOf(target)).map((digest) => Number(digest.split(' ')[0]))
  expect([tables, rows]).toEqual([counted.length, expect.any(Number)])
  expect(rows).toBeGreaterThanOrEqual(counted.reduce((sum, count) => sum + count, 0))
  const [{ next, last }] = (await query(
    target,
    `select nextval(pg_get_serial_sequence('transfers', 'seq')) as next, max(seq) as last from transfers`,
  )) as [{ next: number; last: number }]
  expect(next).toBeGreaterThan(last)
  await expect(query(target, 'delete from transfers')).rejects.toThrow('append-only')
  expect(await ledgerOf(target)).toMatchObject({ balanced: true })
})

test('a backup is one point in time: rows that commit while it is taken are not in it, even in tables that are read later', async () => {
  const admin = await theAdmin(plaza)
  const award = () =>
    admin.api.result(awardPoints, {
      body: { user_id: people.user.id, amount: 5 },
      headers: { 'idempotency-key': 'one award' },
    })
  await award()
  // In progress at the snapshot, committed before the table is read.
  const writer = await connectTo(source)
  await writer.query('begin')
  await writer.query(
    `insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, inserted_at)
     select gen_random_uuid(), 'award', from_account, to_account, 1, 0, 0, now() from transfers limit 1`,
  )
  const before = await digestsOf(source)
  const file = await backUp(source, async (at) => {
    if (at !== 1) return
    await writer.query('commit')
    await writer.end()
    await spend()
    // Rewrites the row of its key in another transaction.
    await award()
  })
  const target = await newDatabase()
  await restore(file, target)
  expect(await digestsOf(target)).toEqual({ ...before, job_runners: undefined })
  expect(await ledgerOf(target)).toMatchObject({ balanced: true })
  await query(
    source,
    `alter table transfers disable trigger user; delete from transfers where from_after = 0 and to_after = 0;
     alter table transfers enable trigger user`,
  )
})

test('the time of rows of a server that ran more than 2^31 transactions distinguishes them from new ones', async () => {
  const client = await openSession(connectionTo(source), 'plaza-backup')
  onTestFinished(() => client.end())
  const table = (await listTables(client)).find(({ name }) => name === 'audit_log')!
  const idsAt = async (oldest: bigint, taken_at: Date) => {
    const snapshot = { text: `${oldest}:${oldest}:`, oldest, taken_at: taken_at.toISOString() }
    const found: string[] = []
    for (const part of partsOf(client, table, { time: 'inserted_at' }, snapshot))
      found.push(...(await client.query<{ id: string }>(part)).rows.map(({ id }) => id))
    return found
  }
  const [{ count }] = (await query(source, 'select count(*)::int from audit_log')) as [{ count: number }]
  expect(count).toBeGreaterThan(0)
  const in_a_week = new Date(plaza.clock.now().getTime() + 7 * 86_400_000)
  // All rows look as if a later transaction had inserted them.
  expect(await idsAt(2n ** 32n + 3n, in_a_week)).toHaveLength(count)
  expect(await idsAt(2n ** 32n + 3n, plaza.clock.now())).toHaveLength(0)
  expect(await idsAt(3n, in_a_week)).toHaveLength(0)
  expect(await idsAt(2n ** 31n + 2n ** 30n, in_a_week)).toHaveLength(count)
  // All rows look old.
  expect(await idsAt(2n ** 30n, plaza.clock.now())).toHaveLength(count)
})

test('waiting and failed jobs are restored with the attempts that they have used; a job that ran waits again', async () => {
  await query(
    source,
    `select graphile_worker.add_job('test.waiting', '{"a":1}'::json, run_at := now() + interval '1 day', max_attempts := 8, priority := 10,
                                    job_key := 'k', flags := array['f'], queue_name := 'q');
     select graphile_worker.add_job('test.failed', max_attempts := 3);
     select graphile_worker.add_job('test.running', max_attempts := 3);
     update graphile_worker._private_jobs j set attempts = 3, last_error = 'why' from graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = 'test.failed';
     update graphile_worker._private_jobs j set attempts = 1, locked_at = now(), locked_by = 'w' from graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = 'test.running'`,
  )
  const jobsOf = (database: string) =>
    query(
      database,
      `select task_identifier as job, payload::text, j.queue_name, j.run_at, j.priority, j.attempts, j.max_attempts, j.last_error, j.key, j.flags,
              j.locked_at is not null as locked, j.created_at
         from graphile_worker.jobs j join graphile_worker._private_jobs p on p.id = j.id where task_identifier like 'test.%' order by j.id`,
    )
  const jobs = await jobsOf(source)
  expect(jobs).toHaveLength(3)
  const target = await newDatabase()
  await restore(await backUp(), target)
  expect(await jobsOf(target)).toEqual(jobs.map((job) => ({ ...job, locked: false })))
  await query(source, "delete from graphile_worker._private_jobs where key = 'k' or attempts > 0")
})

test('readers of the event stream with a cursor from before the restore start again', async () => {
  const target = await newDatabase()
  await restore(await backUp(), target)
  const [row] = await query<{ cleared: number; next: number; events: number }>(
    target,
    `select c.xid::text::int as cleared, pg_snapshot_xmax(pg_current_snapshot())::text::int as next, (select count(*)::int from events) as events
       from events_cleared c`,
  )
  expect(row!.cleared).toBeLessThan(row!.next)
  expect(row!.cleared).toBeGreaterThan(3)
  expect(row!.events).toBe(0)
})

test('a backup of version 0.2 is restored: the files that replace its migrations make the same schema', async () => {
  const [old, target] = [await newDatabase(), await newDatabase()]
  await restoreVersion('0.2.0', connectionTo(old))
  const { secret_keys } = await worldOf('0.2.0')
  const rowsOf = async (database: string) =>
    query(
      database,
      'select (select count(*)::int from transfers) as transfers, (select count(*)::int from webhook_deliveries) as deliveries',
    )
  const { migrations } = await restore(await backUp(old), target, { keys: { secrets: [secret_keys] } })
  expect(migrations[0]).toBe('0173_waiting_rewards.sql')
  expect(await rowsOf(target)).toEqual(await rowsOf(old))
  expect(await schemaOf(target)).toEqual(await schemaOf(source))
})

test('a backup of an older schema is restored as it was, then brought up to date', async () => {
  const [old, target] = [await newDatabase(), await newDatabase()]
  const names = [...(await query<{ name: string }>(source, 'select name from schema_migrations order by name'))]
  const client = await connectTo(old)
  await applySchema(client, schema_sources, { only: names.map(({ name }) => name).filter((name) => name < '0016') })
  // Migration 0016 gives a grant without a newest refresh token one. A changed tier keeps its changes.
  await client.query(`
    insert into grants (id, user_id, app_id, scopes, approval_epoch, inserted_at) values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '{}', 0, now());
    update deploy_tiers set name = 'Renamed' where slug = 'starter';
    delete from deploy_tiers where slug = 'sovereign'`)
  await client.end()
  const { migrations } = await restore(await backUp(old), target)
  expect(migrations).toEqual(names.map(({ name }) => name).filter((name) => name >= '0016'))
  expect(await query(target, 'select name from deploy_tiers order by name')).toEqual([
    { name: 'Pro' },
    { name: 'Renamed' },
    { name: 'Standard' },
  ])
  expect(await query(target, 'select count(*)::int from refresh_tokens')).toEqual([{ count: 1 }])
  expect(await schemaOf(target)).toEqual(await schemaOf(source))
  const pool = new pg.Pool(connectionTo(target))
  expect(await migrate(pool, schema_sources)).toEqual({ migrations: [], functions: [] })
  await pool.end()
})
