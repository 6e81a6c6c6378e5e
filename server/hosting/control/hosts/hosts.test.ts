import { expect, test } from 'vitest'
import { sharedService } from '../../../test/harness.ts'
import { saveReachableHost, saveUnreachableHost } from './hosts.store.ts'
import { openIsolation } from './isolation.ts'
import { claimProbe, saveIsolation } from './isolation.store.ts'

const plaza = await sharedService()
const { db } = plaza
const policy = { refuse_unchecked: false, findTargets: () => Promise.reject(new Error('not used here')) }
const { requireIsolated } = openIsolation(db, policy)
const name = 'host1'
const report = { name, kind: 'docker', version: '1', memory_mb: 1024, millicores: 4000, hosts: 1 } as const
const answers = (is_first = false) => saveReachableHost(db, report, { is_first })
const isAway = () => saveUnreachableHost(db, { name, kind: 'docker', fault: 'unreachable', quiet_seconds: 0 })
/** The work of a worker that has claimed the probe. */
async function probe() {
  expect(await claimProbe(db, name, 90)).toBe(true)
  await saveIsolation(db, name, [{ host: name, node: '', state: 'isolated', found: [], reason: null }], 600)
}
const is_checked = 'host1 has not been probed yet'

test('D-113: a host that was away is probed again before anything new starts there, whichever worker finds it', async () => {
  await Promise.all([answers(true), answers(true)])
  await expect(requireIsolated(name)).rejects.toThrow(is_checked)
  await probe()
  await answers()
  await requireIsolated(name)
  expect(await claimProbe(db, name, 90)).toBe(false)
  // A probe while the host is away fails, and the next one would be due much later.
  await isAway()
  await requireIsolated(name)
  await Promise.all(Array.from({ length: 5 }, () => answers()))
  await expect(requireIsolated(name)).rejects.toThrow(is_checked)
  await probe()
  await Promise.all(Array.from({ length: 5 }, () => answers()))
  await requireIsolated(name)
})

test('D-113: a host that no worker has seen for a while is probed again by a worker that starts, but not by one that lost its database connection', async () => {
  const unseen = () => db.sql`update container_hosts set seen_at = now() - interval '5 minutes'`
  await unseen()
  await answers()
  await requireIsolated(name)
  await unseen()
  await answers(true)
  await expect(requireIsolated(name)).rejects.toThrow(is_checked)
  await probe()
  await answers(true)
  await requireIsolated(name)
})
