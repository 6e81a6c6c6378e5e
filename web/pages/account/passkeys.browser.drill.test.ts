import type { CDPSession } from 'playwright-core'
import { expect, test } from 'vitest'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { failures } from '../../../contract/errors.ts'
import { listPasskeys } from '../../../contract/passkeys.ts'
import { freePort } from '../../../server/test/free-port.ts'
import { someUser } from '../../../server/test/world.ts'
import {
  expectAccessible,
  proofDialog,
  prove,
  signIn,
  startConsole,
  waitForHeading,
  type Page,
} from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { proved_seconds } = decisions.proofs
// Browsers support passkeys for names only, not for IP addresses.
const port = await freePort()
const {
  plaza,
  page: newPage,
  pageAs,
} = await startConsole({
  PORT: String(port),
  PUBLIC_URL: `http://localhost:${port}`,
})

interface VirtualAuthenticator {
  cdp: CDPSession
  authenticatorId: string
}

/** Adds a device authenticator with user verification to the page's browser. */
async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

type Credentials = Awaited<ReturnType<typeof credentialsIn>>

/** The passkeys of a browser. Changing its window size or colours ends its authenticator, so read them before. */
async function credentialsIn({ cdp, authenticatorId }: VirtualAuthenticator) {
  return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials
}

/** Copies passkeys to the authenticator of another browser, such as a phone that is used with both. */
async function carry(credentials: Credentials, { cdp, authenticatorId }: VirtualAuthenticator) {
  for (const credential of credentials) await cdp.send('WebAuthn.addCredential', { authenticatorId, credential })
}

/** Adds a passkey for the user on the security page. */
async function addPasskey(page: Page, { password }: { password: string }, name?: string) {
  await page.goto('/account/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  if (name !== undefined) await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await prove(page, password)
  await page.getByText('The passkey is added.').waitFor()
}

/** A user with a passkey, with the page and authenticator that have it. */
async function passkeyUser() {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const authenticator = await addAuthenticator(page)
  await addPasskey(page, user, 'Laptop')
  return { user, page, authenticator, keys: await credentialsIn(authenticator) }
}

/** A signed-out page whose browser has the user's passkeys. */
async function elsewhere(keys: Credentials) {
  const page = await newPage()
  // The authenticator answers immediately: it would sign in through the offer at the address field.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)
  })
  await carry(keys, await addAuthenticator(page))
  return page
}

test('D-108: a passkey is added, used at the button, renamed and removed', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const authenticator = await addAuthenticator(page)
  await page.goto('/account/security')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Chrome on Linux')
  await dialog.getByLabel('Name').fill(' ')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('Fill this in.').waitFor()
  await dialog.getByLabel('Name').fill('Work laptop')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await prove(page, user.password)
  await page.getByText('The passkey is added.').waitFor()
  await page.getByRole('list', { name: 'Passkeys' }).getByText('Work laptop').waitFor()
  await page.getByText('not used yet').waitFor()
  const other = await elsewhere(await credentialsIn(authenticator))
  await expectAccessible(page)
  await expectFitsPhone(page)

  await other.goto('/sign-in?next=%2Fstatus')
  await other.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await other.waitForURL('**/status')
  await other.getByRole('button', { name: user.username }).waitFor()

  await page.reload()
  await page.getByText('last used').waitFor()
  await page.getByRole('button', { name: 'Rename Work laptop' }).click()
  await dialog.getByLabel('Name').fill('Old laptop')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  await expectAccessible(page)
  await expectFitsPhone(page)
  await dialog.getByRole('button', { name: 'Remove it' }).click()
  await page.getByText('The passkey is removed.').waitFor()
  await expect.poll(async () => (await user.api.result(listPasskeys)).passkeys).toEqual([])

  await other.evaluate('localStorage.clear()')
  await other.goto('/sign-in')
  await other.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await other.getByText(failures.invalid_passkey.message).waitFor()
})

test('D-108: the browser offers passkeys at the address field, and the choice signs in', async () => {
  const { user, keys } = await passkeyUser()
  const page = await newPage()
  await page.goto('/sign-in')
  await waitForHeading(page, 'Sign in')
  expect(await page.getByLabel('E-mail address').getAttribute('autocomplete')).toBe('username webauthn')
  // A conditional request waits for a choice; the virtual authenticator chooses as soon as it has the passkey.
  const virtual = await addAuthenticator(page)
  await carry(keys, virtual)
  await page.goto('/sign-in?next=%2Faccount')
  await page.waitForURL('**/account')
  await page.getByRole('button', { name: user.username }).waitFor()
})

test('D-108: the page reports a device that already has a passkey, and a cancelled request', async () => {
  const { user, page, authenticator } = await passkeyUser()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByText('This device has a passkey for your account already.').waitFor()
  await authenticator.cdp.send('WebAuthn.setUserVerified', {
    authenticatorId: authenticator.authenticatorId,
    isUserVerified: false,
  })
  await page.keyboard.press('Escape')
  plaza.clock.advance(proved_seconds)
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await dialog.getByRole('button', { name: 'Remove it' }).click()
  await proofDialog(page).getByRole('button', { name: 'Use a passkey' }).click()
  await proofDialog(page).getByText('No passkey was used: it was cancelled, or took too long.').waitFor()
  expect((await user.api.result(listPasskeys)).passkeys.length).toBe(1)
  await authenticator.cdp.send('WebAuthn.setUserVerified', {
    authenticatorId: authenticator.authenticatorId,
    isUserVerified: true,
  })
  await proofDialog(page).getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('The passkey is removed.').waitFor()
  expect((await user.api.result(listPasskeys)).passkeys).toEqual([])
})

test('D-108: sign-ins with the password ask for a passkey; recovery codes are saved and replace it', async () => {
  const { user, page, keys } = await passkeyUser()
  await page.getByRole('button', { name: 'Ask for a passkey too' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Ask from now on' }).click()
  await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  expect(codes).toHaveLength(10)
  await page.getByLabel('I have saved these codes').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Required', { exact: true }).waitFor()

  const other = await elsewhere(keys)
  await other.goto('/sign-in')
  await signIn(other, user)
  await other.getByLabel('Recovery code').waitFor()
  await other.getByRole('button', { name: 'Use a passkey' }).click()
  await waitForHeading(other, `Hello, ${user.username}`)

  const bare = await newPage()
  await bare.goto('/sign-in')
  await signIn(bare, user)
  await bare.getByLabel('Recovery code').waitFor()
  await bare.getByLabel('Recovery code').fill(codes[0] ?? '')
  await bare.keyboard.press('Enter')
  await waitForHeading(bare, `Hello, ${user.username}`)

  // Changes of the account also ask for the recovery code after the password, or for a passkey alone.
  await other.goto('/account/details')
  const form = other.locator('form', { has: other.getByLabel('New name') })
  await form.getByLabel('New name').fill(`${user.username}-2`)
  await form.getByRole('button', { name: 'Change the name' }).click()
  await proofDialog(other).getByLabel('Two-factor code').waitFor()
  await proofDialog(other).getByRole('button', { name: 'Use a passkey' }).click()
  await other.getByText('Your name is changed.').waitFor()
})

test('D-108: an expired session is signed in to again with a passkey; that of another account is refused', async () => {
  const { user, page } = await passkeyUser()
  await plaza.db.sql`update login_sessions set ended_at = now() where user_id = ${user.id}`
  const other = await passkeyUser()
  plaza.clock.advance(13 * 3600)
  await page.getByRole('link', { name: 'See all sign-ins' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This device').waitFor()
  expect((await other.user.api.call(me)).status).toBe(401)
})
