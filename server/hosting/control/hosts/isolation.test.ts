import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../../platform/log.ts'
import { package_root } from '../../../platform/package.ts'
import { startTestService } from '../../../test/harness.ts'
import { waitUntil } from '../../../test/wait.ts'
import type { ProbeFinding } from '../../engine/engine.ts'
import type { Host } from './hosts.ts'
import { startIsolationProbes } from './isolation.ts'
import { default_timing } from '../timing.rules.ts'

const plaza = await startTestService({ ROLES: 'api' })
const { db } = plaza

test('D-113: a host that is not isolated is probed again after 5 s, 10 s and so on up to a minute; an isolated one after ten minutes', async () => {
  let found: ProbeFinding[] = [{ what: 'metadata', address: '169.254.169.254', port: 80, answer: 'connected' }]
  let probes = 0
  const probe = async () => {
    probes++
    return [{ node: null, failure: null, found }]
  }
  const running = startIsolationProbes({
    db,
    log: openLog('silent'),
    hosts: { all: [{ name: 'one', engine: { probe } } as unknown as Host] },
    timing: { ...default_timing, isolation_poll_seconds: 0.05 },
    isolation: { refuse_unchecked: false, findTargets: async () => ({ targets: [], allowed: new Set<string>() }) },
    wake: () => {},
  })
  onTestFinished(running.stop)
  /** The rounded seconds until the probe after the given one, which is then made due. */
  async function waitAfter(number: number) {
    const read = async () =>
      (
        await db.sql<{ seconds: number; is_saved: boolean }>`
          select extract(epoch from due_at - now())::float8 as seconds,
                 exists (select from host_isolation i where i.host = p.host) as is_saved
            from host_probes p where host = 'one'`
      )[0]
    let seconds = 0
    await waitUntil(async () => {
      // Before the row is read: a row that was read before the probe began is still due.
      if (probes !== number) return false
      const row = await read()
      seconds = row?.seconds ?? 0
      // During a probe, the next one is due when this one must have ended.
      return row?.is_saved === true && Math.abs(seconds - default_timing.isolation_probe_seconds) > 5
    })
    await db.sql`update host_probes set due_at = now() where host = 'one'`
    return seconds
  }
  for (const [at, expected] of [5, 10, 20, 40, 60, 60].entries()) {
    const seconds = await waitAfter(at + 1)
    expect([at, seconds > expected - 5 && seconds <= expected]).toEqual([at, true])
  }
  found = []
  expect(await waitAfter(7)).toBeGreaterThan(500)
  found = [{ what: 'host', address: '10.0.0.1', port: 22, answer: 'refused' }]
  expect(await waitAfter(8)).toBeLessThanOrEqual(5)
})

test('D-113: the firewall is loaded before an engine starts, and no engine starts without it', async () => {
  const unit = await readFile(join(package_root, 'deploy/plaza-firewall.service'), 'utf8')
  expect(unit).toMatch(/^Before=docker\.service podman\.service/m)
  expect(unit).toMatch(/^RequiredBy=docker\.service podman\.service$/m)
  expect(unit).toMatch(/^RemainAfterExit=yes$/m)
})
