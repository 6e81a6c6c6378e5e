import { expect, test } from 'vitest'
import { startTestService } from '../../test/harness.ts'
import type { Observed } from '../engine/engine.ts'
import { openDriftScan, type HostObservation, type HostObservations } from './drift-scan.ts'

const plaza = await startTestService({ ROLES: 'api' })
const { db } = plaza

/** Stores deployments at rest, a few of them destroyed; answers the ids of the others, in order. */
async function atRest(many: number) {
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

const view = (ids: readonly string[], restarts = 0): HostObservations => {
  const instances = ids.map((id) => ({ id, generation: 1, restarts }) as Observed)
  const seen: HostObservation = {
    all: instances,
    by_deployment: new Map(instances.map((instance) => [instance.id, [instance]])),
  }
  return new Map([['host1', seen]])
}

test('a sweep reads a bounded page beside what changed; in turn it looks at all, and at changes at once', async () => {
  const ids = await atRest(3_125)
  expect(ids).toHaveLength(2_500)
  const round = openDriftScan(db)
  const looked = async (views: HostObservations) => (await round.next(views)).map(({ id }) => id)
  const last = ids.at(-1)!
  const pages = [await looked(view([])), await looked(view([])), await looked(view([]))]
  expect(pages.map(({ length }) => length)).toEqual([1_000, 1_000, 500])
  expect(pages.flat()).toEqual(ids)
  expect(await looked(view([last]))).toEqual([...ids.slice(0, 1_000), last])
  expect(await looked(view([last]))).not.toContain(last)
  expect(await looked(view([last]))).toContain(last)
  expect(await looked(view([last], 1))).toEqual([...ids.slice(0, 1_000), last])
  const first = ids[0]!
  expect(await looked(view([]))).toEqual([...ids.slice(1_000, 2_000), last])
  // What is worked on is looked at again until it is not.
  await db.sql`update deployments set lease_until = now() + interval '1 hour' where id = ${first}`
  expect(await looked(view([first]))).toContain(first)
  await looked(view([first]))
  expect(await looked(view([first]))).toContain(first)
  expect(await looked(view([first]))).toContain(first)
  await db.sql`update deployments set lease_until = null where id = ${first}`
  expect(await looked(view([first]))).toContain(first)
  // A host that was out of reach: all that it runs is new.
  await looked(new Map([['host1', undefined]]))
  expect(await looked(view([last]))).toContain(last)
})
