import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { allMetrics } from '../platform/metrics/metrics.ts'
import { package_root } from '../platform/package.ts'
// Loads every module that defines a metric.
import '../processes/start.ts'
import { tokensOf } from './guide.ts'

const folder = join(package_root, 'deploy/prometheus')
const text = (path: string) => readFileSync(join(package_root, path), 'utf8')
const rules = parse(text('deploy/prometheus/alerts.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] }
const alerts = rules.groups.flatMap((group) => group.rules)

const has_promtool = spawnSync('promtool', ['--version']).status === 0
if (!has_promtool && process.env.CI === 'true')
  throw new Error('The tests of alerts need promtool (Debian: prometheus).')
if (!has_promtool) process.stderr.write('Left out: the tests of alerts need promtool (Debian: prometheus).\n')

const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
  return { status, output: status === 0 ? '' : stdout + stderr }
}

test.runIf(has_promtool)('Prometheus accepts the configuration and the rules', () => {
  expect(promtool('check', 'config', 'prometheus.yml')).toEqual({ status: 0, output: '' })
  expect(promtool('check', 'rules', 'alerts.yml')).toEqual({ status: 0, output: '' })
})

test.runIf(has_promtool)('each alert fires when it should, and is quiet when it should not', () => {
  expect(promtool('test', 'rules', 'alerts.test.yml')).toEqual({ status: 0, output: '' })
})

test('each alert is tested firing and quiet', () => {
  const { tests } = parse(text('deploy/prometheus/alerts.test.yml')) as { tests: { name: string }[] }
  expect(tests.map(({ name }) => name)).toEqual(alerts.flatMap(({ alert }) => [`${alert} fires`, `${alert} is quiet`]))
})

test('each alert has its section in the guide', () => {
  const sections = tokensOf(text('docs/operating/alerts.md')).flatMap((token) =>
    token.type === 'heading' && token.depth === 2 ? [String(token.text)] : [],
  )
  expect(sections).toEqual(alerts.map(({ alert }) => alert))
})

test('alerts and dashboard name only series that exist', () => {
  const known = new Set(
    allMetrics().flatMap(({ kind, options: { name } }) =>
      kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const dashboard = JSON.parse(text('deploy/grafana/dashboard.json')) as { panels: { targets?: { expr: string }[] }[] }
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  expect(queries.length).toBeGreaterThan(20)
  const named = [...alerts.map(({ expr }) => expr), ...queries].flatMap((expr) => expr.match(/\bplaza_[a-z_]+/g) ?? [])
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
