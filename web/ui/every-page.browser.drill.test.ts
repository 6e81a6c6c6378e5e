import { expect, test } from 'vitest'
import { example_registry } from '../../examples/world/hosting.ts'
import { example_admin, makeExampleWorld } from '../../examples/world/world.ts'
import { addresses, viewerOf, type Viewer } from '../test/page-addresses.ts'
import { desktop, expectAccessibleInEachState, expectFits, phone, startConsole, type Page } from '../test/browser.ts'
import { loadFaults } from '../test/page-loads.ts'
import { pages } from '../pages.ts'

const {
  plaza,
  pageAs,
  page: guestPage,
} = await startConsole({
  ROLES: 'api',
  ADMIN_EMAIL: example_admin.email,
  ADMIN_PASSWORD: example_admin.password,
  REGISTRY_CODE_HOST: example_registry,
})
const world = await makeExampleWorld(plaza.service)

const waitUntilLoaded = async (page: Page) => {
  await page.locator('main h1').first().waitFor()
  await page.waitForFunction(() => document.querySelector('main [aria-busy=true]') === null)
}

/** Text that people should not have to read: ids, numbers of decisions, and program values. */
const unreadable = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|\bD-\d+\b|\b(?:undefined|null|NaN)\b|\[object/

/** Scroll containers whose edge covers differ from the background colour of their parent. */
const wrongCovers = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main .scroll-x')].flatMap((box) => {
      let background: Element | null = box.parentElement
      while (background && getComputedStyle(background).backgroundColor.endsWith(', 0)'))
        background = background.parentElement
      const cover = /rgba?\([^)]*\)|#\w+/.exec(getComputedStyle(box).backgroundImage)?.[0]
      const around = getComputedStyle(background ?? document.body).backgroundColor
      return cover === around ? [] : [`${box.ariaLabel ?? box.outerHTML.slice(0, 80)}: ${cover} on ${around}`]
    }),
  )

/** A phone, the desktop's window at 200 % zoom, and a wide screen. */
const widths = [phone, { width: desktop.width / 2, height: desktop.height / 2 }, { width: 2560, height: 1440 }]

/**
 * Expects that nothing is cut off horizontally at any width. Only checks the layout: colours and names are the same.
 */
async function expectFitsEveryWidth(page: Page) {
  for (const size of widths) {
    await page.setViewportSize(size)
    await expectFits(page)
  }
  await page.setViewportSize(desktop)
}

const people = { nobody: undefined, user: world.user, operator: world.operator, admin: world.admin }

test.each(['nobody', 'user', 'operator', 'admin'] as const satisfies Viewer[])(
  'every page for %s loads with at most 25 requests and 450 kB, the landing page with 260, is readable and accessible, at rest, hovered and focused, and fits a phone, twice the size of text, and a wide screen',
  { timeout: 600_000 },
  async (viewer) => {
    const credentials = people[viewer]
    const seen = pages.filter((one) => viewerOf(one) === viewer)
    const landing = viewer === 'nobody' ? [{ path: '/', sandbox: false }] : []
    for (const each of [...landing, ...seen]) {
      const page = await (credentials ? pageAs(credentials) : guestPage())
      const path = addresses[each.path]?.at?.(world) ?? each.path
      if (each.sandbox) await page.goto(path)
      else expect.soft(await loadFaults(page, path, { signed_in: credentials !== undefined })).toEqual([])
      await waitUntilLoaded(page)
      await addresses[each.path]?.act?.(page)
      await waitUntilLoaded(page)
      expect.soft([each.path, ...(await wrongCovers(page))]).toEqual([each.path])
      if (viewer === 'nobody' || viewer === 'user')
        expect.soft(await page.locator('body').innerText(), each.path).not.toMatch(unreadable)
      await expectFitsEveryWidth(page)
      await expectAccessibleInEachState(page)
      await page.context().close()
    }
  },
)
