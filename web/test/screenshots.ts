/**
 * Takes a screenshot of every page of the console, on desktop and phone, light and dark, into the ignored
 * `.screenshots/`: `npm run screenshots`, or `npm run screenshots -- /apps /points` for some of them.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { startExample } from '../../examples/world/service.ts'
import { makeExampleWorld, type ExampleWorld } from '../../examples/world/world.ts'
import { package_root } from '../../server/platform/package.ts'
import type { Page } from '../page.ts'
import { pages } from '../pages.ts'
import { addresses, viewerOf, type Viewer } from './page-addresses.ts'
import { desktop, launchBrowser, openContext, phone } from './launch.ts'

const folder = join(package_root, '.screenshots')
const views = [
  { width: desktop, scheme: 'light' },
  { width: desktop, scheme: 'dark' },
  { width: phone, scheme: 'light' },
  { width: phone, scheme: 'dark' },
] as const

async function take(context: BrowserContext, page: Page, world: ExampleWorld, name: string) {
  const tab = await context.newPage()
  await tab.goto(addresses[page.path]?.at?.(world) ?? page.path)
  await tab.locator('main h1').first().waitFor()
  await addresses[page.path]?.act?.(tab)
  await tab.waitForFunction(() => document.querySelector('main [aria-busy=true]') === null)
  await tab.evaluate(() => scrollTo(0, 0))
  await tab.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined)
  await tab.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  await tab.close()
}

const nameOf = (path: string) => path.slice(1).replaceAll(/[^a-z0-9]+/gi, '-') || 'home'

async function takeAll(wanted: readonly Page[]) {
  const browser = await launchBrowser()
  const { service, url, stop } = await startExample()
  try {
    const world = await makeExampleWorld(service)
    const { user, operator, admin } = world
    const people: Record<Viewer, typeof user | undefined> = { nobody: undefined, user, operator, admin }
    for (const { width, scheme } of views)
      for (const who of ['nobody', 'user', 'operator', 'admin'] as const) {
        const options = { viewport: width, colorScheme: scheme, baseURL: url }
        const context = await openContext(browser, url, options, people[who])
        // `/` differs for visitors and signed-in users.
        const mine = wanted.filter((page) => viewerOf(page) === who || (page.path === '/' && who === 'nobody'))
        for (const page of mine) {
          const face = page.path === '/' && who === 'nobody' ? 'landing' : nameOf(page.path)
          await take(context, page, world, `${face}-${width.width}-${scheme}`).catch((error: Error) => {
            process.exitCode = 1
            process.stderr.write(`${page.path}: ${error.message}\n`)
          })
        }
        await context.close()
      }
  } finally {
    await browser.close()
    await stop()
  }
}

const paths = process.argv.slice(2)
const unknown = paths.filter((path) => !pages.some((page) => page.path === path))
if (unknown.length > 0) throw new Error(`no page of web/pages.ts has the path ${unknown.join(', ')}`)
await mkdir(folder, { recursive: true })
await takeAll(paths.length === 0 ? pages : pages.filter(({ path }) => paths.includes(path)))
process.stdout.write(`The pictures are in ${folder}\n`)
