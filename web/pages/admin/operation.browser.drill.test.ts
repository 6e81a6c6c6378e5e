import { expect, test } from 'vitest'
import { listAudit } from '../../../contract/admin-audit.ts'
import { createHold } from '../../../contract/payments.ts'
import { spendPoints } from '../../../contract/points.ts'
import { createWebhook } from '../../../contract/webhooks.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { someContainerHost } from '../../../server/test/hosting-world.ts'
import { theAdmin, world } from '../../../server/test/world.ts'
import { expectAccessible, startConsole, waitForHeading } from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, pageAs } = await startConsole({ WEBHOOK_ADDRESSES: 'any' })

test('an admin sees which host is not isolated, the addresses that its containers reach, and the remedy', async () => {
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

async function failedJob(name: string) {
  const { sql } = plaza.db
  await sql`select graphile_worker.add_job(${name}, run_at := now() + interval '1 day')`
  await sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = '421 try later'`
}

test('an admin sees failed jobs, retries one and discards another', async () => {
  await failedJob('accounts.mail_verification_code')
  await failedJob('oauth.mail_app_decision')
  const page = await pageAs(firstAdmin)
  await page.goto('/admin')
  const line = page.getByRole('listitem').filter({ hasText: '2 jobs in the background failed' })
  await line.getByRole('link', { name: 'See failed jobs' }).click()
  const rows = page.getByRole('region', { name: 'Failed jobs' }).getByRole('row')
  const rowOf = (text: string) => rows.filter({ hasText: text })
  await rowOf('Mail about the decision on an app').getByText('421 try later').waitFor()
  await expectAccessible(page)

  await rowOf('Mail with a verification code')
    .getByRole('button', { name: /^Try again/ })
    .click()
  await page.getByText('The job is tried again.').waitFor()
  await rowOf('Mail with a verification code').waitFor({ state: 'detached' })

  await rowOf('Mail about the decision on an app')
    .getByRole('button', { name: /^Discard/ })
    .click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Discard it' }).click()
  await page.getByText('No job failed').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Status' }).click()
  await waitForHeading(page, 'Service status')

  const { data } = await (await theAdmin(plaza)).api.result(listAudit)
  const actions = data.map(({ action }) => action).filter((action) => action.startsWith('job.'))
  expect(actions).toEqual(['job.discard', 'job.retry'])
})

test('an admin finds any movement by its id, sees holds of all apps, and webhooks that fail', async () => {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  const { transfer_id } = await tokens.api.result(spendPoints, { body: { amount: 7, reference: 'order 7' } })
  await tokens.api.result(createHold, { body: { amount: 30, reference: 'order 8' } })
  const url = 'http://127.0.0.1:9/hooks'
  await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url } })
  await plaza.db.sql`update webhooks set failing_since = ${plaza.clock.now()}`

  const page = await pageAs(firstAdmin)
  await page.goto('/admin/payments')
  const field = page.getByLabel('Id of the movement')
  await field.fill('order 7')
  await page.getByText('An id has 36 characters').waitFor()
  await field.fill('0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('No movement has this id').waitFor()
  await field.fill(transfer_id)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('order 7').waitFor()
  await page.getByRole('main').getByRole('link', { name: user.username }).waitFor()
  await expectAccessible(page)

  await page.getByText('Holds', { exact: true }).click()
  await page.getByRole('region', { name: 'Holds' }).getByText('order 8').waitFor()
  await page.getByText('Captured', { exact: true }).click()
  await page.getByText('No holds').waitFor()
  expect(new URL(page.url()).search).toBe('?view=holds&status=captured')
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByText('Nothing matches the filter.').waitFor()
  expect(new URL(page.url()).search).toBe('?view=holds&status=captured&from=2020-01-01')
  await page.getByText('Failing webhooks', { exact: true }).click()
  await page.getByRole('region', { name: 'Failing webhooks' }).getByText(url).waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
})
