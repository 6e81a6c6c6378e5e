import { expect, test } from 'vitest'
import { changeDeployment, createDeployment } from '../../../contract/deployments.ts'
import { any_image, freshName, someContainerHost, someHostingApp } from '../../../server/test/hosting-world.ts'
import { addOutput, type TestLine } from '../../../server/test/output.ts'
import { latestServes } from '../../../server/test/releases.ts'
import { expectAccessible, expectFits, phone, startConsole } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole()
await someContainerHost(plaza)
await plaza.db.sql`insert into deploy_tier_replicas select id, 5 from deploy_tiers where slug = 'starter'`

const words = ['GET /stickers 200 12 ms', 'GET /stickers/7 200 8 ms', 'POST /orders 201 40 ms', 'cache miss for page 3']

/** A running deployment with this many output lines from two replicas, and its page. */
async function someOutput(count: number) {
  const app = await someHostingApp(plaza)
  const deployment = await app.api.result(createDeployment, {
    body: { subdomain: freshName(), image: any_image, tier: 'starter' },
  })
  await latestServes(plaza, deployment.id)
  plaza.clock.advance(7)
  await app.api.result(changeDeployment, { params: { id: deployment.id }, body: { replicas: 2 } })
  const begin = Date.now() - count * 400
  const linesOf = (replica: number) =>
    Array.from({ length: count / 2 }, (_, at): TestLine => {
      const text = at % 500 === 499 ? `Error: payment ${at + 1} was refused` : `${at + 1} ${words[at % words.length]}`
      return { at: begin + at * 800 + replica, text, kind: at % 500 === 499 ? 'stderr' : 'stdout' }
    })
  const write = (lines: TestLine[], replica: number) =>
    addOutput(plaza.db, deployment.id, lines, { source: `r${replica}`, replica, part: 500 })
  await write(linesOf(1), 1)
  await write(linesOf(2), 2)
  await write([{ at: begin + (count / 2 - 4) * 800 + 3, text: '5120', kind: 'dropped' }], 1)
  await write([{ at: begin + (count / 2 - 2) * 800 + 3, text: '', kind: 'gap' }], 2)
  const page = await pageAs(app.owner)
  await page.goto(`/deployments/${deployment.id}?app=${app.id}`)
  await page.getByRole('button', { name: 'Open access' }).click()
  const output = page.getByRole('log', { name: 'Output of the container' })
  await output.waitFor()
  return { deployment, page, output, write, begin }
}

test('D-64: 10,000 lines stay smooth: older ones load as the reader goes up, few are drawn, new ones come', async () => {
  const { page, output, write } = await someOutput(10_000)
  await output.getByText('Error: payment 5000 was refused').first().waitFor()
  await output.getByText('5,120 lines were not kept here: the container wrote more than is kept.').waitFor()
  await output.getByText('Lines before this one may be missing').waitFor()
  await expectAccessible(page)
  await output.scrollIntoViewIfNeeded()
  // Up to the first line, page by page.
  await expect
    .poll(
      async () => {
        await output.evaluate((box) => box.scrollTo(0, 0))
        return output.getByText('No older lines are stored').isVisible()
      },
      { interval: 60 },
    )
    .toBe(true)
  await output.getByText('1 GET /stickers 200 12 ms').first().waitFor()
  expect(await output.locator('[data-index]').count()).toBeLessThan(120)
  // A new line does not move the reader; it is shown on demand.
  await output.evaluate((box) => box.scrollTo(0, 4_000))
  await write([{ at: Date.now(), text: 'something new' }], 1)
  await page.getByRole('button', { name: '1 new below' }).click()
  await output.getByText('something new').waitFor()
})

test('D-64: output is filtered by replica and searched, and followed again afterwards', async () => {
  const { page, output, write } = await someOutput(3_000)
  await page.getByRole('combobox', { name: 'Replica' }).selectOption('Replica 2')
  await write([{ at: Date.now(), text: 'only of the first' }], 1)
  await write([{ at: Date.now(), text: 'only of the second' }], 2)
  await output.getByText('only of the second').waitFor()
  expect(await output.getByText('only of the first').count()).toBe(0)
  await page.getByRole('textbox', { name: 'Search the output for' }).fill('was REFUSED')
  await page.getByText('3 lines match.').waitFor()
  await page.getByRole('combobox', { name: 'Replica' }).selectOption('All replicas')
  await page.getByText('6 lines match.').waitFor()
  const matches = page.getByRole('log', { name: 'Lines that match' })
  await matches.getByText('Error: payment 500 was refused').first().waitFor()
  await expectAccessible(page)
  await matches.scrollIntoViewIfNeeded()
  await page.setViewportSize(phone)
  await expectFits(page)
  await matches.scrollIntoViewIfNeeded()
  await page.getByRole('textbox', { name: 'Search the output for' }).fill('nothing like this')
  await page.getByText('No stored line matches.').waitFor()
  await page.getByRole('textbox', { name: 'Search the output for' }).fill('')
  await output.getByText('only of the first').waitFor()
  await output.scrollIntoViewIfNeeded()
})

test('D-64: a broken stream says so and reconnects by itself or at once; no line comes twice', async () => {
  const { page, output, write } = await someOutput(200)
  await output.getByText('100 cache miss for page 3').first().waitFor()
  const note = page.getByText('The output stream is disconnected')
  let is_broken = true
  await page.route('**/output/stream*', (route) => (is_broken ? route.abort() : route.fallback()))
  for (const text of ['back by itself', 'back at once']) {
    is_broken = true
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await page.reload()
    await note.waitFor()
    is_broken = false
    if (text === 'back at once') await page.getByRole('button', { name: 'Try now' }).click()
    await write([{ at: Date.now(), text }], 1)
    await output.getByText(text).waitFor()
    expect([await note.count(), await output.getByText(text).count()]).toEqual([0, 1])
  }
})
