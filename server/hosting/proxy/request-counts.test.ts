import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../platform/log.ts'
import { openDatabase } from '../../platform/postgres/database.ts'
import { freePort } from '../../test/free-port.ts'
import { startTestService } from '../../test/harness.ts'
import { putDeployment, requestHost, sendRaw, startUpstream, untilRouterIdle } from '../../test/router.ts'
import { slotOf } from '../measuring.rules.ts'
import { openRequestCounts } from './request-counts.ts'
import { local_router } from '../../test/settings.ts'

const plaza = await startTestService({ ROLES: 'api' })
const log = openLog('silent')

interface Row {
  at: Date
  status_2xx: number
  status_3xx: number
  status_4xx: number
  status_5xx: number
  latencies: number[]
}
const rowsOf = (id: string) =>
  plaza.db.sql<Row>`
    select at, status_2xx, status_3xx, status_4xx, status_5xx, latencies from deploy_requests where deployment_id = ${id} order by at`
const total = (latencies: readonly number[] = []) => latencies.reduce((sum, count) => sum + count, 0)

test('D-104: two routers count the requests of a deployment by class of the status, and their counts are summed', async () => {
  const routers = [await plaza.startAnother(local_router), await plaza.startAnother(local_router)]
  const upstream = await startUpstream((req, res) => {
    if (req.url === '/gone') return void req.socket.destroy()
    res.writeHead(Number(req.url?.slice(1)))
    res.end(() => {})
  })
  const { id, host } = await putDeployment(routers[0]!, { endpoint_port: upstream.port })
  const { id: stopped, host: stopped_host } = await putDeployment(routers[1]!, {
    status: 'stopped',
    desired: 'stopped',
  })
  await putDeployment(routers[1]!, { endpoint_port: upstream.port })
  for (const router of routers) {
    for (const status of [200, 204, 301, 404, 500]) await requestHost(router, host, { path: `/${status}` })
    // The router answers instead of the container.
    expect((await requestHost(router, host, { path: '/gone', method: 'POST' })).status).toBe(502)
    expect((await requestHost(router, stopped_host)).status).toBe(503)
    expect((await requestHost(router, 'nobody.apps.localhost')).status).toBe(404)
    await sendRaw(router, 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n')
    await untilRouterIdle(router)
  }
  const at = slotOf(plaza.clock.now())
  await Promise.all(routers.map(({ service }) => service.stop()))
  const [row, ...others] = await rowsOf(id)
  expect(others).toEqual([])
  expect(row).toMatchObject({ at, status_2xx: 4, status_3xx: 2, status_4xx: 2, status_5xx: 4 })
  expect(row?.latencies).toHaveLength(14)
  expect(total(row?.latencies)).toBe(12)
  expect(await rowsOf(stopped)).toMatchObject([{ status_2xx: 0, status_5xx: 2 }])
  expect(await plaza.db.sql`select 1 from deploy_requests`).toHaveLength(2)
})

test('D-104: counts wait while the database is away, are bounded, and are dropped when they are old', async () => {
  const dead = openDatabase({
    connection: { connectionString: `postgresql://nobody@127.0.0.1:${await freePort()}/none` },
    log,
    pool_size: 1,
    pipelines: 1,
  })
  onTestFinished(() => dead.close())
  const id = '01890000-0000-7000-8000-000000000001'
  const lost = openRequestCounts({ db: dead, clock: plaza.clock.now, log })
  onTestFinished(() => lost.close())
  lost.count(id, 200, 3)
  lost.count(id, 200, 3)
  await lost.flush()
  expect(lost.waiting()).toBe(1)
  lost.count(id, 404, 3)
  expect(lost.waiting()).toBe(1)
  plaza.clock.advance(300)
  lost.count(id, 200, 3)
  await lost.flush()
  expect(lost.waiting()).toBe(2)
  plaza.clock.advance(400)
  await lost.flush()
  expect(lost.waiting()).toBe(1)
  for (let number = 0; number < 25_000; number++) lost.count(`deployment ${number}`, 200, 1)
  expect(lost.waiting()).toBe(20_000)
})

test('D-104: counts that could not be written are written with later ones, once the database is available', async () => {
  const blocker = new pg.Client({ connectionString: String(plaza.db.pool.options.connectionString) })
  await blocker.connect()
  await blocker.query('begin; lock table deploy_requests')
  const id = '01890000-0000-7000-8000-000000000002'
  const counts = openRequestCounts({ db: plaza.db, clock: plaza.clock.now, log })
  counts.count(id, 200, 3)
  counts.count(id, 503, 30_000)
  await counts.flush()
  counts.count(id, 101, 3)
  expect(counts.waiting()).toBe(1)
  await blocker.end()
  await counts.close()
  expect(await rowsOf(id)).toMatchObject([
    { status_2xx: 2, status_5xx: 1, latencies: [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
  ])
})
