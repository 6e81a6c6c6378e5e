/**
 * Takes the pictures of the console on the landing page: light and dark, desktop and phone, English and German: `npm
 * run picture`. They are in the repository; take them again when the points page changes its appearance.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { login } from '../../contract/accounts.ts'
import { awardPoints } from '../../contract/admin.ts'
import { PlazaClient } from '../../contract/client.ts'
import { startExample } from '../../examples/world/service.ts'
import { example_admin, makeExampleWorld } from '../../examples/world/world.ts'
import { package_root } from '../../server/platform/package.ts'
import { launchBrowser, openContext } from './launch.ts'

/** The content of the picture for each kind of screen; on a phone it is as sharp as the phone. */
const screens = [
  { name: '', viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1 },
  { name: '-phone', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
]
/** Sharp enough for text, and a third of a PNG's bytes. */
const quality = 72

/** The example person's income in the month before the picture: days before it, points, description. */
const month = [
  [24, 120, 'Answered ten questions in the chat'],
  [20, 60, 'Invited a friend'],
  [15, 240, 'Won the quiz of the week'],
  [11, 90, 'Tested the new board'],
  [6, 180, 'Drew a sticker'],
  [2, 75, 'Found a broken link'],
] as const
const day_ms = 86_400_000

const browser = await launchBrowser()
let days_ago = 28
const { service, url, stop } = await startExample({ clock: () => new Date(Date.now() - days_ago * day_ms) })
try {
  const { user } = await makeExampleWorld(service)
  const anonymous = new PlazaClient(url)
  const person = await anonymous.result(login, { body: user })
  for (const [days, amount, description] of month) {
    days_ago = days
    const admin = anonymous.withToken((await anonymous.result(login, { body: example_admin })).token)
    await admin.result(awardPoints, { body: { user_id: person.user.id, amount, description } })
  }
  days_ago = 0
  const pictures = screens.flatMap((screen) =>
    (['light', 'dark'] as const).flatMap((scheme) => ['en', 'de'].map((locale) => ({ screen, scheme, locale }))),
  )
  for (const { screen, scheme, locale } of pictures) {
    const { name: screen_name, ...options } = screen
    const name = `console-${scheme}${screen_name}${locale === 'en' ? '' : `-${locale}`}`
    const context = await openContext(browser, url, { ...options, locale, colorScheme: scheme, baseURL: url }, user)
    const tab = await context.newPage()
    await tab.goto('/points')
    await tab.locator('main h1').waitFor()
    await tab.waitForLoadState('networkidle')
    await tab.evaluate(() => document.fonts.ready)
    const picture = await sharp(await tab.screenshot())
      .webp({ quality })
      .toBuffer()
    await writeFile(join(package_root, `web/pages/public/${name}.webp`), picture)
    process.stdout.write(`${name}: ${Math.ceil(picture.length / 1000)} kB\n`)
    await context.close()
  }
} finally {
  await browser.close()
  await stop()
}
