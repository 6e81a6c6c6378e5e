import { test } from 'vitest'
import { createDeployment } from '../../../contract/deployments.ts'
import { any_image, freshName, someContainerHost, someHostingApp } from '../../../server/test/hosting-world.ts'
import { latestServes } from '../../../server/test/releases.ts'
import { expectAccessible, expectFits, phone, startConsole } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole()
await someContainerHost(plaza)

/** Writes a day of measurements of these replicas: growing memory, and requests in waves, some of which fail. */
async function measured(id: string, replicas: number[]) {
  const now = plaza.clock.now()
  await plaza.db.sql`
    insert into deploy_samples (deployment_id, replica, at, memory_bytes, millicores, received_bytes, sent_bytes)
    select ${id}::uuid, replica, date_bin('15 seconds', ${now}::timestamptz, 'epoch') - n * interval '5 minutes',
           (90 - n / 5.0 + replica * 5) * 1048576, 60 + 40 * sin(n / 12.0) + replica * 20, 20000, 90000
      from generate_series(0, 280) n, unnest(${replicas}::integer[]) replica
     where n not between 120 and 136`
  await plaza.db.sql`
    insert into deploy_requests
    select ${id}::uuid, date_bin('15 seconds', ${now}::timestamptz, 'epoch') - n * interval '5 minutes', 40 + 30 * sin(n / 20.0), 4, 3,
           case when n between 32 and 40 then 20 else 0 end, array[0, 5, 20, 10, 5, 2, 1, 0, 0, 0, 0, 0, 0, 0]
      from generate_series(0, 280) n where n not between 120 and 136
    on conflict do nothing`
}

test('D-104: the owner sees the use of each container and the requests, and before the first measurement that there is none', async () => {
  const app = await someHostingApp(plaza)
  const { id } = await app.api.result(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'starter' },
  })
  await latestServes(plaza, id)
  const page = await pageAs(app.owner)
  await page.goto(`/deployments/${id}?app=${app.id}`)
  await page.getByRole('button', { name: 'Open access' }).click()
  await page.getByRole('heading', { name: 'Use and requests' }).waitFor()
  await page.getByText('No measurements in this period').waitFor()
  await measured(id, [1])
  await page.reload()
  await page.getByRole('figure', { name: /^Memory\. Memory: .* MB at the end, at most/ }).waitFor()
  await page.getByRole('figure', { name: /^Requests\. 2xx: / }).waitFor()
  await page.getByRole('figure', { name: /^Time to answer\. Half: .* ms at the end/ }).waitFor()
  await page.getByText('Of 128 MB for each container').waitFor()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectFits(page)
  await page.getByText('30 days', { exact: true }).click()
  await page.getByText('The first figures show when the first hour is over.').waitFor()
  await measured(id, [2, 3])
  await page.reload()
  await page.getByRole('figure', { name: /^Memory\. Container 1: .*Container 3: / }).waitFor()
})
