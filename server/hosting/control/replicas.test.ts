import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Observed } from '../engine/engine.ts'
import type { OpenedEngine } from '../engine/open.ts'
import { openLog } from '../../platform/log.ts'
import { sharedService } from '../../test/harness.ts'
import { unassignLost } from './drift.ts'
import { openHosts } from './hosts.ts'
import { openIsolation } from './isolation.ts'
import { saveIsolation } from './isolation.store.ts'
import { leaseWork } from './leases.ts'
import { claimDue } from './leases.store.ts'
import { openObservationHistory } from './observation-history.ts'
import { openPlacement } from './placement.ts'
import { openFollowerHistory, runReplicaStep } from './replicas.ts'
import { listRetiredHosts, promoteFromHosts } from './replicas.store.ts'
import { restarts_unknown } from './restarts.rules.ts'
import { default_timing } from './timing.rules.ts'

const plaza = await sharedService()
const { db } = plaza

/** Inserts a deployment that runs with two replicas: the leading one on one host, the other one on the other. */
async function someReplicated([leading, other]: [leading: string, other: string]) {
  const [{ id } = { id: '' }] = await db.sql<{ id: string }>`
    insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                             sealed_env, memory_limit_mb, cpu_limit_millicores, status, desired, host_server,
                             serving_generation, endpoint_host, endpoint_port, restarts_seen, restart_times,
                             next_attempt_at, inserted_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), id, 'c', 'i', gen_random_uuid(), 3000, '', 512,
           250, 'running', 'running', ${leading}, 1, '10.0.0.1', 4000, 3, array[now()], 'infinity', now()
      from deploy_tiers where slug = 'starter'
    returning id`
  await db.sql`insert into deploy_scales (deployment_id, replicas, leading_replica) values (${id}, 2, 1)`
  await db.sql`
    insert into deploy_replicas (deployment_id, number, host_server, serving_generation, endpoint_host, endpoint_port, health_status)
    values (${id}, 2, ${other}, 1, '10.0.0.2', 4001, 'healthy')`
  return id
}

const leaderOf = (id: string) =>
  db.sql`
    select host_server, leading_replica, restarts_seen, restart_times, health_status
      from deployments join deploy_scales s on s.deployment_id = id where id = ${id}`

test('D-105: a replica that becomes the leading one brings no restarts of its life before: their number is unknown until it is observed', async () => {
  const id = await someReplicated(['lost', 'kept'])
  expect(await promoteFromHosts(db, ['lost'], new Date())).toMatchObject([{ id, host_server: 'lost' }])
  const leader = { host_server: 'kept', leading_replica: 2, health_status: 'healthy' }
  expect(await leaderOf(id)).toEqual([{ ...leader, restarts_seen: restarts_unknown, restart_times: [] }])
})

const absent = () => Promise.reject(new Error('not used here'))

/** A host of 1 GB that runs this, and notes what it is asked to run. */
const fakeHost = (name: string, ensured: string[], running: Observed[]): OpenedEngine => ({
  name,
  kind: 'docker',
  close: () => Promise.resolve(),
  engine: {
    info: () =>
      Promise.resolve({
        kind: 'docker',
        version: '1',
        api_version: '1',
        memory_mb: 1024,
        millicores: 4000,
        hosts: 1,
        advice: [],
        limits: [],
      }),
    ensure: ({ image }) => {
      ensured.push(name)
      return Promise.resolve({ image, pulled: false })
    },
    observe: (_, id) => Promise.resolve(running.filter((instance) => instance.id === (id ?? instance.id))),

    remove: absent,
    logs: absent as never,
    output: absent as never,
    usage: absent,
    probe: absent,
    listeners: absent as never,
  },
})

/** A worker whose hosts run nothing yet but `running`; `ensured` names the hosts that were asked to run something. */
async function someWorker(names: string[]) {
  const running: Observed[] = []
  const ensured: string[] = []
  const log = openLog('silent')
  const engines = names.map((name) => fakeHost(name, ensured, running))
  const hosts = await openHosts({ db, log, engines, timing: default_timing })
  const owner = randomUUID()
  const isolation = openIsolation(db, {
    refuse_unchecked: true,
    findTargets: () => Promise.reject(new Error('unused')),
  })
  const deps = {
    db,
    log,
    hosts,
    owner,
    isolation,
    clock: () => new Date(),
    timing: default_timing,
    environmentOf: () => ({}),
    registryAuthOf: () => undefined,
    history: openObservationHistory(),
    followers: openFollowerHistory(),
    placement: openPlacement({ db, hosts, owner, isolation }),
  }
  return {
    ensured,
    running,
    /** Runs the next step of the followers of one deployment. */
    async step(id: string) {
      await db.sql`update deployments set next_attempt_at = now(), lease_until = null where id = ${id}`
      const query = { owner, lease_seconds: 60, hosts: names, leased_ids: [], rows_max: 1_000 }
      const row = (await claimDue(db, query)).find((each) => each.id === id)!
      const outcome = await runReplicaStep({ deps, row, lease: leaseWork(row, performance.now(), default_timing) })
      const [follower] = await db.sql`
        select host_server, serving_generation, endpoint_host is not null as is_attached, attempts, last_error
          from deploy_replicas where deployment_id = ${id}`
      return { outcome, follower }
    },
    close: () => hosts.close(),
  }
}

/** What serves is replaced on the leading replica: the others follow. */
const serveNext = (id: string) => db.sql`update deployments set generation = 2, serving_generation = 2 where id = ${id}`
const isolate = (...hosts: string[]) =>
  Promise.all(
    hosts.map((host) => saveIsolation(db, host, [{ host, node: '', state: 'isolated', found: [], reason: null }], 600)),
  )

test('D-105: another replica starts nothing new on a host that is not isolated; what it serves goes on, and is repaired there', async () => {
  const worker = await someWorker(['leads', 'open'])
  const id = await someReplicated(['leads', 'open'])
  const serving = { host_server: 'open', serving_generation: 1 }
  // Its container is gone: it is made again where it was.
  expect(await worker.step(id)).toMatchObject({ follower: { ...serving, is_attached: false } })
  await worker.step(id)
  expect(worker.ensured).toEqual(['open'])
  await serveNext(id)
  const refused = { ...serving, attempts: 1, last_error: 'host_not_isolated: open has not been probed yet' }
  expect(await worker.step(id)).toMatchObject({ follower: refused })
  expect(worker.ensured).toEqual(['open'])
  await isolate('open')
  await db.sql`update deploy_replicas set next_attempt_at = now()`
  await worker.step(id)
  expect(worker.ensured).toEqual(['open', 'open'])
  await worker.close()
  await db.sql`delete from deployments`
})

test('D-105: another replica starts nothing new on a host without the memory: it is placed on one that has it', async () => {
  const worker = await someWorker(['leads', 'full', 'free'])
  await isolate('leads', 'full', 'free')
  const id = await someReplicated(['leads', 'full'])
  await db.sql`update deploy_replicas set endpoint_host = null where deployment_id = ${id}`
  await serveNext(id)
  // More memory of another deployment, which is reserved from the moment of its change.
  const other = await someReplicated(['full', 'leads'])
  await db.sql`update deployments set memory_limit_mb = 600 where id = ${other}`
  expect(await worker.step(id)).toMatchObject({ follower: { host_server: null, attempts: 0 } })
  expect(await worker.step(id)).toMatchObject({ follower: { host_server: 'free' } })
  await worker.step(id)
  expect(worker.ensured).toEqual(['free'])
  await worker.close()
  await db.sql`delete from deployments`
})

test('D-105: one that serves goes on until a host has the memory for its successor, and is placed there then', async () => {
  const worker = await someWorker(['leads', 'full', 'free'])
  await isolate('leads', 'full', 'free')
  const id = await someReplicated(['leads', 'full'])
  await serveNext(id)
  const others = [await someReplicated(['full', 'free']), await someReplicated(['leads', 'leads'])]
  await db.sql`update deployments set memory_limit_mb = 600 where id = any(${others}::uuid[])`
  worker.running.push({
    id,
    generation: 1,
    replica: 2,
    app_id: randomUUID(),
    phase: 'running',
    restarts: 0,
    exit_code: null,
    oom_killed: false,
    reason: null,
    endpoint: { host: '10.0.0.2', port: 4001 },
    host: null,
    image: 'i',
    created_at: new Date(),
    started_at: new Date(),
  })
  const last_error = 'no_capacity: No container host that answers has room for it.'
  expect(await worker.step(id)).toMatchObject({
    follower: { host_server: 'full', is_attached: true, attempts: 1, last_error },
  })
  await db.sql`delete from deploy_replicas where host_server = 'free'`
  await db.sql`update deploy_replicas set next_attempt_at = now()`
  expect(await worker.step(id)).toMatchObject({ follower: { host_server: 'free', is_attached: false } })
  expect(worker.ensured).toEqual([])
  await worker.close()
  await db.sql`delete from deployments`
})

test('D-105: while the host of the leading replica does not answer, another one leads after half a minute, whatever is placed anew', async () => {
  const id = await someReplicated(['lost', 'kept'])
  const log = openLog('silent')
  let woken = 0
  const check = (replace_lost_seconds: number) =>
    unassignLost({
      db,
      log,
      clock: () => new Date(),
      wake: () => woken++,
      timing: { ...default_timing, replace_lost_seconds },
    })
  const followers = () =>
    db.sql`select number, host_server, endpoint_host from deploy_replicas where deployment_id = ${id}`
  await db.sql`
    insert into container_hosts (name, kind, reachable, seen_at)
    values ('kept', 'docker', true, now()), ('lost', 'docker', false, now() - interval '20 seconds')`
  await check(0)
  expect(await leaderOf(id)).toMatchObject([{ host_server: 'lost', leading_replica: 1 }])
  await db.sql`update container_hosts set seen_at = now() - interval '31 seconds' where name = 'lost'`
  await check(0)
  expect(await leaderOf(id)).toMatchObject([{ host_server: 'kept', leading_replica: 2 }])
  // It stays where it was, and is part of the deployment again once the host is back.
  expect(await followers()).toEqual([{ number: 1, host_server: 'lost', endpoint_host: null }])
  expect(woken).toBe(0)
  await check(25)
  expect(await followers()).toEqual([{ number: 1, host_server: null, endpoint_host: null }])
  expect(woken).toBe(1)
  await db.sql`delete from deployments`
  await db.sql`delete from deploy_replicas`
})

test('D-105: a host that is in no worker’s settings counts as retired also where it runs the leading replica', async () => {
  const id = await someReplicated(['gone', 'here'])
  const retired = await listRetiredHosts(db, { configured_hosts: ['here'], retired_seconds: 3600 })
  expect(retired).toEqual(['gone'])
  await promoteFromHosts(db, retired, new Date())
  expect(await leaderOf(id)).toMatchObject([{ host_server: 'here' }])
  await db.sql`delete from deployments`
})
