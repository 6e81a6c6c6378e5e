import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core'
import { PlazaClient } from '../../contract/client.ts'
import { login } from '../../contract/accounts.ts'
import type { Credentials } from '../../examples/world/world.ts'
import { package_root } from '../../server/platform/package.ts'

/** The viewports that every page supports. */
export const desktop = { width: 1440, height: 900 }
export const phone = { width: 390, height: 844 }

/** Builds the console if stale and returns the path of the browser. */
async function prepareBrowser(): Promise<string> {
  const script = join(package_root, 'scripts/prepare-browser.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: package_root })
  return stdout.trim()
}

/** Launches Chromium from npm. */
export const launchBrowser = async (args: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: await prepareBrowser(),
    args: ['--no-sandbox', '--disable-gpu', ...args],
    headless: true,
  })

/** A new browser context; with credentials it is signed in through the API. */
export async function openContext(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  user?: Credentials,
): Promise<BrowserContext> {
  const { email, password } = user ?? {}
  const session =
    email !== undefined && password !== undefined
      ? await new PlazaClient(url).result(login, { body: { email, password } })
      : undefined
  return browser.newContext({
    viewport: desktop,
    locale: 'en',
    reducedMotion: 'reduce',
    // The tests of pages cannot see requests of a service worker.
    serviceWorkers: 'block',
    ...options,
    ...(session && {
      storageState: {
        cookies: [],
        origins: [{ origin: url, localStorage: [{ name: 'plaza.session', value: JSON.stringify(session) }] }],
      },
    }),
  })
}
