import { expect, test } from 'vitest'
import { updateUser } from '../../contract/admin.ts'
import { spendPoints } from '../../contract/points.ts'
import { firstAdmin } from '../../server/test/harness.ts'
import { theAdmin, world } from '../../server/test/world.ts'
import { startConsole, type Page } from '../test/browser.ts'

const { plaza, pageAs } = await startConsole()
const rows_wanted = 1_000
/** More than the service returns, so that few responses fill a list. */
const per_page = 250

/** Answers a list with pages that repeat its first row. */
async function manyRows(page: Page, path: RegExp) {
  let first: Promise<string> | undefined
  await page.route(path, async (route) => {
    const url = new URL(route.request().url())
    const from = Number(url.searchParams.get('cursor') ?? 0)
    url.searchParams.delete('cursor')
    first ??= route.fetch({ url: url.href }).then(async (response) => response.text())
    const { data } = JSON.parse(await first) as { data: { id: string; inserted_at: string }[] }
    const rows = Array.from({ length: per_page }, (_, at) => ({
      ...data[0]!,
      id: `0198c1e2-7b3a-7c4d-9e5f-${String(from + at).padStart(12, '0')}`,
      inserted_at: new Date(Date.parse(data[0]!.inserted_at) - (from + at) * 60_000).toISOString(),
    }))
    const next = from + per_page
    await route.fulfill({ json: { data: rows, next_cursor: next < rows_wanted ? String(next) : null } })
  })
}

/** Scrolls through the whole list or window; fails if a frame throws (`startConsole`). */
const scrollThrough = (page: Page, box: string | null) =>
  page.evaluate(async (selector) => {
    const scrolled = selector === null ? document.scrollingElement! : document.querySelector(selector)!
    const step = scrolled.scrollHeight / 120
    for (let at = 0; at < 120; at++) {
      scrolled.scrollTo(0, at * step)
      await new Promise((next) => requestAnimationFrame(next))
    }
  }, box)

async function showAll(page: Page) {
  const more = page.getByRole('button', { name: 'Show more' })
  for (let shown = per_page; shown < rows_wanted; shown += per_page) {
    await more.click()
    await expect.poll(() => page.locator('main tbody tr').count()).toBeGreaterThan(shown)
  }
  await more.waitFor({ state: 'detached' })
}

test('lists of 1,000 rows: points, payments of an app, audit log', async () => {
  const { app, user, tokens } = await world(plaza, { points: 100, scopes: ['points:spend'] })
  await tokens.api.result(spendPoints, { body: { amount: 1, reference: 'order-1', description: 'A lantern' } })
  const admin = await theAdmin(plaza)
  await admin.api.result(updateUser, { params: { id: user.id }, body: { tier: 'gold', reason: 'Long here' } })

  const tables = [
    [user, '/points', /\/api\/points\/history\?|\/api\/points\/history$/],
    [app.owner, `/apps/${app.id}?tab=payments`, /\/my-apps\/[^/]+\/transfers(?:\?|$)/],
  ] as const
  for (const [person, path, list] of tables) {
    const page = await pageAs(person)
    await manyRows(page, list)
    await page.goto(path)
    await showAll(page)
    // An app's payments have a second table: its balance.
    await expect.poll(() => page.locator('main tbody').first().locator('tr').count()).toBe(rows_wanted)
    await scrollThrough(page, null)
  }
  const page = await pageAs(firstAdmin)
  await manyRows(page, /\/api\/admin\/audit(?:\?|$)/)
  await page.goto('/admin/audit')
  const log = page.getByRole('region', { name: 'Entries' })
  await expect
    .poll(async () => {
      await log.evaluate((box) => box.scrollTo(0, box.scrollHeight))
      return log.evaluate((box) => box.scrollHeight)
    })
    .toBeGreaterThan(40 * rows_wanted)
  await scrollThrough(page, '[role=region][tabindex="0"]')
})
