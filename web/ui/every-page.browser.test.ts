import { expect, test } from 'vitest'
import { addresses, example_admin, viewerOf, makeExampleWorld, type Viewer } from '../test/example-world.ts'
import { example_registry } from '../test/example-hosting.ts'
import { expectAccessible, startConsole, type Page } from '../test/browser.ts'
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

const read = async (page: Page) => {
  await page.locator('main h1').first().waitFor()
  await page.waitForFunction(() => document.querySelector('main [aria-busy=true]') === null)
}

/** The shades at the edges of what scrolls sideways are drawn over what it stands on, in that colour. */
const smears = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('main .scroll-x')].flatMap((box) => {
      let ground: Element | null = box.parentElement
      while (ground && getComputedStyle(ground).backgroundColor.endsWith(', 0)')) ground = ground.parentElement
      const cover = /rgba?\([^)]*\)|#\w+/.exec(getComputedStyle(box).backgroundImage)?.[0]
      const around = getComputedStyle(ground ?? document.body).backgroundColor
      return cover === around ? [] : [`${box.ariaLabel ?? box.outerHTML.slice(0, 80)}: ${cover} on ${around}`]
    }),
  )

const people = { nobody: undefined, user: world.user, operator: world.operator, admin: world.admin }

test.each(['nobody', 'user', 'operator', 'admin'] as const satisfies Viewer[])(
  'every page that %s may see can be read by everybody, at rest, under the pointer and with the focus',
  { timeout: 300_000 },
  async (looker) => {
    const credentials = people[looker]
    for (const each of pages.filter((one) => viewerOf(one) === looker)) {
      const page = await (credentials ? pageAs(credentials) : guestPage())
      await page.goto(addresses[each.path]?.at?.(world) ?? each.path)
      await read(page)
      await addresses[each.path]?.act?.(page)
      await read(page)
      expect.soft([each.path, ...(await smears(page))]).toEqual([each.path])
      await expectAccessible(page)
      await page.context().close()
    }
  },
)
