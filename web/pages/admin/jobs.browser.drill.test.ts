import { expect, test } from 'vitest'
import { listAudit } from '../../../contract/admin.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { theAdmin } from '../../../server/test/world.ts'
import { expectAccessible, startConsole, waitForHeading } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole({})

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
