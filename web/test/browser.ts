import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type axe from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, expect } from 'vitest'
import { package_root } from '../../server/platform/package.ts'
import { sharedService, startTestService, type TestService } from '../../server/test/harness.ts'
import type { Credentials } from '../../examples/world/world.ts'
import { desktop, launchBrowser, openContext, phone } from './launch.ts'
import { inEachState, mark } from './states.ts'

export type { Page }

export { desktop, phone }

export interface ConsoleWorld {
  plaza: TestService
  /** A signed-out page in a fresh profile. */
  page(options?: BrowserContextOptions): Promise<Page>
  /** A page in a fresh profile, signed in as this person. */
  pageAs(user: Credentials, options?: BrowserContextOptions): Promise<Page>
}

/**
 * Without a separate process for drawing, tests take 7 % less processor time. Optimizing compilers do not pay in pages
 * that live for seconds.
 */
const launch = () => launchBrowser(['--in-process-gpu', '--js-flags=--no-opt --no-maglev'])

let launched: Promise<Browser> | undefined

/** The browser that the test files of a worker share; replaced after a crash. */
async function sharedBrowser(): Promise<Browser> {
  launched ??= launch()
  if (!(await launched).isConnected()) launched = launch()
  return launched
}

/**
 * The real service with the built console, and a browser. Call it once per file, at the top level. Without settings, it
 * is the service that test files share; with settings, even empty ones, it is this file's own. Each test's pages are
 * closed after it; an exception or console error of a page (such as a CSP violation) fails the test.
 */
export async function startConsole(env?: Record<string, string>): Promise<ConsoleWorld> {
  const browser = await sharedBrowser()
  const plaza = await (env ? startTestService(env) : sharedService())
  const address = env?.PUBLIC_URL ?? plaza.url
  const contexts: BrowserContext[] = []
  const page_errors: string[] = []
  const open = async (options?: BrowserContextOptions, user?: Credentials) => {
    const context = await openContext(browser, address, { baseURL: address, ...options }, user)
    context.setDefaultTimeout(120_000)
    contexts.push(context)
    collectPageErrors(context, page_errors)
    return context.newPage()
  }
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(page_errors.splice(0)).toEqual([])
  })
  return { plaza, page: (options) => open(options), pageAs: (user, options) => open(options, user) }
}

/** Fills the form of the sign-in and sends it. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The dialog that asks for a proof (D-129). */
export const proofDialog = (page: Page) => page.getByRole('dialog', { name: 'Is it you?' })

/** Gives the proof that the console requests. */
export async function prove(page: Page, password: string, code?: string) {
  const dialog = proofDialog(page)
  await dialog.getByLabel('Your password', { exact: true }).fill(password)
  if (code !== undefined) await dialog.getByLabel('Two-factor code').fill(code)
  await dialog.getByRole('button', { name: 'Continue' }).click()
}

/** Waits for the page with this title; the previous page stays interactive while a chunk loads. */
export const waitForHeading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, level: 1 }).waitFor()

/** Ignores the console lines of failed requests and chunks, which tests provoke. */
function collectPageErrors(context: BrowserContext, page_errors: string[]) {
  context.on('weberror', (thrown) => page_errors.push(`${thrown.page()?.url()}: ${thrown.error().message}`))
  context.on('console', (message) => {
    const text = message.text()
    if (message.type() !== 'error' || /^(?:Failed to load resource|ChunkLoadError)/.test(text)) return
    page_errors.push(`${message.page()?.url()}: ${text}`)
  })
}

const schemes = ['light', 'dark'] as const

/** Modal dialogs, and what is shown over them. */
const over_page = [
  '[aria-modal=true]',
  ...['dialog', 'tooltip', 'listbox', 'menu', 'alert', 'status'].map((role) => `[role=${role}]`),
]

/**
 * Expects no axe violations in the current state of the page; while a modal dialog is open, only of what is over the
 * page. In the dark scheme only contrast is checked, because nothing else differs. The drill of every page calls
 * `expectAccessibleInEachState`; other tests scan states that it does not show.
 */
export async function expectAccessible(page: Page) {
  const is_covered = (await page.locator('[aria-modal=true]').count()) > 0
  for (const scheme of schemes) {
    await showScheme(page, scheme)
    await expectNoViolations(page, scheme, is_covered ? over_page : [])
  }
}

/** The same, including the contrast of hovered and focused elements. */
export async function expectAccessibleInEachState(page: Page) {
  await showScheme(page, 'light')
  await expectNoViolations(page, 'light')
  await inEachState(
    page,
    (scheme) => showScheme(page, scheme),
    async (scheme, state) => {
      const violations = await violationsOf(page, ['color-contrast'], [`[${mark}=it]`])
      expect(violations, `${page.url()} (${scheme}), ${state}`).toEqual([])
    },
  )
  await showScheme(page, 'dark')
  await expectNoViolations(page, 'dark')
}

/** Like `expectAccessible`, for a page outside the console, whose colours follow the system. */
export async function expectStaticPageAccessible(page: Page) {
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme })
    await expectNoViolations(page, scheme)
  }
}

async function showScheme(page: Page, colorScheme: (typeof schemes)[number]) {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.waitForFunction(
    (scheme) => document.documentElement.getAttribute('data-mantine-color-scheme') === scheme,
    colorScheme,
  )
}

const all_rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

async function expectNoViolations(page: Page, scheme: (typeof schemes)[number], selectors: string[] = []) {
  const violations = await violationsOf(page, scheme === 'light' ? all_rules : ['color-contrast'], selectors)
  expect(violations, `${page.url()} (${scheme})`).toEqual([])
}

let source: Promise<string> | undefined
/** The minified file, because every scanned page loads it. */
const axeSource = () => (source ??= readFile(join(package_root, 'node_modules/axe-core/axe.min.js'), 'utf8'))

/** The axe violations of these rules; with selectors, only inside the selected elements. */
async function violationsOf(page: Page, rules: string[], selectors: string[]) {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await axeSource())
  // Wait for transitions: intermediate colours are not checked.
  await page.evaluate(async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    const running = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(running.map(({ finished }) => finished))
  })
  return page.evaluate(
    async ([runOnly, include]) => {
      const engine = (globalThis as unknown as { axe: typeof axe }).axe
      if (include.length > 0 && !document.querySelector(include.join(','))) return []
      const where = include.length > 0 ? { include: [[include.join(',')]] } : document
      const { violations } = await engine.run(where, { runOnly, resultTypes: ['violations'], preload: false })
      return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`))
    },
    [rules, selectors] as const,
  )
}

/**
 * Expects no horizontal scrolling of the page or its tabs. Polls, because the layout may still be moving after a
 * resize.
 */
export async function expectFits(page: Page) {
  const excess = () =>
    page.evaluate(() =>
      Math.max(
        document.documentElement.scrollWidth - window.innerWidth,
        ...[...document.querySelectorAll('[role=tablist]')].map((tabs) => tabs.scrollWidth - tabs.clientWidth),
      ),
    )
  await expect.poll(excess, { message: `${page.url()} is wider than its window` }).toBeLessThanOrEqual(0)
}
