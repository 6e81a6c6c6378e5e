import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { package_root } from '../platform/package.ts'
import { openFaultProxy } from './fault-proxy.ts'
import { freePort } from './free-port.ts'
import { databaseNameOf, startTestService } from './harness.ts'
import { apiProcess, startMain, startProcess } from './processes.ts'
import { waitUntil } from './wait.ts'

const has_prometheus = spawnSync('prometheus', ['--version']).status === 0
if (!has_prometheus && process.env.CI === 'true')
  throw new Error('The drill of alerts needs Prometheus (Debian: prometheus).')
if (!has_prometheus) process.stderr.write('Left out: the drill of alerts needs Prometheus (Debian: prometheus).\n')

const plaza = await startTestService()

interface PrometheusConfig {
  global: Record<string, string>
  scrape_configs: { job_name: string; dns_sd_configs?: unknown; static_configs?: { targets: string[] }[] }[]
}
interface Rules {
  groups: { rules: { alert: string; for?: string }[] }[]
}

const ours = <Content>(name: string) =>
  parse(readFileSync(join(package_root, 'deploy/prometheus', name), 'utf8')) as Content

/** Our configuration with these processes instead of the service discovery, and our rules with these alerts firing after 3 s. */
function writeConfig(folder: string, targets: Record<string, string>, hurried: readonly string[]) {
  const config = ours<PrometheusConfig>('prometheus.yml')
  Object.assign(config.global, { scrape_interval: '5s', scrape_timeout: '5s', evaluation_interval: '1s' })
  config.scrape_configs = config.scrape_configs.flatMap(({ job_name }) => {
    const target = targets[job_name]
    return target === undefined ? [] : [{ job_name, static_configs: [{ targets: [target] }] }]
  })
  const rules = ours<Rules>('alerts.yml')
  for (const rule of rules.groups.flatMap((group) => group.rules)) if (hurried.includes(rule.alert)) rule.for = '3s'
  writeFileSync(join(folder, 'prometheus.yml'), stringify(config))
  writeFileSync(join(folder, 'alerts.yml'), stringify(rules))
  return rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert))
}

/** Starts Prometheus; returns functions that query its HTTP API. */
async function startPrometheus(folder: string) {
  const address = `127.0.0.1:${await freePort()}`
  const files = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
  const started = startProcess('prometheus', [...files, `--web.listen-address=${address}`, '--log.level=warn'], {})
  onTestFinished(async () => {
    started.child.kill('SIGKILL')
    await started.ended
  })
  /** The data of an answer; undefined while Prometheus does not answer. */
  async function ask<Data>(path: string, query: Record<string, string> = {}): Promise<Data | undefined> {
    if (started.child.exitCode !== null) throw new Error(`Prometheus ended: ${started.stderr()}`)
    const reply = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(query).toString()}`).catch(
      () => undefined,
    )
    return reply?.ok ? ((await reply.json()) as { data: Data }).data : undefined
  }
  /** The values of an expression, by the label `job`. */
  async function valuesOf(expression: string) {
    const found = await ask<{ result: { metric: { job?: string }; value: [number, string] }[] }>('query', {
      query: expression,
    })
    return Object.fromEntries((found?.result ?? []).map(({ metric, value }) => [metric.job ?? '', value[1]]).sort())
  }
  return { ask, valuesOf }
}

interface Process {
  child: { kill(signal: NodeJS.Signals): boolean }
  target: string
}

async function startRole(ROLES: string, database_url: string): Promise<Process> {
  const [port, metrics_port] = [await freePort(), await freePort()]
  const env = { ...apiProcess(await databaseNameOf(plaza), { port, public_url: plaza.url }), ROLES }
  const { child, ended } = startMain([], { ...env, DATABASE_URL: database_url, METRICS_PORT: String(metrics_port) })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, target: `127.0.0.1:${metrics_port}` }
}

const poll = { interval_ms: 250 }

test.runIf(has_prometheus)(
  'a running Prometheus loads our rules, scrapes the processes, and its alerts fire when the database or a process is lost, and end after it',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plaza-prometheus-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const proxy = await openFaultProxy(plaza)
    const [api, worker] = await Promise.all(['api', 'worker'].map((role) => startRole(role, proxy.database_url)))
    const targets = { api: api?.target ?? '', worker: worker?.target ?? '' }
    const alerts = writeConfig(folder, targets, ['PlazaDown', 'PlazaNotReady'])
    const { ask, valuesOf } = await startPrometheus(folder)
    const until = (expression: string, wanted: Record<string, string>) =>
      waitUntil(
        async () => JSON.stringify(await valuesOf(expression)) === JSON.stringify(wanted),
        `${JSON.stringify(wanted)} for ${expression}`,
        poll,
      )
    const firing = (alert: string) => `ALERTS{alertname="${alert}",alertstate="firing"}`
    const was = (alert: string, state: string) =>
      valuesOf(`max by (job) (max_over_time(ALERTS{alertname="${alert}",alertstate="${state}"}[10m]))`)

    await until('sum by (job) (plaza_ready)', { api: '1', worker: '1' })
    await until('up', { api: '1', worker: '1' })
    const loaded = await ask<{ groups: { rules: { name: string; health: string }[] }[] }>('rules')
    const rules = loaded?.groups.flatMap((group) => group.rules) ?? []
    expect(rules.map(({ name }) => name)).toEqual(alerts)
    await waitUntil(async () => {
      const now = await ask<typeof loaded>('rules')
      return now?.groups.flatMap((group) => group.rules).every(({ health }) => health === 'ok') ?? false
    }, 'the evaluation of every rule')

    proxy.refuseAll()
    await waitUntil(async () => 'api' in (await valuesOf(firing('PlazaNotReady'))), 'PlazaNotReady', poll)
    expect(await was('PlazaNotReady', 'pending')).toMatchObject({ api: '1' })
    const listed = await ask<{ alerts: { labels: Record<string, string>; annotations: object; state: string }[] }>(
      'alerts',
    )
    expect(listed?.alerts).toContainEqual(
      expect.objectContaining({
        state: 'firing',
        labels: expect.objectContaining({ alertname: 'PlazaNotReady', job: 'api', severity: 'critical' }),
        annotations: { summary: `api ${targets.api} takes no work` },
      }),
    )

    proxy.acceptNew()
    await until(firing('PlazaNotReady'), {})
    await until('sum by (job) (plaza_ready)', { api: '1', worker: '1' })

    worker?.child.kill('SIGKILL')
    await until(firing('PlazaDown'), { worker: '1' })
    expect(await was('PlazaDown', 'pending')).toMatchObject({ worker: '1' })
  },
)
