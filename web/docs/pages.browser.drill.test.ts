import { expect, test } from 'vitest'
import { expectFits, expectStaticPageAccessible, phone, startConsole } from '../test/browser.ts'

const { plaza, page: newPage } = await startConsole()

const entries = (await (await fetch(`${plaza.url}/docs/search.json`)).json()) as { href: string }[]
const paths = [...new Set(entries.map(({ href }) => href.split('#')[0] ?? ''))]

test('every page of the documentation fits a phone', async () => {
  const page = await newPage({ viewport: phone })
  expect(paths.length).toBeGreaterThan(20)
  for (const path of ['/docs', '/docs/reference', '/docs/decisions', ...paths]) {
    await page.goto(path)
    await expectFits(page)
  }
})

const kinds = [
  '/docs',
  '/docs/guides/spending',
  '/docs/reference',
  '/docs/reference/payments',
  '/docs/reference/refusals',
  '/docs/decisions',
]

test.each(kinds)('%s is accessible in both schemes', async (path) => {
  const page = await newPage()
  await page.goto(path)
  await expectStaticPageAccessible(page)
})
