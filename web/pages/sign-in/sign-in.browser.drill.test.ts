import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import {
  enableTotp,
  endOtherLoginSessions,
  listLoginSessions,
  login,
  me,
  sendVerification,
  setupTotp,
} from '../../../contract/accounts.ts'
import { failures } from '../../../contract/errors.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { someUser, type SomeUser } from '../../../server/test/world.ts'
import {
  expectAccessible,
  expectFits,
  phone,
  signIn,
  startConsole,
  waitForHeading,
  type Page,
} from '../../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole()

const password = (page: Page, name = 'Password') => page.getByLabel(name, { exact: true })

/** A user with two-factor authentication, and a generator of valid codes. */
async function guardedUser(): Promise<SomeUser & { code: () => string }> {
  const user = await someUser(plaza)
  const { secret } = await user.api.result(setupTotp)
  const code = () => generateSync({ secret, epoch: Math.floor(plaza.clock.now().getTime() / 1000) })
  await user.api.result(enableTotp, { body: { code: code() } })
  plaza.clock.advance(60)
  return { ...user, code }
}

test('a user signs in and returns to the page that required it, but to no other site', async () => {
  const user = await someUser(plaza)
  const page = await newPage()
  await page.goto('/verify-email?next=%2Fstatus')
  await waitForHeading(page, 'Sign in')
  expect(page.url()).toBe(`${plaza.url}/sign-in?next=%2Fverify-email%3Fnext%3D%252Fstatus`)
  // The error page of a proxy is not reported as a lost connection.
  const bad_gateway = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }
  await page.route(`**${login.path}`, (route) => route.fulfill(bad_gateway), { times: 1 })
  await signIn(page, { ...user, password: 'not the password' })
  await page.getByRole('alert').getByText('The service answered 502.').waitFor()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText(failures.invalid_credentials.message).waitFor()
  await password(page).fill(user.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${plaza.url}/verify-email?next=%2Fstatus`)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${plaza.url}/status`)
  await page.goto(`/sign-in?next=${encodeURIComponent('//evil.test/')}`)
  await waitForHeading(page, `Hello, ${user.username}`)
  expect(page.url()).toBe(`${plaza.url}/`)
})

test('D-14: an account with a second factor is requested for a code; a wrong code can be corrected', async () => {
  const user = await guardedUser()
  const page = await newPage()
  await page.goto('/sign-in')
  await signIn(page, user)
  const code = page.getByLabel('Two-factor code')
  await code.waitFor()
  expect(await code.evaluate((input) => input === document.activeElement)).toBe(true)
  await expectAccessible(page)
  await code.fill(user.code() === '000000' ? '000001' : '000000')
  await page.getByText(failures.invalid_totp_code.message).waitFor()
  // With a space, as authenticator apps show it.
  await code.fill(user.code().replace(/^(...)/, '$1 '))
  await waitForHeading(page, `Hello, ${user.username}`)
})

test('D-11: registration with a referral link, verification by the mailed link, then the next steps', async () => {
  const friend = await someUser(plaza)
  const { user: profile } = await friend.api.result(me)
  const page = await newPage({ viewport: phone })
  await page.goto(`/register?ref=${profile.referral_code}`)
  await waitForHeading(page, `${friend.username} invited you to Plaza`)
  await expectFits(page)
  await page.getByLabel('E-mail address').fill(friend.email)
  await page.getByLabel('Username').fill('no spaces')
  // A paste that nothing prevents is not cancelled.
  const ofPassword = (input: Element) => {
    const { type, autocomplete } = input as HTMLInputElement
    return [type, autocomplete, input.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true }))]
  }
  expect(await password(page).evaluate(ofPassword)).toEqual(['password', 'new-password', true])
  await password(page).fill('short')
  await page.getByLabel('Username').focus()
  await page.getByText('At least 8 characters.', { exact: true }).waitFor()
  await page.getByLabel('Username').fill('newcomer')
  await password(page).fill('a few words in a row')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByText(failures.email_taken.message).waitFor()
  await page.getByLabel('E-mail address').fill('newcomer@people.test')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await waitForHeading(page, 'Verify your e-mail address')
  await page.getByText('its outbox folder holds one for newcomer@people.test').waitFor()
  await expectAccessible(page)
  const link = /(http\S+\/verify-email#code=\d{6})\r?\n/.exec(await plaza.mailTo('newcomer@people.test'))?.[1] ?? ''
  await page.goto(link)
  await page.getByLabel('Code from the mail').waitFor()
  expect(await page.getByLabel('Code from the mail').inputValue()).toMatch(/^\d{6}$/)
  expect(page.url()).toBe(`${plaza.url}/verify-email`)
  await page.getByRole('button', { name: 'Verify' }).click()
  await waitForHeading(page, 'Hello, newcomer')
  await page.getByText('1 of 5 steps done').waitFor()
  expect((await friend.api.result(me)).user.stats.direct_referrals).toBe(1)
})

test('D-11: the code of a mailed link survives the sign-in and appears in no URL', async () => {
  const user = await someUser(plaza, { verified: false })
  const page = await newPage()
  const requested: string[] = []
  page.on('request', (sent) => requested.push(sent.url()))
  await page.goto('/verify-email#code=123456')
  await waitForHeading(page, 'Sign in')
  expect(page.url()).toBe(`${plaza.url}/sign-in?next=%2Fverify-email`)
  await page.reload()
  await signIn(page, user)
  await page.getByLabel('Code from the mail').waitFor()
  expect(await page.getByLabel('Code from the mail').inputValue()).toBe('123456')
  expect(await page.evaluate(() => Object.values(sessionStorage).join(' '))).not.toContain('123456')
  expect(requested.filter((url) => url.replace(/#.*/, '').includes('123456'))).toEqual([])
})

test('after a registration without a response the page offers the sign-in instead of “taken”', async () => {
  const page = await newPage()
  await page.route(`**${login.path}`, (route) => route.abort(), { times: 1 })
  await page.goto('/register?next=%2Fstatus')
  await page.getByLabel('E-mail address').fill('halfway@people.test')
  await page.getByLabel('Username').fill('halfway')
  await password(page).fill('a few words in a row')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await waitForHeading(page, 'Your account is created')
  await expectAccessible(page)
  expect(await page.getByLabel('E-mail address').inputValue()).toBe('halfway@people.test')
  await password(page).fill('a few words in a row')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await waitForHeading(page, 'Verify your e-mail address')
  expect(new URL(page.url()).searchParams.get('next')).toBe('/status')
})

test('D-11: a wrong code shows an error at its field, and a new one can be sent', async () => {
  const user = await someUser(plaza, { verified: false })
  const page = await pageAs(user)
  await page.goto('/')
  await page.getByRole('link', { name: 'Verify' }).click()
  await page.waitForURL('/verify-email')
  await page.getByRole('button', { name: 'Send the code' }).click()
  await page.getByText('A new code is in the outbox folder.').waitFor()
  const code = /code is (\d{6})/.exec(await plaza.mailTo(user.email))?.[1] ?? ''
  await page.getByLabel('Code from the mail').fill(code === '000000' ? '000001' : '000000')
  await page.getByText(`${failures.invalid_code.message} You can have a new one sent.`).waitFor()
  await page.getByLabel('Code from the mail').fill(code)
  await waitForHeading(page, `Hello, ${user.username}`)
})

test('D-15: the mailed link resets a forgotten password, once', async () => {
  const user = await someUser(plaza)
  const page = await newPage()
  await page.goto('/sign-in')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await waitForHeading(page, 'Forgot your password?')
  await page.getByLabel('E-mail address').fill(user.email)
  await page.getByRole('button', { name: 'Send the mail' }).click()
  await waitForHeading(page, 'Check your mail')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Check your mail')
  const link = /(http\S+\/reset-password#code=\S+)/.exec(await plaza.mailTo(user.email))?.[1] ?? ''
  await page.goto(link)
  await waitForHeading(page, 'Set a new password')
  expect(page.url()).toBe(`${plaza.url}/reset-password`)
  await password(page, 'New password').fill('another row of words')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await waitForHeading(page, 'Your new password is set')
  const again = await newPage()
  await again.goto(link)
  await password(again, 'New password').fill('the thief’s password')
  await again.getByRole('button', { name: 'Set the password' }).click()
  await again.getByText(failures.invalid_code.message).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await signIn(page, { ...user, password: 'another row of words' })
  await waitForHeading(page, `Hello, ${user.username}`)
})

test('an expired session is renewed in a dialog: the form keeps its input and continues', async () => {
  const user = await someUser(plaza, { verified: false })
  const page = await pageAs(user)
  await page.goto('/verify-email')
  await page.getByLabel('Code from the mail').waitFor()
  await user.api.result(endOtherLoginSessions)
  await page.getByLabel('Code from the mail').fill('123456')
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await expectAccessible(page)
  expect(await dialog.getByLabel('E-mail address').inputValue()).toBe(user.email)
  await dialog.getByLabel('Password', { exact: true }).fill(user.password)
  await page.keyboard.press('Enter')
  // The interrupted call is repeated, and the page reports that the code is wrong.
  await page.getByText(failures.invalid_code.message).waitFor()
  expect(await page.getByLabel('Code from the mail').inputValue()).toBe('123456')
})

test('signing out ends the session on the server and in every tab', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/')
  const other = await page.context().newPage()
  await other.goto('/verify-email')
  await waitForHeading(other, 'Your e-mail address is verified')
  const sending = await page.context().newPage()
  await sending.goto(`/u/${(await someUser(plaza)).username}`)
  await sending.getByLabel('Note').fill('Lunch')
  const typing = await page.context().newPage()
  await typing.goto('/account/security')
  await typing.getByLabel('New password', { exact: true }).fill('four words and a lion')
  expect((await user.api.result(listLoginSessions)).sessions).toHaveLength(2)
  await page.getByRole('button', { name: user.username }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await waitForHeading(page, 'One account and one balance for many apps')
  await waitForHeading(other, 'Sign in')
  await other.getByText('You signed out in another tab.').waitFor()
  await sending.getByRole('dialog', { name: 'Sign in again' }).getByText('You signed out in another tab.').waitFor()
  expect(await sending.getByLabel('Note').inputValue()).toBe('Lunch')
  // A typed password is not kept on a shared computer.
  await waitForHeading(typing, 'Sign in')
  await expect.poll(async () => (await user.api.result(listLoginSessions)).sessions.length).toBe(1)
  await signIn(page.context().pages()[1] as Page, firstAdmin)
  await page.getByRole('heading', { name: /^Hello, / }).waitFor()
})

test('a refused call is not repeated for another user who has signed in since', async () => {
  const [before, after] = [await someUser(plaza, { verified: false }), await someUser(plaza, { verified: false })]
  const page = await pageAs(before)
  await page.goto('/verify-email')
  const sent: string[] = []
  let letGo: () => void = () => {}
  const held = new Promise<void>((done) => (letGo = done))
  await page.route(`**${sendVerification.path}`, async (route) => {
    sent.push(route.request().headers()['authorization'] ?? '')
    if (sent.length === 1) await held
    await route.continue()
  })
  await page.getByRole('button', { name: 'Send the code' }).click()
  await expect.poll(() => sent.length).toBe(1)
  const other = await page.context().newPage()
  await other.goto('/')
  await other.getByRole('button', { name: before.username }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await waitForHeading(other, 'One account and one balance for many apps')
  await expect.poll(async () => (await before.api.result(listLoginSessions)).sessions.length).toBe(1)
  await other.goto('/sign-in')
  await signIn(other, after)
  await waitForHeading(other, `Hello, ${after.username}`)
  await page.getByText(after.email).waitFor()
  const refused = page.waitForResponse(`**${sendVerification.path}`)
  letGo()
  expect((await refused).status()).toBe(401)
  await page.waitForLoadState('networkidle')
  expect(sent).toHaveLength(1)
})

test('too many attempts: the page says when to retry', async () => {
  const limited = await plaza.startAnother({ RATE_LIMIT_LOGIN: '1/60' })
  const user = await someUser(plaza)
  const page = await newPage({ baseURL: limited.url })
  await page.goto('/sign-in')
  await signIn(page, { ...user, password: 'wrong one' })
  await page.getByText('Too many attempts').waitFor()
  await page.getByText(/^You can try again in \d+ seconds\.$/).waitFor()
  await expectAccessible(page)
})
