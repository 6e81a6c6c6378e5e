import { expect, test } from 'vitest'
import { firstAdmin } from '../../../server/test/harness.ts'
import { someContainerHost } from '../../../server/test/hosting-world.ts'
import { expectAccessible, startConsole, waitForHeading } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole({})

test('an admin sees which host is open, what its containers reach, and what to do', async () => {
  const { sql } = plaza.db
  await someContainerHost(plaza, { seen_seconds_ago: 5 })
  const found = [
    { what: 'metadata', address: '169.254.169.254', port: 80, answer: 'connected' },
    { what: 'host', address: 'gateway', port: 22, answer: 'refused' },
  ]
  await sql`update container_hosts set version = '20.10.24', memory_mb = 8192, millicores = 4000, hosts = 1`
  await sql`insert into host_notes (host, advice, limits) values ('somewhere', '{Set live-restore.}', '{}')`
  await sql`
    insert into host_isolation (host, node, state, found, reason)
    values ('somewhere', '', 'reachable', ${JSON.stringify(found)}::jsonb, null)`
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/hosts')
  await page.getByText('Nothing new starts here').waitFor()
  await page.getByText('Set live-restore.').waitFor()
  const lines = await page.getByRole('listitem').filter({ hasText: ':' }).allTextContents()
  expect(lines).toEqual([
    'the metadata address of the cloud: 169.254.169.254:80 accepts connections',
    'the host: gateway:22 is not blocked, though nothing listens',
  ])
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'All deployments' }).click()
  await waitForHeading(page, 'All deployments')
})
