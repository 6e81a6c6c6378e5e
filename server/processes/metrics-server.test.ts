import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { allMetrics, histogram } from '../platform/metrics/metrics.ts'
import { runGuide } from '../test/guide.ts'
import { startTestService } from '../test/harness.ts'
import { scrape } from '../test/metrics.ts'
import { waitUntil } from '../test/wait.ts'

const plaza = await startTestService({ METRICS_PORT: '0' })
const { metrics_address = '' } = plaza.service

test('GET /metrics answers in Prometheus’s text format on its own port, on the loopback interface', async () => {
  expect(metrics_address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  const response = await fetch(metrics_address)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const text = await response.text()
  expect(text).toContain('# TYPE plaza_http_requests_total counter\n')
  expect(text).toContain('# TYPE process_cpu_seconds_total counter\n')
  expect(text).toContain('# TYPE nodejs_eventloop_lag_p99_seconds gauge\n')
})

test('the API does not serve metrics, and the port of the metrics serves nothing else', async () => {
  expect((await fetch(`${plaza.url}/metrics`)).headers.get('content-type')).not.toContain('version=0.0.4')
  const other = await fetch(metrics_address.replace('/metrics', '/health'))
  expect([other.status, await other.text()]).toEqual([404, 'GET /metrics\n'])
  const posted = await fetch(metrics_address, { method: 'POST' })
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
})

test('without METRICS_PORT there is no port for metrics', async () => {
  const another = await plaza.startAnother({ METRICS_PORT: undefined })
  expect(another.service.metrics_address).toBeUndefined()
})

test('METRICS_PORT is taken: the start is refused with a sentence that names the setting', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await expect(plaza.startAnother({ METRICS_PORT: String(port) })).rejects.toThrow(
    `Port ${port} of 127.0.0.1 is used by another program, perhaps another Plaza: stop it, or set METRICS_PORT to another port (EADDRINUSE).`,
  )
})

test('names follow Prometheus’s rules: a counter ends in _total, a histogram in its unit', () => {
  for (const { kind, options } of allMetrics()) {
    expect(options.name).toMatch(/^plaza_[a-z][a-z0-9_]*$/)
    expect([options.name, options.name.endsWith('_total')]).toEqual([options.name, kind === 'counter'])
    if (kind === 'histogram') expect(options.name).toMatch(/_(seconds|size)$/)
    for (const label of Object.keys(options.labels ?? {})) expect(label).toMatch(/^[a-z_]+$/)
  }
})

test('the guide’s command shows the series', async () => {
  const runCommand = () =>
    runGuide('metrics.md', 'scrape', {}, { replace: { 'http://127.0.0.1:9464/metrics': metrics_address } })
  // On a busy machine a check may exceed its timeout, so that the process is not ready for a while.
  await waitUntil(
    async () => {
      const { code, stdout } = await runCommand()
      expect([code, stdout]).toEqual([0, expect.stringMatching(/\nplaza_ready [01]\n/)])
      return stdout.includes('\nplaza_ready 1\n')
    },
    'plaza_ready 1',
    { interval_ms: 500 },
  )
  await waitUntil(async () => (await scrape(metrics_address)).get('plaza_ready') === 1, 'plaza_ready as a series')
})

test('a histogram with labels has no series before its first observation; one without labels has them from the start', () => {
  const labelled = histogram({ name: 'plaza_test_labelled_seconds', help: 'x', labels: { route: 'x' } })
  const plain = histogram({ name: 'plaza_test_plain_seconds', help: 'x' })
  const used = labelled.with({ route: '/used' })
  labelled.with({ route: '/unused' })
  expect([labelled.samples(), plain.samples().length > 0]).toEqual([[], true])
  used.observe(1)
  expect(new Set(labelled.samples().map(({ labels }) => labels.route))).toEqual(new Set(['/used']))
})
