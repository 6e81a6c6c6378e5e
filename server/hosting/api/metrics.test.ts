import { expect, test } from 'vitest'
import { getDeploymentMetrics } from '../../../contract/deployment-metrics.ts'
import { sharedService } from '../../test/harness.ts'
import { observeStatus, sendAs, someContainerHost, someDeploymentOf, someHostingApp } from '../../test/hosting-world.ts'
import { refused } from '../../test/refusals.ts'
import { insertSamples } from '../control/metrics/samples.store.ts'
import { slotOf } from '../measuring.rules.ts'
import { addRequestCounts } from '../proxy/request-counts.store.ts'
import { addUpHours, purgeMetrics } from './metrics.service.ts'
import { long_lifetimes } from '../../test/settings.ts'

const plaza = await sharedService(long_lifetimes)
await someContainerHost(plaza)
const app = await someHostingApp(plaza)
const { db } = plaza
const deps = { db, clock: plaza.clock.now }
const ago = (seconds: number) => new Date(plaza.clock.now().getTime() - seconds * 1000)

const sample = (deployment_id: string, memory_bytes: number, millicores: number | null, replica = 1) => ({
  deployment_id,
  replica,
  memory_bytes,
  millicores,
  received_bytes: millicores === null ? null : 10,
  sent_bytes: millicores === null ? null : 20,
})
const counts = (deployment_id: string, at: Date, latency_place = 3) => ({
  deployment_id,
  at,
  statuses: [4, 3, 2, 1] as [number, number, number, number],
  latencies: Array.from({ length: 14 }, (_, place) => (place === latency_place ? 10 : 0)),
})
const metricsOf = async (id: string, period?: '24h' | '30d') => {
  plaza.clock.advance(3)
  return app.api.result(getDeploymentMetrics, { params: { id }, query: period ? { period } : {} })
}
/** Moves the clock to the middle of an interval, so that a test of a few seconds stays within it. */
function moveTo(step_seconds: number) {
  const past = (plaza.clock.now().getTime() / 1000) % step_seconds
  plaza.clock.advance(step_seconds - past + step_seconds / 2)
}
const rowsIn = async () => {
  const [row] = await db.sql<Record<string, number>>`
    select (select count(*)::integer from deploy_samples) as samples, (select count(*)::integer from deploy_requests) as requests,
           (select count(*)::integer from deploy_sample_hours) as sample_hours,
           (select count(*)::integer from deploy_request_hours) as request_hours`
  return row
}

test('D-104: a day has data points of five minutes by replica, with the limits; empty intervals have none', async () => {
  const id = await someDeploymentOf(plaza, app)
  moveTo(300)
  const empty = await metricsOf(id)
  expect(empty).toMatchObject({
    period: '24h',
    step_seconds: 300,
    memory_limit_mb: 128,
    cpu_limit_millicores: 250,
    replicas: [],
    requests: [],
  })
  expect(new Date(empty.to).getTime() - new Date(empty.from).getTime()).toBe(24 * 3_600_000)
  const [earlier, slot] = [slotOf(ago(3_600)), slotOf(ago(30))]
  await insertSamples(db, earlier, [sample(id, 100, null)])
  await insertSamples(db, slot, [sample(id, 200, 50), sample(id, 900, 1, 2)])
  await insertSamples(db, slotOf(ago(15)), [sample(id, 400, 150)])
  // A second worker does not overwrite the sample of the first.
  await insertSamples(db, slot, [sample(id, 9_999, 9_999)])
  await insertSamples(db, slotOf(ago(25 * 3_600)), [sample(id, 7, 7)])
  await Promise.all([1, 2].map(() => addRequestCounts(db, [counts(id, slot)])))
  await addRequestCounts(db, [counts(id, slotOf(ago(15)), 6)])

  const { replicas, requests } = await metricsOf(id)
  const at = expect.any(String) as string
  const none = { millicores: null, millicores_max: null, received_bytes: null, sent_bytes: null }
  expect(replicas).toEqual([
    {
      replica: 1,
      points: [
        { at, memory_bytes: 100, memory_bytes_max: 100, ...none },
        {
          at,
          memory_bytes: 300,
          memory_bytes_max: 400,
          millicores: 100,
          millicores_max: 150,
          received_bytes: 20,
          sent_bytes: 40,
        },
      ],
    },
    { replica: 2, points: [expect.objectContaining({ memory_bytes: 900, millicores: 1 })] },
  ])
  expect(requests).toEqual([
    { at, total: 30, status_2xx: 12, status_3xx: 9, status_4xx: 6, status_5xx: 3, p50_ms: 8.8, p95_ms: 92.5 },
  ])
  expect(replicas[0]?.points.map((point) => new Date(point.at).getTime() % 300_000)).toEqual([0, 0])
})

test('D-104: a month has data points of three complete hours, added up once however often the job runs', async () => {
  const id = await someDeploymentOf(plaza, app)
  moveTo(3 * 3_600)
  const hour = Math.floor(ago(3_600).getTime() / 3_600_000) * 3_600_000
  for (const [second, memory] of [
    [0, 100],
    [15, 300],
  ] as const)
    await insertSamples(db, new Date(hour + second * 1000), [sample(id, memory, memory)])
  await addRequestCounts(db, [counts(id, new Date(hour)), counts(id, new Date(hour + 15_000))])
  // The current hour.
  await insertSamples(db, slotOf(ago(15)), [sample(id, 5_000, 5_000)])
  await Promise.all([addUpHours(deps), addUpHours(deps)])
  // Late counts of a router that could not reach the database are included.
  await addRequestCounts(db, [counts(id, new Date(hour + 30_000))])
  await addUpHours(deps)
  const { replicas, requests, step_seconds } = await metricsOf(id, '30d')
  expect(step_seconds).toBe(10_800)
  expect(replicas).toEqual([
    {
      replica: 1,
      points: [
        {
          at: expect.any(String) as string,
          memory_bytes: 200,
          memory_bytes_max: 300,
          millicores: 200,
          millicores_max: 300,
          received_bytes: 20,
          sent_bytes: 40,
        },
      ],
    },
  ])
  expect(requests).toMatchObject([{ total: 30, status_2xx: 12, p50_ms: 7.5 }])
})

test('D-104: at most 288 points of a day and 240 of a month, however much was measured', async () => {
  const id = await someDeploymentOf(plaza, app)
  await db.sql`
    insert into deploy_samples (deployment_id, at, memory_bytes, millicores)
    select ${id}::uuid, date_bin('15 seconds', ${plaza.clock.now()}::timestamptz, 'epoch') - n * interval '15 seconds', 1, 1
      from generate_series(0, 25 * 240) n`
  await db.sql`
    insert into deploy_request_hours
    select ${id}::uuid, date_bin('1 hour', ${plaza.clock.now()}::timestamptz, 'epoch') - n * interval '1 hour', 1, 1, 1, 1, array_fill(1::bigint, array[14])
      from generate_series(1, 31 * 24) n`
  expect((await metricsOf(id)).replicas[0]?.points).toHaveLength(288)
  expect((await metricsOf(id, '30d')).requests.length).toBeLessThanOrEqual(240)
})

test('D-104: expired samples are deleted in batches, after they were added up', async () => {
  const id = await someDeploymentOf(plaza, app)
  await db.sql`delete from deploy_samples`
  await db.sql`delete from deploy_requests`
  for (const seconds of [15, 24 * 3_600, 26 * 3_600, 26 * 3_600 + 15, 26 * 3_600 + 30]) {
    await insertSamples(db, slotOf(ago(seconds)), [sample(id, 1, 1)])
    await addRequestCounts(db, [counts(id, slotOf(ago(seconds)))])
  }
  const before = await rowsIn()
  await purgeMetrics(deps, { rows_max: 2 })
  expect(await rowsIn()).toMatchObject({ samples: 2, requests: 2, sample_hours: before?.sample_hours })
  plaza.clock.advance(32 * 86_400)
  await purgeMetrics(deps, { rows_max: 1_000 })
  expect(await rowsIn()).toEqual({ samples: 0, requests: 0, sample_hours: 0, request_hours: 0 })
})

test('D-104: the metrics of a destroyed deployment are 404', async () => {
  const id = await someDeploymentOf(plaza, app)
  await observeStatus(plaza, id, 'destroyed')
  expect(await sendAs(plaza, app, 'GET', `/${id}/metrics`)).toEqual(refused('not_found'))
})
