import { expect, onTestFinished, test } from 'vitest'
import { startTestService } from '../../test/harness.ts'
import { openFaultProxy } from '../../test/fault-proxy.ts'
import { isDatabaseUnavailable, openDatabase, wasNeverSent, type DatabaseOptions } from './database.ts'
import { openLog } from '../log.ts'

const plaza = await startTestService({ ROLES: 'worker' })
const { connectionString } = plaza.db.pool.options

function open(options: Partial<DatabaseOptions> = {}) {
  const connection = { connectionString: String(connectionString) }
  const db = openDatabase({ connection, log: openLog('silent'), ...options })
  onTestFinished(db.close)
  return db
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a host that cannot be resolved means an unavailable database; the statement was not sent', async () => {
  const db = open({ connection: { host: 'database.invalid', user: 'nobody', database: 'none' } })
  const ways = [
    db.sql`select 1`,
    db.pipelinedConnection().sql`select 1`,
    db.adHoc.sql`select 1`,
    db.transaction((tx) => tx.sql`select 1`),
  ]
  for (const failure of await Promise.all(ways.map(failureOf)))
    expect([isDatabaseUnavailable(failure), wasNeverSent(failure)]).toEqual([true, true])
  expect(await db.check()).toEqual({
    status: 'failed',
    reason: 'the database cannot be reached',
    is_reachable: false,
  })
})

test('statements behind one that could not be prepared on a locked table also wait for the lock', async () => {
  const db = open({ pipelines: 1 })
  await db.adHoc.sql`create table locked_whole (id integer)`
  const holder = await db.pool.connect()
  const readAll = () => Promise.all(Array.from({ length: 12 }, () => failureOf(db.sql`select id from locked_whole`)))
  await holder.query('begin; lock table locked_whole')
  for (const failure of await readAll()) expect(failure).toMatchObject({ code: 'overloaded' })
  const read = readAll()
  await new Promise((next) => setTimeout(next, 100))
  await holder.query('commit')
  holder.release()
  expect(await read).toEqual(Array.from({ length: 12 }, () => undefined))
})

test('a statement whose columns were changed is prepared again on every connection', async () => {
  const db = open()
  const pipelined = db.pipelinedConnection()
  await db.sql`create table things (id integer)`
  await db.sql`insert into things values (1)`
  const read = () =>
    Promise.all([
      ...Array.from({ length: 6 }, () => db.sql`select * from things`),
      ...Array.from({ length: 3 }, () => pipelined.sql`insert into things select 2 where false returning *`),
      ...Array.from({ length: 3 }, () => db.transaction((tx) => tx.sql`select * from things`)),
    ])
  await read()
  for (const column of ['one', 'two']) {
    await db.sql([`alter table things add column ${column} integer`] as unknown as TemplateStringsArray)
    const answers = await read()
    expect(answers.flat().every((row) => column in row)).toBe(true)
    expect(answers.flat()).toHaveLength(9)
  }
})

test.each([
  ['a statement', (db: ReturnType<typeof open>) => db.sql`select 1`],
  ['an ordered statement', (db: ReturnType<typeof open>) => db.pipelinedConnection().sql`select 1`],
  ['a statement planned anew', (db: ReturnType<typeof open>) => db.adHoc.sql`select 1`],
  ['a transaction', (db: ReturnType<typeof open>) => db.transaction((tx) => tx.sql`select 1`)],
])('%s on a connection that is silent fails after a while, and the next finds another', async (_, way) => {
  const road = await openFaultProxy(plaza)
  const db = open({
    connection: { connectionString: road.database_url },
    silence_ms: 1_500,
    pipelines: 1,
    pool_size: 1,
  })
  const pipelined = db.pipelinedConnection()
  const same = { ...db, pipelinedConnection: () => pipelined }
  await way(same)
  road.freezeOpen()
  const failure = await failureOf(way(same))
  expect([isDatabaseUnavailable(failure), wasNeverSent(failure)]).toEqual([true, false])
  await way(same)
})

test('a slow pipelined connection that answers is not abandoned', async () => {
  const db = open({ silence_ms: 3_000, pipelines: 1 })
  const slow = Array.from({ length: 4 }, () => db.sql`select pg_sleep(1)`)
  expect(await Promise.all(slow)).toHaveLength(4)
})

test('a connection that is being opened can be abandoned too', async () => {
  const road = await openFaultProxy(plaza)
  const db = open({ connection: { connectionString: road.database_url }, silence_ms: 300 })
  road.ignoreNew()
  const failure = await failureOf(db.sql`select 1`)
  expect([isDatabaseUnavailable(failure), wasNeverSent(failure)]).toEqual([true, true])
})
