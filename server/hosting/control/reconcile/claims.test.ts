import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../platform/postgres/database.ts'
import { newId } from '../../../platform/ids.ts'
import { openLog } from '../../../platform/log.ts'
import { startTestService } from '../../../test/harness.ts'
import { markUnknown } from '../hosts/drift.store.ts'
import { listRetiredHosts, unassign } from '../hosts/hosts.store.ts'
import { leaseWork, startLeaseRenewal } from './leases.ts'
import { claimDue, claimOf, renewLeases } from './leases.store.ts'
import { openIsolation } from '../hosts/isolation.ts'
import { openPlacement } from '../hosts/placement.ts'
import { saveFailure } from './failure.store.ts'
import { saveTransientError, saveCompletion } from './instances.store.ts'
import { logIntent } from '../../api/store.ts'
import { default_timing } from '../timing.rules.ts'

const plaza = await startTestService({ ROLES: 'api' })
const { db } = plaza
const owner = randomUUID()
const isolation = openIsolation(db, 'trusted')

/** Inserts due deployments of 512 MB, each of another app. */
async function someDeployments(
  many: number,
  { status = 'pending', desired = 'running', host = null as string | null } = {},
) {
  const rows = await db.sql<{ id: string }>`
    with made as (
      insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                               sealed_env, memory_limit_mb, cpu_limit_millicores, status, desired, next_attempt_at, inserted_at)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), id, 'c', 'i', gen_random_uuid(), 3000, 'secret', 512,
             250, ${status}, ${desired}, now(), now()
        from deploy_tiers, generate_series(1, ${many}::integer) where slug = 'starter'
      returning id
    )
    insert into deploy_instances (deployment_id, number, host_server) select id, 1, ${host} from made
    returning deployment_id as id`
  return rows.map(({ id }) => id)
}

const claim = (by = owner, hosts: string[] = []) =>
  claimDue(db, { owner: by, lease_seconds: 60, hosts, leased_ids: [], rows_max: 100 })

const logs = (id: string) =>
  db.sql<{ action: string; status: string; details: object }>`
    select action, status, details from deploy_logs where deployment_id = ${id} order by id`

const intend = (deployment_id: string, generation: number, action: 'suspend' | 'stop' | 'destroy' | 'reactivate') =>
  db.transaction((tx) =>
    logIntent(tx, { id: newId(), deployment_id, generation, action, initiated_by: null, details: {}, now: new Date() }),
  )

test('concurrent placements never reserve memory twice', async () => {
  await db.sql`
    insert into container_hosts (name, kind, reachable, memory_mb, millicores, seen_at)
    values ('small', 'docker', true, 600, 1000, now()), ('large', 'docker', true, 1200, 2000, now())`
  const log = openLog('silent')
  const { connectionString } = db.pool.options
  const other = openDatabase({ connection: { connectionString: String(connectionString) }, log })
  await someDeployments(12)
  const rows = await claim()
  expect(rows).toHaveLength(12)
  const hosts = { names: ['small', 'large'] }
  const workers = [db, db, other, other].map((each) => openPlacement({ db: each, hosts, owner, isolation }))
  const outcomes = await Promise.allSettled(rows.map((row, at) => workers[at % 4]!.place(row, 1)))
  await other.close()
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []))
  expect(refused.map(({ message }) => message)).toEqual(
    Array.from({ length: 9 }, () => 'No container host that answers has room for it.'),
  )
  const promised = await db.sql`
    select host_server, sum(memory_limit_mb)::integer as promised from deployments
     where host_server is not null group by 1 order by 1`
  expect(promised).toEqual([
    { host_server: 'large', promised: 1024 },
    { host_server: 'small', promised: 512 },
  ])
  await db.sql`delete from deployments`
})

test('many concurrent placements by one worker: none fails because of the lock, and each host gets its share', async () => {
  await db.sql`
    insert into container_hosts (name, kind, reachable, memory_mb, millicores, seen_at)
    select 'wide' || n, 'docker', true, 100000, 100000, now() from generate_series(1, 4) n`
  const worker = openPlacement({ db, hosts: { names: ['wide1', 'wide2', 'wide3', 'wide4'] }, owner, isolation })
  await someDeployments(100)
  await Promise.all((await claim()).map((row) => worker.place(row, 1)))
  expect(await db.sql`select host_server, count(*)::integer as placed from deployments group by 1 order by 1`).toEqual(
    ['wide1', 'wide2', 'wide3', 'wide4'].map((host_server) => ({ host_server, placed: 25 })),
  )
  await db.sql`delete from deployments`
  await db.sql`delete from container_hosts where name like 'wide%'`
})

test('with more than four hosts only a few are read for a placement: no memory is reserved twice, and all hosts are used before a refusal', async () => {
  await db.sql`
    insert into container_hosts (name, kind, reachable, memory_mb, millicores, seen_at)
    select 'many' || n, 'docker', true, 1100, 100000, now() from generate_series(1, 6) n`
  const names = [1, 2, 3, 4, 5, 6].map((n) => `many${n}`)
  const workers = [1, 2].map(() => openPlacement({ db, hosts: { names }, owner, isolation }))
  await someDeployments(14)
  const rows = await claim()
  const refused: string[] = []
  for (const [at, row] of rows.entries())
    await workers[at % 2]!.place(row, 1).catch(({ message }: Error) => refused.push(message))
  expect(refused).toEqual(Array.from({ length: 2 }, () => 'No container host that answers has room for it.'))
  expect(
    await db.sql`select host_server, count(*)::integer as placed from deployments where host_server is not null group by 1 order by 1`,
  ).toEqual(names.map((host_server) => ({ host_server, placed: 2 })))
  await db.sql`delete from deployments`
  await db.sql`delete from container_hosts where name like 'many%'`
})

test('H21: another worker takes over from a killed one ten seconds after its last renewal', async () => {
  const [id = ''] = await someDeployments(1)
  const { lease_seconds } = default_timing
  const claimAs = async (by: string) =>
    (await claimDue(db, { owner: by, lease_seconds, hosts: [], leased_ids: [], rows_max: 100 })).map((row) => row.id)
  const pass = (seconds: number) =>
    db.sql`update deployments set lease_until = lease_until - make_interval(secs => ${seconds}) where id = ${id}`
  const [killed, other] = [randomUUID(), randomUUID()]
  expect(await claimAs(killed)).toEqual([id])
  await pass(9)
  expect(await claimAs(other)).toEqual([])
  expect(await renewLeases(db, killed, [id], lease_seconds)).toEqual(new Map([[id, expect.any(Number)]]))
  await pass(9)
  expect(await claimAs(other)).toEqual([])
  await pass(1)
  expect(await claimAs(other)).toEqual([id])
  expect(await renewLeases(db, killed, [id], lease_seconds)).toEqual(new Map())
  await db.sql`delete from deployments`
})

test('a lease renewal detects a changed generation even without a notification', async () => {
  const [id = ''] = await someDeployments(1)
  const [row] = await claim()
  expect(row?.id).toBe(id)
  const timing = { ...default_timing, lease_seconds: 0.6 }
  const work = leaseWork(row!, performance.now(), timing)
  const deps = { db, log: openLog('silent'), timing, owner }
  const leases = startLeaseRenewal(deps, new Map([[id, work]]))
  await expect.poll(() => work.isValid()).toBe(true)
  expect(work.intentSignal().aborted).toBe(false)
  await db.sql`update deployments set generation = 2, desired = 'destroyed' where id = ${id}`
  await expect.poll(() => work.intentSignal().aborted).toBe(true)
  work.refresh()
  work.observed({ generation: 2 })
  expect(await renewLeases(db, owner, [id], 60)).toEqual(new Map([[id, 2]]))
  await new Promise((next) => setTimeout(next, 500))
  expect(work.intentSignal().aborted).toBe(false)
  leases.stop()
  await db.sql`delete from deployments`
})

test('D-60: a destroyed deployment keeps no environment', async () => {
  const [stopped = '', destroyed = ''] = await someDeployments(2, { status: 'running' })
  for (const row of await claim())
    await saveCompletion(db, claimOf(row, owner), {
      status: row.id === destroyed ? 'destroyed' : 'stopped',
      now: new Date(),
    })
  const found = await db.sql`
    select id, status, sealed_env::text from deployments where id in (${stopped}, ${destroyed}) order by status`
  expect(found).toEqual([
    { id: destroyed, status: 'destroyed', sealed_env: '\\x' },
    { id: stopped, status: 'stopped', sealed_env: `\\x${Buffer.from('secret').toString('hex')}` },
  ])
  await db.sql`delete from deployments`
})

test('D-56: health_status has one of the documented names for a final failure; the exact cause is in the log', async () => {
  const shown = {
    start_failed: 'crash_loop',
    refused: 'start_timeout',
    isolation: 'start_timeout',
    oom_killed: 'oom_killed',
  }
  for (const [cause, health_status] of Object.entries(shown) as [keyof typeof shown, string][]) {
    const [id = ''] = await someDeployments(1, { status: 'deploying' })
    const [row] = await claim()
    const held = { ...claimOf(row!, owner), number: 1 }
    await saveFailure(db, held, {
      failed: 1,
      cause,
      message: 'why',
      restarts_seen: 0,
      log_id: newId(),
      now: new Date(),
      details: { cause },
    })
    await saveTransientError(db, held, { message: 'timeout: of the stop', unreachable: true })
    await saveCompletion(db, held, { status: 'stopped', now: new Date() })
    expect(await db.sql`select health_status, last_error from deployments where id = ${id}`).toEqual([
      { health_status, last_error: `${cause}: why` },
    ])
    expect(await logs(id)).toMatchObject([{ details: { cause } }])
    await db.sql`delete from deployments`
  }
})

test('D-58: a suspension is completed by the owner’s later stop, and superseded by a reactivation', async () => {
  const [id = ''] = await someDeployments(1, { status: 'running', desired: 'stopped' })
  await intend(id, 1, 'suspend')
  await intend(id, 2, 'stop')
  await db.sql`update deployments set suspended_by = 'admin', generation = 2 where id = ${id}`
  const [row] = await claim()
  await saveCompletion(db, claimOf(row!, owner), { status: 'stopped', now: new Date() })
  await intend(id, 3, 'suspend')
  await intend(id, 4, 'reactivate')
  expect((await logs(id)).map(({ action, status }) => `${action} ${status}`)).toEqual([
    'suspend succeeded',
    'stop succeeded',
    'suspend superseded',
    'reactivate pending',
  ])
  await db.sql`delete from deployments`
})

test('deployments with a pending operation leave a host that is not configured anywhere; an unreachable host keeps them', async () => {
  await db.sql`
    insert into container_hosts (name, kind, reachable, seen_at, asked_at)
    values ('retired', 'docker', true, now() - interval '2 hours', now() - interval '2 hours'),
           ('away', 'docker', false, now() - interval '2 hours', now())`
  const places = ['retired', 'away', 'never heard of', 'mine']
  const destroyed: string[] = []
  for (const host of places) {
    destroyed.push(...(await someDeployments(1, { status: 'running', desired: 'destroyed', host })))
    await someDeployments(1, { status: 'running', host })
  }
  for (const id of destroyed) await intend(id, 1, 'destroy')
  expect(await claim(randomUUID(), ['large'])).toEqual([])
  const retired = await listRetiredHosts(db, { configured_hosts: ['mine'], retired_seconds: 3600 })
  await markUnknown(db, retired, 100)
  const unknown = await db.sql<{
    host_server: string
  }>`select host_server from deployments where health_status = 'unknown'`
  expect(unknown.map(({ host_server }) => host_server).sort()).toEqual([
    'never heard of',
    'never heard of',
    'retired',
    'retired',
  ])
  const give_up = (includes_running: boolean) => unassign(db, retired, { why: 'retired', includes_running })
  const left = await give_up(false)
  expect(left.map(({ host_server }) => host_server).sort()).toEqual(['never heard of', 'retired'])
  expect((await claim()).map(({ id }) => id).sort()).toEqual([destroyed[0], destroyed[2]].sort())
  expect(await logs(destroyed[0] ?? '')).toMatchObject([{ details: { host_given_up: 'retired' } }])
  expect(await logs(destroyed[1] ?? '')).toMatchObject([{ details: {} }])
  expect(await give_up(false)).toEqual([])
  expect(await give_up(true)).toHaveLength(2)
  expect((await claim(randomUUID())).map(({ status }) => status)).toEqual(['deploying', 'deploying'])
})
