import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { scrape } from '../test/metrics.ts'
import { apiProcess, startMain } from '../test/processes.ts'
import { isOk, waitUntil } from '../test/wait.ts'

const plaza = await startTestService()

test('with PROCESSES, one port shows the series of all processes, added up', async () => {
  const [port, metrics_port] = [await freePort(), await freePort()]
  const started = startMain([], {
    ...apiProcess(await databaseNameOf(plaza), { port, public_url: plaza.url }),
    PROCESSES: '2',
    METRICS_PORT: String(metrics_port),
  })
  onTestFinished(async () => {
    started.child.kill('SIGINT')
    await started.ended
  })
  const url = `http://127.0.0.1:${port}`
  const address = `http://127.0.0.1:${metrics_port}/metrics`
  const least = (name: string) =>
    scrape(address).then(
      (shown) => shown.get(name),
      () => undefined,
    )
  await waitUntil(() => isOk(`${url}/readyz`), 'the service', { interval_ms: 100 })
  // The second process has started too, or the sum of its start times would not be there.
  const processes = 'plaza_db_connections{pool="shared",state="idle"}'
  await waitUntil(async () => (await least(processes)) !== undefined, 'the metrics', { interval_ms: 100 })
  // Of both processes the least value stands for all.
  await waitUntil(async () => (await least('plaza_ready')) === 1, 'both processes', { interval_ms: 100 })

  const series = 'plaza_http_requests_total{route="/livez",method="GET",status="200"}'
  const before = (await scrape(address)).get(series) ?? 0
  // Each call on a connection of its own: the primary hands connections to its processes in turn.
  for (let call = 0; call < 8; call++) await fetch(`${url}/livez`, { headers: { connection: 'close' } })
  const after = await scrape(address)
  expect((after.get(series) ?? 0) - before).toBe(8)
  await waitUntil(async () => (await least('plaza_ready')) === 1, 'both processes, still', { interval_ms: 100 })
  expect(after.get('plaza_listener_connected{listener="plaza-events"}')).toBe(1)
})
