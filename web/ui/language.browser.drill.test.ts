import { expect, test } from 'vitest'
import { register } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { failures } from '../../contract/errors.ts'
import german from '../../languages/de.json' with { type: 'json' }
import { someApp, someUser } from '../../server/test/world.ts'
import { expectAccessible, expectFits, startConsole, waitForHeading, type Page } from '../test/browser.ts'
import { englishOn } from '../test/english-words.ts'

const {
  plaza,
  page: newPage,
  pageAs,
} = await startConsole({
  SIGNUP_POINTS: '12345',
  REWARDS: 'at_once',
  // No mail server listens there: responses say that mails are delayed.
  SMTP_URL: 'smtp://127.0.0.1:1',
})
const person = { email: 'language@example.com', password: 'a long password', username: 'linguist' }
await new PlazaClient(plaza.url).result(register, { body: person })

test('a German browser shows German, also for refusals of the service, and can change to English; others do not load German', async () => {
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

const de = { locale: 'de-DE' }

/** Fills fields by their labels, presses the button, and waits for the resulting message. */
async function send(page: Page, fields: Record<string, string>, button: string, said: readonly string[]) {
  const form = page.locator('form', { has: page.getByRole('button', { name: button, exact: true }) })
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(value)
  await form.getByRole('button', { name: button, exact: true }).click()
  for (const text of said) await page.getByText(text, { exact: true }).first().waitFor()
  expect(await englishOn(page)).toEqual([])
}

test('D-125: refusals at sign-in, registration and with codes are in German', async () => {
  const page = await newPage(de)
  await page.goto('/register')
  const password = 'a long password'
  const fields = { 'E-Mail-Adresse': 'a..b@people.test', Benutzername: 'germanist', Passwort: password }
  await send(page, fields, 'Konto erstellen', ['Muss eine E-Mail-Adresse sein.'])
  await send(page, { ...fields, 'E-Mail-Adresse': 'kein', Benutzername: 'a b', Passwort: 'kurz' }, 'Konto erstellen', [
    'Mindestens 8 Zeichen.',
  ])
  const good = { ...fields, 'E-Mail-Adresse': 'german@people.test' }
  const with_code = { ...good, 'Empfehlungscode (optional)': 'NOBODYS' }
  await send(page, with_code, 'Konto erstellen', ['Ist kein Empfehlungscode.'])
  const taken = { ...good, 'E-Mail-Adresse': person.email, 'Empfehlungscode (optional)': '' }
  await send(page, taken, 'Konto erstellen', [german['failure.email_taken']])
  await page.goto('/reset-password')
  const reset = { 'Code aus der Mail': 'wrong', 'Neues Passwort': password }
  await send(page, reset, 'Passwort festlegen', [german['failure.invalid_code']])
  await page.goto('/confirm-address')
  const link = { 'Code aus dem Link in der Mail': 'wrong' }
  await send(page, link, 'Ich habe darum gebeten', [
    `${german['failure.invalid_code']} Bitte den Admin um eine neue Mail.`,
  ])
})

test('D-125: refusals of fields of an account, an app and its webhook are in German', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner, de)
  await page.goto('/account/details')
  await send(page, { 'Neuer Name': person.username }, 'Namen ändern', [german['failure.username_taken']])
  await send(page, { 'Neue Adresse': app.owner.email }, 'Code zusenden', [])
  await send(page, { 'Dein Passwort': 'not the password' }, 'Weiter', [german['failure.wrong_password']])
  await send(page, { 'Dein Passwort': app.owner.password }, 'Weiter', ['Ist schon deine Adresse.'])
  await page.goto('/apps/new')
  const wanted = { Name: 'Laden', Website: 'ftp://shop.example', 'Redirect-URI 1': 'https://shop.example/../back' }
  await send(page, wanted, 'App registrieren', [
    'Darf keine Teile wie /./ oder /../ haben.',
    'Muss eine http- oder https-Adresse mit einem Host sein, ohne Benutzerangaben, Leerzeichen und umgekehrte Schrägstriche.',
  ])
  await page.goto(`/apps/${app.id}?tab=webhooks`)
  await page.getByRole('button', { name: 'Adresse hinzufügen' }).click()
  await send(page, { Adresse: 'https://127.0.0.1/hooks' }, 'Hinzufügen', ['Darf nur zu öffentlichen Adressen führen.'])
})

test('D-125: the German page of a wrong link describes the error to the app in English', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner, de)
  const { redirect_uri } = app
  await page.goto(`/oauth/authorize?${new URLSearchParams({ client_id: app.client_id, redirect_uri }).toString()}`)
  await page.getByText('muss angegeben werden').first().waitFor()
  expect(await englishOn(page)).toEqual([])
  const back = await page.getByRole('link', { name: /^Zurück zu/ }).getAttribute('href')
  expect(new URL(back ?? '').searchParams.get('error_description')).toBe(failures.validation_failed.message)
})

test('D-125: messages of success are in German, also the one about a delayed mail', async () => {
  const page = await pageAs(await someUser(plaza, { verified: false }), de)
  await page.goto('/verify-email')
  const wrong = `${german['failure.invalid_code']} Du kannst einen neuen senden lassen.`
  await send(page, { 'Code aus der Mail': '000000' }, 'Bestätigen', [wrong])
  const delayed = german['success.mails_delayed'].replace('{sentence}', german['success.code_mailed'])
  await send(page, {}, 'Code senden', [delayed])
})
