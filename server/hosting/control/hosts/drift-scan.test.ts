import { expect, test } from 'vitest'
import { startTestService } from '../../../test/harness.ts'
import type { Observed } from '../../engine/engine.ts'
import { openDriftScan, type HostObservation, type HostObservations } from './drift-scan.ts'

const plaza = await startTestService({ ROLES: 'api' })
const { db } = plaza

/** Inserts stopped deployments, one in five destroyed; returns the ids of the others, in order. */
async function insertStopped(many: number) {
  const rows = await db.sql<{ id: string; status: string }>`
    insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port,
                             sealed_env, memory_limit_mb, cpu_limit_millicores, status, desired, host_server,
                             next_attempt_at, inserted_at)
    select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), id, 'c', 'i', 'site' || n, 3000, '', 128, 250,
           case when n % 5 = 0 then 'destroyed' else 'stopped' end, 'stopped', 'host1', 'infinity', now()
      from deploy_tiers, generate_series(1, ${many}::integer) n where slug = 'starter'
    returning id, status`
  return rows.flatMap(({ id, status }) => (status === 'destroyed' ? [] : [id])).sort()
}

const observationOf = (ids: readonly string[], restarts = 0): HostObservations => {
  const instances = ids.map((id) => ({ id, generation: 1, restarts }) as Observed)
  const observation: HostObservation = {
    all: instances,
    by_deployment: new Map(instances.map((instance) => [instance.id, [instance]])),
  }
  return new Map([['host1', observation]])
}

test('a check reads one page and all changed deployments; page after page it reads all', async () => {
  const ids = await insertStopped(3_125)
  expect(ids).toHaveLength(2_500)
  const scan = openDriftScan(db)
  const checked = async (observations: HostObservations) => (await scan.next(observations)).map(({ id }) => id)
  const last = ids.at(-1)!
  const pages = [await checked(observationOf([])), await checked(observationOf([])), await checked(observationOf([]))]
  expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 500])
  expect(pages.flat()).toEqual(ids)
  expect(await checked(observationOf([last]))).toEqual([...ids.slice(0, 1_000), last])
  expect(await checked(observationOf([last]))).not.toContain(last)
  expect(await checked(observationOf([last]))).toContain(last)
  expect(await checked(observationOf([last], 1))).toEqual([...ids.slice(0, 1_000), last])
  const first = ids[0]!
  expect(await checked(observationOf([]))).toEqual([...ids.slice(1_000, 2_000), last])
  // A leased deployment is checked again until it is released.
  await db.sql`update deployments set lease_until = now() + interval '1 hour' where id = ${first}`
  expect(await checked(observationOf([first]))).toContain(first)
  await checked(observationOf([first]))
  expect(await checked(observationOf([first]))).toContain(first)
  expect(await checked(observationOf([first]))).toContain(first)
  await db.sql`update deployments set lease_until = null where id = ${first}`
  expect(await checked(observationOf([first]))).toContain(first)
  // After a failed observation of a host, all its instances count as changed.
  await checked(new Map([['host1', undefined]]))
  expect(await checked(observationOf([last]))).toContain(last)
})
