import { expect, test } from 'vitest'
import { register } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { expectAccessible, expectFits, startConsole, waitForHeading } from '../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole({ SIGNUP_POINTS: '12345' })
const person = { email: 'language@example.com', password: 'a long password', username: 'linguist' }
await new PlazaClient(plaza.url).result(register, { body: person })

test('a German browser sees German, also what the service refuses, and can change to English; nobody else loads German', async () => {
  const page = await newPage({ locale: 'de-AT' })
  const chunks: string[] = []
  page.on('request', (request) => chunks.push(new URL(request.url()).pathname))
  await page.goto('/sign-in')
  await waitForHeading(page, 'Anmelden')
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
  expect(await page.title()).toBe('Anmelden · Plaza')
  expect(chunks.filter((path) => /\/assets\/de-/.test(path))).toHaveLength(1)
  await page.getByLabel('E-Mail-Adresse').fill(person.email)
  await page.getByLabel('Passwort', { exact: true }).fill('a wrong password')
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByRole('alert').getByText('E-Mail-Adresse oder Passwort ist falsch.').waitFor()
  await expectAccessible(page)
  chunks.length = 0
  await page.getByLabel('Sprache').selectOption('English')
  await waitForHeading(page, 'Sign in')
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('en')
  expect(chunks.filter((path) => /\/assets\/de-/.test(path))).toEqual([])
})

test('numbers, dates and plural forms follow the language, which the account page changes', async () => {
  const page = await pageAs(person, { locale: 'de-DE' })
  await page.goto('/account')
  await waitForHeading(page, 'Dein Konto')
  await page.getByText('12.345', { exact: true }).first().waitFor()
  await page.goto('/points')
  await waitForHeading(page, 'Punkte')
  await page.getByText('12.345', { exact: true }).first().waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  await expectFits(page)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.goto('/account')
  await page.getByLabel('Sprache').selectOption('English')
  await waitForHeading(page, 'Your account')
  await page.getByText('12,345', { exact: true }).first().waitFor()
})
