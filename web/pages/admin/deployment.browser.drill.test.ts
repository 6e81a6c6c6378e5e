import { expect, test } from 'vitest'
import { listAudit } from '../../../contract/admin-audit.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { someContainerHost, someDeploymentOf, someHostingApp } from '../../../server/test/hosting-world.ts'
import { addOutput } from '../../../server/test/output.ts'
import { latestServes, sendChange } from '../../../server/test/releases.ts'
import { theAdmin } from '../../../server/test/world.ts'
import { expectAccessible, expectFits, phone, startConsole } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole()
await someContainerHost(plaza)

test('D-110: an admin opens a deployment of another from the list, rolls back with a reason and reads its output, all audited', async () => {
  const app = await someHostingApp(plaza)
  const id = await someDeploymentOf(plaza, app)
  await latestServes(plaza, id)
  await sendChange(plaza, app, id, { body: { image: 'public.test/library/web:2' } })
  await latestServes(plaza, id, `public.test/library/web@sha256:${'b'.repeat(64)}`)
  await addOutput(plaza.db, id, [
    { at: Date.now() - 2_000, text: 'listening on 3000' },
    { at: Date.now() - 1_000, text: 'Error: no DATABASE_URL', kind: 'stderr' },
  ])
  const [row] = await plaza.db.sql<{ subdomain: string }>`select subdomain from deployments where id = ${id}`
  const { subdomain } = row!
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/deployments')
  await page.getByRole('link', { name: subdomain, exact: true }).click()
  await page.getByRole('heading', { name: subdomain }).waitFor()
  await page.getByRole('link', { name: app.owner.username }).waitFor()
  await page.getByText('The container runs and its port answers.').first().waitFor()
  await page.getByRole('heading', { name: 'Use and requests' }).waitFor()
  expect(await page.getByText('listening on 3000').count()).toBe(0)

  await page.getByRole('button', { name: 'Roll back to release 1' }).click()
  const question = page.getByRole('dialog', { name: `Take ${subdomain} back to release 1?` })
  await question.getByText('Image:').waitFor()
  await question.getByRole('button', { name: 'Roll back' }).click()
  await question.getByText('Fill this in.').waitFor()
  await question.getByLabel('Reason').fill('The new image mines coins.')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Roll back' }).click()
  await question.waitFor({ state: 'detached' })
  await page.getByText('Back to release 1', { exact: true }).waitFor()
  await page.getByText('The platform went back to an earlier release.').waitFor()

  await page.getByRole('button', { name: 'Show the output' }).click()
  const output = page.getByRole('log', { name: 'Output of the container' })
  await output.getByText('Error: no DATABASE_URL').waitFor()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.getByRole('link', { name: 'Actions of admins' }).click()
  await page
    .getByText(/read the output of the deployment/)
    .first()
    .waitFor()
  const admin = await theAdmin(plaza)
  const { data } = await admin.api.result(listAudit, { query: { target_id: id } })
  expect(data.map(({ action, details }) => ({ action, details }))).toEqual([
    { action: 'deployment.read_output', details: { look: 'stream' } },
    { action: 'deployment.roll_back', details: { reason: 'The new image mines coins.', release: 3 } },
  ])
})
