import { readFile } from 'node:fs/promises'
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../../contract/client.ts'
import { login, me, renewSession } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { failures } from '../../../contract/errors.ts'
import { someUser } from '../../../server/test/world.ts'
import {
  expectAccessible,
  expectFits,
  phone,
  proofDialog,
  prove,
  signIn,
  startConsole,
  waitForHeading,
  type Page,
} from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, page: newPage, pageAs } = await startConsole()
const { proved_seconds } = decisions.proofs
const anonymous = new PlazaClient(plaza.url)

const codeOf = (secret: string) => generateSync({ secret, epoch: Math.floor(plaza.clock.now().getTime() / 1000) })

/** Reads the recovery codes on the page, and confirms that they are saved. */
async function saveCodes(page: Page) {
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  expect(codes).toHaveLength(10)
  await page.getByLabel('I have saved these codes').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Turn it off' }).waitFor()
  return codes
}

test('two-factor authentication is set up, used with a code and a new recovery code, and turned off', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/account/security')
  await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
  await page.getByRole('img', { name: 'QR code with the key for your authenticator app' }).waitFor()
  const key = (await page.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{1,4})+$/).textContent()) ?? ''
  const secret = key.replaceAll(' ', '')
  await expectAccessible(page)
  await expectFitsPhone(page)

  await page.getByLabel('Code', { exact: true }).fill('000000')
  await page.getByText('This code is wrong.').waitFor()
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret).replace(/^.../, '$& '))

  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  await page.getByRole('link', { name: 'Points' }).first().click()
  await page.getByText('Save your recovery codes first').waitFor()
  expect(new URL(page.url()).pathname).toBe('/account/security')
  expect(await page.getByRole('button', { name: 'Done' }).isEnabled()).toBe(false)
  const first_codes = await saveCodes(page)
  expect(await readFile(await file.path(), 'utf8')).toContain(`\n${first_codes.join('\n')}\n`)
  for (const code of first_codes) expect(await page.content()).not.toContain(code)

  plaza.clock.advance(60)
  await page.getByRole('button', { name: 'Make new recovery codes' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make new codes' }).click()
  await prove(page, user.password, codeOf(secret))
  const codes = await saveCodes(page)

  plaza.clock.advance(60)
  const second = await newPage()
  await second.goto('/sign-in')
  await signIn(second, user)
  await second.getByLabel('Two-factor code').fill(codeOf(secret))
  await second.getByRole('button', { name: user.username }).waitFor()
  const third = await newPage()
  await third.goto('/sign-in')
  await signIn(third, user)
  await third.getByLabel('Two-factor code').fill(codes[0] ?? '')
  await third.keyboard.press('Enter')
  await third.getByRole('button', { name: user.username }).waitFor()

  plaza.clock.advance(proved_seconds)
  const turnOff = async () => {
    await page.getByRole('button', { name: 'Turn it off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Turn it off' }).click()
  }
  await turnOff()
  await prove(page, 'not the password', codeOf(secret))
  await proofDialog(page).getByText(failures.wrong_password.message).waitFor()
  await expectAccessible(page)
  await prove(page, user.password, codes[0] ?? '')
  await proofDialog(page).getByText('This code is wrong or was used already.').waitFor()
  await prove(page, user.password, codes[1] ?? '')
  await page.getByRole('button', { name: 'Set up two-factor authentication' }).waitFor()
  // The proof is still valid: no other field or dialog asks for one.
  await page.getByLabel('New password', { exact: true }).fill('four words and a lion')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('Your password is changed.').waitFor()
  expect(await proofDialog(page).count()).toBe(0)
  const { token } = await anonymous.result(login, { body: { email: user.email, password: 'four words and a lion' } })
  expect((await anonymous.withToken(token).result(me)).user.totp_enabled).toBe(false)
})

test('changing the password needs the current one, keeps this session and ends the others', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/account/security')
  const next = page.getByLabel('New password', { exact: true })
  const change = page.getByRole('button', { name: 'Change the password' })
  await next.fill('short')
  await change.click()
  await page.getByText('At least 8 characters.', { exact: true }).waitFor()
  await next.fill('four words and a whale')
  await change.click()
  await prove(page, 'not the password')
  await page.getByText(failures.wrong_password.message).waitFor()
  await proofDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('This needs a proof that it is you.').waitFor()
  await expectAccessible(page)
  expect((await anonymous.call(login, { body: user })).status).toBe(200)

  await change.click()
  await prove(page, user.password)
  await page.getByText('Your password is changed.').waitFor()
  expect(await next.inputValue()).toBe('')
  expect((await anonymous.call(login, { body: user })).status).toBe(401)
  expect((await user.api.call(me)).status).toBe(401)
  await page.reload()
  await waitForHeading(page, 'Security')
  await page.getByRole('link', { name: 'See all sign-ins' }).click()
  await waitForHeading(page, 'Sign-ins')
  await page.getByText('This device').waitFor()
  expect(await page.getByRole('list', { name: 'Sign-ins' }).getByRole('listitem').count()).toBe(1)
})

test('sign-ins are listed and ended one by one, or all others at once', async () => {
  const user = await someUser(plaza)
  const others = await Promise.all(
    [1, 2, 3].map(async () => {
      const { token } = await anonymous.result(login, { body: { email: user.email, password: user.password } })
      return anonymous.withToken(token)
    }),
  )
  const page = await pageAs(user, { viewport: phone })
  await page.goto('/account/sessions')
  const entries = page.getByRole('list', { name: 'Sign-ins' }).getByRole('listitem')
  await entries.first().waitFor()
  expect(await entries.count()).toBe(5)
  expect(await entries.first().textContent()).toContain('This device')
  await expectFits(page)
  await entries.nth(1).getByRole('button', { name: 'End' }).click()
  await page.getByText('The sign-in is ended.').waitFor()
  await expect.poll(() => entries.count()).toBe(4)

  await page.getByRole('button', { name: 'End all others' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End the other 3' }).click()
  await expect.poll(() => entries.count()).toBe(1)
  for (const { call } of others.map((api) => ({ call: () => api.call(me) }))) expect((await call()).status).toBe(401)
})

test('D-166: the console renews its session by a cookie that scripts cannot read; one tab renews for all', async () => {
  const user = await someUser(plaza)
  const page = await newPage()
  await page.goto('/sign-in?next=%2Faccount%2Fsessions')
  await signIn(page, user)
  await page.getByText('This device').waitFor()
  const cookies = await page.context().cookies()
  expect(cookies).toMatchObject([{ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' }])
  expect(await page.evaluate(() => document.cookie)).toBe('')

  plaza.clock.advance(13 * 3_600)
  const renewals: number[] = []
  page.context().on('response', (answer) => {
    if (answer.url().endsWith(renewSession.path)) renewals.push(answer.status())
  })
  const other = await page.context().newPage()
  await Promise.all([page.reload(), other.goto(`${plaza.url}/points`)])
  await page.getByText('This device').waitFor()
  await waitForHeading(other, 'Points')
  expect(renewals).toEqual([200])
})
