import { expect, test } from 'vitest'
import { listContainerHosts } from '../../contract/admin-deployments.ts'
import { startTestService } from '../test/harness.ts'
import { someContainerHost } from '../test/hosting-world.ts'
import { theAdmin } from '../test/world.ts'
import { hosting_settings } from '../test/settings.ts'

const plaza = await startTestService(hosting_settings)
const admin = await theAdmin(plaza)
const list = async () => (await admin.api.result(listContainerHosts)).hosts

test('D-113: an admin sees each host with its missing features and what its containers can reach', async () => {
  expect(await list()).toEqual([])
  await someContainerHost(plaza, { seen_seconds_ago: 5 })
  const known = {
    name: 'somewhere',
    kind: 'docker',
    reachable: true,
    fault: null,
    version: null,
    memory_mb: null,
    millicores: null,
    machines: null,
    deployments: 0,
    seen_at: expect.any(String) as string,
    advice: [],
    limits: [],
    isolation: [],
  }
  expect(await list()).toEqual([known])
  const found = [{ what: 'metadata', address: '169.254.169.254', port: 80, answer: 'connected' }]
  const { sql } = plaza.db
  await sql`insert into host_notes (host, advice, limits) values ('somewhere', '{Change this.}', '{It cannot fly.}')`
  await sql`
    insert into host_isolation (host, node, state, found, reason)
    values ('somewhere', '', 'reachable', ${JSON.stringify(found)}::jsonb, null),
           ('elsewhere', '', 'isolated', '[]', null)`
  expect(await list()).toEqual([
    {
      ...known,
      advice: ['Change this.'],
      limits: ['It cannot fly.'],
      isolation: [{ node: null, state: 'reachable', found, reason: null, checked_at: expect.stringMatching(/Z$/) }],
    },
  ])
  // A host that no worker has reported for a day is removed from the list.
  await sql`update container_hosts set asked_at = now() - interval '25 hours'`
  expect(await list()).toEqual([])
})
