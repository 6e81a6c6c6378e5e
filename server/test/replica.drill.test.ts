import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { listPublicOperators } from '../../contract/operators.ts'
import { pointsHistory, spendPoints } from '../../contract/points.ts'
import { blockUser, searchUsers, unblockUser } from '../../contract/social.ts'
import { newId } from '../platform/ids.ts'
import { databaseNameOf, startTestService, type TestService } from './harness.ts'
import { databaseUrlOf, PostgresNode } from './postgres-node.ts'
import { runAdmin, testDatabaseUrl } from './processes.ts'
import { sleep } from './wait.ts'
import { raw, someUser, world } from './world.ts'

const wait = { interval: 50 }

/** A primary, its standby, and a service that reads from the standby. */
async function replicated(env: Record<string, string> = {}) {
  const primary = await PostgresNode.primary()
  await primary.query('create database plaza')
  const standby = await primary.standby('replica')
  const plaza = await startTestService({
    ROLES: 'api',
    DATABASE_URL: databaseUrlOf('plaza', [primary], 'any'),
    DATABASE_REPLICA_URL: databaseUrlOf('plaza', [standby], 'any'),
    REPLICA_LAG_MAX: '2',
    ...env,
  })
  return { primary, standby, plaza }
}

/** The result of the check of the replica. */
async function replicaCheck(plaza: TestService) {
  const { status } = await raw(plaza, 'GET', '/readyz')
  // The service is ready regardless of the replica.
  expect(status).toBe(200)
  const { checks } = await plaza.service.readiness.report()
  return checks.find(({ name }) => name === 'replica')
}

const isUsed = async (plaza: TestService) => (await replicaCheck(plaza))?.status === 'ok'
const untilUsed = (plaza: TestService, is_used: boolean) => expect.poll(() => isUsed(plaza), wait).toBe(is_used)

test('reads on a replica: it answers while it is recent; if it is paused, cut off or stopped, the primary answers; people always see their own writes', async () => {
  const { standby, plaza } = await replicated()
  const { user, tokens } = await world(plaza, { points: 1_000, scopes: ['points:spend', 'points:read'] })
  const other = await someUser(plaza)
  let spent = 0
  const spendAndLook = async () => {
    await tokens.api.result(spendPoints, { body: { amount: 1, description: `spend ${++spent}` } })
    const { data } = await tokens.api.result(pointsHistory, { query: {} })
    expect(data[0]?.description).toBe(`spend ${spent}`)
  }
  const found = async (username: string, at = plaza) =>
    (await new PlazaClient(at.url, user.token).result(searchUsers, { query: { q: username } })).users.length
  await untilUsed(plaza, true)
  expect(plaza.logged()).toContain('the replica of DATABASE_REPLICA_URL is asked')
  await expect.poll(() => found(other.username), wait).toBe(1)
  for (let turn = 0; turn < 20; turn++) await spendAndLook()
  // An idle primary causes no lag.
  await sleep(3_000)
  expect(await isUsed(plaza)).toBe(true)

  // Replay is paused. A service that accepts an hour of lag answers from the replica, which does not have the newest user.
  const patient = await plaza.startAnother({ REPLICA_LAG_MAX: '3600' })
  await untilUsed(patient, true)
  await standby.query('select pg_wal_replay_pause()')
  const newest = await someUser(plaza)
  expect(await found(newest.username, patient)).toBe(0)
  const { data: operators } = await new PlazaClient(patient.url).result(listPublicOperators, { query: {} })
  expect(operators).toEqual([])
  // There, people also see their own movements and blocks.
  const patient_tokens = new PlazaClient(patient.url, tokens.access_token)
  await tokens.api.result(spendPoints, { body: { amount: 1, description: `spend ${++spent}` } })
  expect((await patient_tokens.result(pointsHistory, { query: {} })).data[0]?.description).toBe(`spend ${spent}`)
  await user.api.result(blockUser, { body: { user_id: other.id } })
  await expect.poll(() => found(other.username, patient), wait).toBe(0)
  await user.api.result(unblockUser, { params: { user_id: other.id } })
  await expect.poll(() => found(other.username, patient), wait).toBe(1)
  expect(await isUsed(patient)).toBe(true)

  // After REPLICA_LAG_MAX, reads use the primary.
  await untilUsed(plaza, false)
  expect(await replicaCheck(plaza)).toMatchObject({
    status: 'degraded',
    reason: 'it is behind by more than REPLICA_LAG_MAX',
  })
  expect(await found(newest.username)).toBe(1)
  await spendAndLook()
  await standby.query('select pg_wal_replay_resume()')
  await untilUsed(plaza, true)
  await expect.poll(() => found(newest.username, patient), wait).toBe(1)

  // Cut off from the primary, it is still reachable, and falls behind when the primary writes.
  await standby.query("alter system set primary_conninfo = ''")
  await standby.query('select pg_reload_conf()')
  await spendAndLook()
  await untilUsed(plaza, false)
  await spendAndLook()

  await standby.kill()
  await spendAndLook()
  await expect.poll(() => replicaCheck(plaza), wait).toMatchObject({ reason: 'it cannot be reached' })
  await spendAndLook()
  expect(await found(other.username)).toBe(1)
}, 300_000)

test('audit export reads from the replica once that shows every entry, and from the primary if it is paused or stopped; no entry is missed', async () => {
  const { primary, standby } = await replicated()
  const databases = {
    DATABASE_URL: databaseUrlOf('plaza', [primary], 'any'),
    DATABASE_REPLICA_URL: databaseUrlOf('plaza', [standby], 'any'),
    REPLICA_LAG_MAX: '3600',
  }
  const insertEntry = async (age_seconds: number, at: number) => {
    const id = newId()
    await primary.query(
      `insert into audit_log (id, action, details, inserted_at)
       values ('${id}', 'test.entry', '{"at": ${at}}', now() - interval '${age_seconds} s')`,
      'plaza',
    )
    return id
  }
  await primary.query(
    `insert into audit_log (id, action, details, inserted_at)
     select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'test.entry', '{}', now() - interval '1 hour'
       from generate_series(1, 2500) n`,
    'plaza',
  )
  // Otherwise the next export would contain the entries of the start.
  await primary.query("update audit_log set inserted_at = now() - interval '1 hour'", 'plaza')
  const ids = (await primary.query<{ id: string }>('select id from audit_log order by id', 'plaza')).map(({ id }) => id)
  const exported = async (args: string[]) => {
    const { code, stdout, stderr } = await runAdmin(['audit', 'export', ...args], databases)
    expect([code, stderr]).toEqual([0, ''])
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { id: string }).id]))
  }
  const readsOf = async (node: PostgresNode) => {
    const [row] = await node.query<{ reads: string }>(
      "select seq_scan + coalesce(idx_scan, 0) as reads from pg_stat_user_tables where relname = 'audit_log'",
      'plaza',
    )
    return Number(row?.reads)
  }
  const whole = async () => {
    expect(await exported(['--since', '2020-01-01'])).toEqual(ids)
    return readsOf(standby)
  }
  await expect.poll(whole, wait).toBeGreaterThan(0)
  const { stdout } = await runAdmin(['audit', 'export', '--since', '2020-01-01'], {
    ...databases,
    DATABASE_REPLICA_URL: '',
  })
  expect(stdout.trim().split('\n')).toHaveLength(ids.length)

  // The replica does not show the newest entries; REPLICA_LAG_MAX alone would still allow reads.
  await standby.query('select pg_wal_replay_pause()')
  const last = ids.at(-1)!
  const newest = [await insertEntry(60, 1), await insertEntry(50, 2)]
  const before = await readsOf(standby)
  expect(await exported(['--after', last])).toEqual(newest)
  expect(await readsOf(standby)).toBe(before)
  await standby.query('select pg_wal_replay_resume()')

  await standby.kill()
  expect(await exported(['--after', last])).toEqual(newest)

  const other = await startTestService({ ROLES: 'api' })
  const foreign = {
    ...databases,
    DATABASE_URL: testDatabaseUrl(await databaseNameOf(other)),
    DATABASE_REPLICA_URL: databases.DATABASE_URL,
  }
  expect(await runAdmin(['audit', 'export', '--since', '2020-01-01'], foreign)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Plaza cannot do this\. DATABASE_REPLICA_URL \(.*database plaza, user postgres\) is no replica of DATABASE_URL: it holds another database\.$/m,
    ),
  })
}, 300_000)

test('a promoted replica is not read, nor one that follows another primary', async () => {
  const { standby, plaza } = await replicated()
  await untilUsed(plaza, true)
  await standby.query('select pg_promote()')
  await expect.poll(() => replicaCheck(plaza), wait).toMatchObject({ reason: 'it is no standby: it was promoted' })
  const follower = await standby.standby('follower')
  const other = await plaza.startAnother({ DATABASE_REPLICA_URL: databaseUrlOf('plaza', [follower], 'any') })
  await expect.poll(() => replicaCheck(other), wait).toMatchObject({ reason: 'it follows another primary' })
}, 300_000)

test('a start with a DATABASE_REPLICA_URL that is not a replica of this database is refused, with a message that names the setting and no password', async () => {
  const primary = await PostgresNode.primary()
  await primary.query('create database plaza')
  const plaza = await startTestService({ ROLES: 'api' })
  const url = databaseUrlOf('plaza', [primary], 'any')
  await expect(plaza.startAnother({ DATABASE_REPLICA_URL: url })).rejects.toThrow(
    /^DATABASE_REPLICA_URL \(.*database plaza, user postgres\) is no replica of DATABASE_URL: it holds another database\.$/,
  )
  const missing = `${databaseUrlOf('nothing', [primary], 'any')}&password=hush`
  const refusal = await plaza.startAnother({ DATABASE_REPLICA_URL: missing }).then(
    () => 'started',
    (error: Error) => error.message,
  )
  expect(refusal).toMatch(
    /^The database of DATABASE_REPLICA_URL \(.*database nothing, user postgres\) cannot be used: this server has no such database/,
  )
  expect(refusal).not.toContain('hush')
  // A replica that does not answer does not prevent a start: the primary answers.
  const away = await plaza.startAnother({ DATABASE_REPLICA_URL: 'postgres://plaza:hush@127.0.0.1:1/plaza' })
  expect(await replicaCheck(away)).toMatchObject({ status: 'degraded', reason: 'it cannot be reached' })
  expect(away.logged()).toContain('the replica of DATABASE_REPLICA_URL is not asked')
  expect(away.logged()).not.toContain('hush')
}, 300_000)
