import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Observed } from '../../engine/engine.ts'
import type { OpenedEngine } from '../../engine/open.ts'
import { openLog } from '../../../platform/log.ts'
import { sharedService } from '../../../test/harness.ts'
import { unassignLost } from '../hosts/drift.ts'
import { openHosts } from '../hosts/hosts.ts'
import { leaveHosts, listRetiredHosts } from '../hosts/hosts.store.ts'
import { openInstanceObserver } from './instances.ts'
import { openIsolation } from '../hosts/isolation.ts'
import { saveIsolation } from '../hosts/isolation.store.ts'
import { leaseWork } from './leases.ts'
import { claimDue } from './leases.store.ts'
import { openObservationHistory } from './observation-history.ts'
import { openPlacement } from '../hosts/placement.ts'
import { runStep } from './steps.ts'
import { default_timing } from '../timing.rules.ts'

const plaza = await sharedService()
const { db } = plaza

const ports = [
  { host: '10.0.0.1', port: 4000 },
  { host: '10.0.0.2', port: 4001 },
] as const

/** Inserts a deployment that runs with two instances, one on each host. */
async function someReplicated(hosts: [string, string]) {
  const [{ id } = { id: '' }] = await db.sql<{ id: string }>`
    insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                             sealed_env, memory_limit_mb, cpu_limit_millicores, status, desired, serving_generation, replicas,
                             next_attempt_at, inserted_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), id, 'c', 'i', gen_random_uuid(), 3000, '', 512,
           250, 'running', 'running', 1, 2, 'infinity', now()
      from deploy_tiers where slug = 'starter'
    returning id`
  for (const [at, host] of hosts.entries())
    await db.sql`
      insert into deploy_instances (deployment_id, number, host_server, generation, serving_generation, endpoint_host,
                                    endpoint_port, health_status, restarts_seen)
      values (${id}, ${at + 1}, ${host}, 1, 1, ${ports[at]!.host}, ${ports[at]!.port}, 'healthy', 0)`
  return id
}

const instancesOf = (id: string) =>
  db.sql`
    select number, host_server, serving_generation, endpoint_host is not null as is_routed, attempts, last_error
      from deploy_instances where deployment_id = ${id} order by number`
const shown = async (id: string) =>
  (
    await db.sql`
      select status, health_status, host_server, host_servers, ready_replicas, endpoint_host from deployments where id = ${id}`
  )[0]

test('D-105: a deployment shows an instance that serves and is healthy, whichever instance changes', async () => {
  const id = await someReplicated(['one', 'two'])
  const both = { status: 'running', health_status: 'healthy', ready_replicas: 2 }
  expect(await shown(id)).toEqual({
    ...both,
    host_server: 'one',
    host_servers: ['one', 'two'],
    endpoint_host: ports[0].host,
  })
  await db.sql`update deploy_instances set health_status = 'unhealthy' where deployment_id = ${id} and number = 1`
  const second_first = { ...both, host_server: 'two', host_servers: ['two', 'one'], endpoint_host: ports[1].host }
  expect(await shown(id)).toEqual(second_first)
  await db.sql`update deploy_instances set endpoint_host = null, node = 'n' where deployment_id = ${id} and number = 1`
  expect(await shown(id)).toEqual({ ...second_first, host_servers: ['two', 'one/n'], ready_replicas: 1 })
  await db.sql`update deploy_instances set health_status = 'unknown' where deployment_id = ${id} and number = 2`
  expect(await shown(id)).toMatchObject({ host_server: 'two', health_status: 'unknown' })
  await db.sql`update deployments set status = 'destroyed' where id = ${id}`
  await db.sql`delete from deploy_instances where deployment_id = ${id}`
  expect(await shown(id)).toMatchObject({ host_server: 'two', host_servers: ['two', 'one/n'] })
})

const absent = () => Promise.reject(new Error('not used here'))

/** A host of 1 GB that runs these containers and records the workloads that it is asked to run. */
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

    remove: () => Promise.resolve(undefined as never),
    logs: absent as never,
    output: absent as never,
    usage: absent,
    probe: absent,
    listeners: absent as never,
  },
})

/** A worker whose hosts run `running`. `ensured` lists the hosts that were asked to run a workload. */
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
    observeInstances: openInstanceObserver(hosts),
    placement: openPlacement({ db, hosts, owner, isolation }),
  }
  return {
    ensured,
    /** Sets the only container of an instance, reachable at its port. */
    runs(id: string, replica: number, generation: number, phase: Observed['phase'] = 'running') {
      const known = running.findIndex((each) => each.id === id && each.replica === replica)
      if (known >= 0) running.splice(known, 1)
      running.push({
        id,
        generation,
        replica,
        app_id: randomUUID(),
        phase,
        restarts: 0,
        exit_code: null,
        oom_killed: false,
        reason: null,
        endpoint: phase === 'running' ? ports[replica - 1]! : null,
        host: null,
        image: 'i',
        created_at: new Date(),
        started_at: new Date(),
      })
    },
    /** Runs the next step of one deployment; returns its second instance. */
    async step(id: string) {
      await db.sql`update deployments set next_attempt_at = now(), lease_until = null where id = ${id}`
      const query = { owner, lease_seconds: 60, hosts: names, leased_ids: [], rows_max: 1_000 }
      const row = (await claimDue(db, query)).find((each) => each.id === id)!
      // Without a history, no step is delayed as a repetition.
      await runStep(
        { ...deps, history: openObservationHistory() },
        leaseWork(row, performance.now(), default_timing),
        row,
      )
      return (await instancesOf(id))[1]
    },
    close: () => hosts.close(),
  }
}

/** The first instance serves the next generation; the other one must follow. */
const serveNext = async (id: string) => {
  await db.sql`update deployments set generation = 2, serving_generation = 2 where id = ${id}`
  await db.sql`update deploy_instances set generation = 2, serving_generation = 2 where deployment_id = ${id} and number = 1`
}
const isolate = (...hosts: string[]) =>
  Promise.all(
    hosts.map((host) => saveIsolation(db, host, [{ host, node: '', state: 'isolated', found: [], reason: null }], 600)),
  )
const forget = async () => {
  await db.sql`delete from deploy_instances`
  await db.sql`delete from deployments`
}

test('D-105: an instance starts nothing new on a host that is not isolated; its serving container continues and is repaired there', async () => {
  await forget()
  const worker = await someWorker(['one', 'open'])
  const id = await someReplicated(['one', 'open'])
  worker.runs(id, 1, 1)
  const serving = { host_server: 'open', serving_generation: 1 }
  // Its container is gone: it is recreated on the same host.
  expect(await worker.step(id)).toMatchObject({ ...serving, is_routed: false })
  await worker.step(id)
  expect(worker.ensured).toEqual(['open'])
  worker.runs(id, 1, 2)
  await serveNext(id)
  const refused = { ...serving, attempts: 1, last_error: 'host_not_isolated: open has not been probed yet' }
  expect(await worker.step(id)).toMatchObject(refused)
  expect(worker.ensured).toEqual(['open'])
  await isolate('open')
  await db.sql`update deploy_instances set next_attempt_at = now()`
  await worker.step(id)
  expect(worker.ensured).toEqual(['open', 'open'])
  await worker.close()
  await forget()
})

test('D-105: an instance that lacks memory on its host is placed on a host that has it', async () => {
  const worker = await someWorker(['one', 'full', 'free'])
  await isolate('one', 'full', 'free')
  const id = await someReplicated(['one', 'full'])
  worker.runs(id, 1, 2)
  await db.sql`update deploy_instances set endpoint_host = null, endpoint_port = null where deployment_id = ${id} and number = 2`
  await serveNext(id)
  // Another deployment gets more memory, which is reserved from the moment of its change.
  const other = await someReplicated(['full', 'one'])
  await db.sql`update deployments set memory_limit_mb = 600 where id = ${other}`
  expect(await worker.step(id)).toMatchObject({ host_server: 'free', attempts: 0 })
  await worker.step(id)
  expect(worker.ensured).toEqual(['free'])
  await worker.close()
  await forget()
})

test('D-105: a serving instance continues until a host has the memory for its successor, which is placed there', async () => {
  const worker = await someWorker(['one', 'full', 'free'])
  await isolate('one', 'full', 'free')
  const id = await someReplicated(['one', 'full'])
  worker.runs(id, 1, 2)
  worker.runs(id, 2, 1)
  await serveNext(id)
  const others = [await someReplicated(['full', 'free']), await someReplicated(['one', 'one'])]
  await db.sql`update deployments set memory_limit_mb = 600 where id = any(${others}::uuid[])`
  const last_error = 'no_capacity: Its container host has no room for more memory.'
  expect(await worker.step(id)).toMatchObject({ host_server: 'full', is_routed: true, attempts: 1, last_error })
  await db.sql`delete from deploy_instances where host_server = 'free'`
  await db.sql`update deploy_instances set next_attempt_at = now()`
  expect(await worker.step(id)).toMatchObject({ host_server: 'free', is_routed: false })
  expect(worker.ensured).toEqual([])
  await worker.close()
  await forget()
})

test('D-105, H20: an instance that ends repeatedly is set aside while others serve, and waits longer each time', async () => {
  const worker = await someWorker(['one', 'two'])
  const id = await someReplicated(['one', 'two'])
  worker.runs(id, 1, 1)
  worker.runs(id, 2, 1, 'restarting')
  for (const [at, seconds] of [10, 20, 40].entries()) {
    await db.sql`
      update deploy_instances
         set restart_times = array_fill(now(), array[5]), restarts_seen = 0, next_attempt_at = now(),
             endpoint_host = null, endpoint_port = null
       where deployment_id = ${id} and number = 2`
    const last_error = 'crash_loop: It ended 5 times within 300 seconds.'
    expect(await worker.step(id)).toMatchObject({ is_routed: false, attempts: at + 1, last_error })
    const [due] = await db.sql`
      select round(extract(epoch from next_attempt_at - now()))::integer as seconds
        from deploy_instances where deployment_id = ${id} and number = 2`
    expect(due).toEqual({ seconds })
  }
  expect(await shown(id)).toMatchObject({ status: 'running', health_status: 'healthy', ready_replicas: 1 })
  await worker.close()
  await forget()
})

test('D-105: an instance whose host does not answer gets no requests after half a minute, even if it is not placed on another host', async () => {
  const id = await someReplicated(['lost', 'kept'])
  const log = openLog('silent')
  let woken = 0
  const check = (replace_lost_seconds: number) =>
    unassignLost({ db, log, wake: () => woken++, timing: { ...default_timing, replace_lost_seconds } })
  await db.sql`
    insert into container_hosts (name, kind, reachable, seen_at)
    values ('kept', 'docker', true, now()), ('lost', 'docker', false, now() - interval '20 seconds')`
  await check(0)
  expect(await shown(id)).toMatchObject({ host_server: 'lost', ready_replicas: 2 })
  await db.sql`update container_hosts set seen_at = now() - interval '31 seconds' where name = 'lost'`
  await check(0)
  expect(await shown(id)).toMatchObject({
    host_server: 'kept',
    ready_replicas: 1,
    status: 'running',
    health_status: 'healthy',
  })
  // It stays on its host, and serves again once the host is back.
  expect((await instancesOf(id))[0]).toMatchObject({ host_server: 'lost', is_routed: false })
  expect(woken).toBe(0)
  await check(25)
  expect((await instancesOf(id))[0]).toMatchObject({ host_server: null, is_routed: false })
  expect(await shown(id)).toMatchObject({ status: 'running' })
  expect(woken).toBe(1)
  await forget()
})

test('D-105: a host that is in no worker’s settings counts as retired for every instance of a deployment', async () => {
  const id = await someReplicated(['gone', 'here'])
  const retired = await listRetiredHosts(db, { configured_hosts: ['here'], retired_seconds: 3600 })
  expect(retired).toEqual(['gone'])
  await leaveHosts(db, retired)
  expect(await shown(id)).toMatchObject({ host_server: 'here' })
  await forget()
})
