import { expect, test } from 'vitest'
import { approveApp } from '../../../contract/admin-apps.ts'
import { updateMyApp } from '../../../contract/oauth-apps.ts'
import { acceptInvitation, createTeam, inviteMember } from '../../../contract/teams.ts'
import { decisions } from '../../../contract/decisions.ts'
import { authorizationQuery, pkce, someApp, someCode, someUser, theAdmin } from '../../../server/test/world.ts'
import { enableTwoFactor } from '../../../server/test/two-factor.ts'
import { expectAccessible, proofDialog, prove, startConsole, waitForHeading } from '../../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole({ DNS_SERVERS: '127.0.0.1:1' })
const { proved_seconds } = decisions.proofs

test('D-117: consent, directory and Connected apps show the state of an app before its change', async () => {
  const app = await someApp(plaza, { redirect_uris: ['https://shop.test/cb'] })
  const params = { id: app.id }
  await app.owner.api.result(updateMyApp, { params, body: { app_name: 'A small shop' } })
  await (await theAdmin(plaza)).api.result(approveApp, { params, body: { listed: true } })
  const person = await someUser(plaza)
  await someCode(app, person)
  plaza.clock.advance(1)
  const body = { app_name: 'Plaza Bank', app_description: 'The bank of Plaza', redirect_uris: ['https://evil.test/cb'] }
  await app.owner.api.result(updateMyApp, { params, body })
  const page = await pageAs(person)
  const query = authorizationQuery({ ...app, redirect_uri: 'https://evil.test/cb' }, pkce().code_challenge)
  const places = [`/oauth/authorize?${new URLSearchParams(query).toString()}`, '/directory', '/connected-apps']
  for (const [at, place] of places.entries()) {
    await page.goto(place)
    const note = page.getByRole('note').filter({ hasText: 'Changed since it was reviewed' })
    await note.waitFor()
    const text = (await note.textContent()) ?? ''
    expect(text).toContain('Name: A small shop')
    expect(text).toContain('Description: none')
    if (at === 0) expect(text).toContain('Sends you to: shop.test')
    await expectAccessible(page)
  }
})

test('D-129: the console asks for a proof, and then makes the call', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  const other = await pageAs(user)
  await other.goto('/account')
  plaza.clock.advance(proved_seconds)
  await page.goto('/account/sessions')
  await page.getByRole('button', { name: 'End all others' }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^End/ }).click()
  await prove(page, 'not this one')
  await proofDialog(page).getByText('The password is wrong.').waitFor()
  await expectAccessible(page)
  await prove(page, user.password)
  await page.getByText('You are signed in here only').waitFor()
  // The proof is also valid for the export, until it expires.
  await page.goto('/account/leave')
  const save = page.getByRole('button', { name: /Save|Download/ }).first()
  await Promise.all([page.waitForEvent('download'), save.click()])
  plaza.clock.advance(proved_seconds)
  await save.click()
  await proofDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('This call needs a proof that it is you').waitFor()
})

test('D-134: the page of the deletion names the teams that lose their last owner, and leads to them', async () => {
  const [owner, member] = [await someUser(plaza), await someUser(plaza)]
  const { id } = (await owner.api.result(createTeam, { body: { name: 'Night shift' } })).team
  const body = { email: member.email, role: 'developer' as const }
  const { invitation } = await owner.api.result(inviteMember, { params: { id }, body })
  await member.api.result(acceptInvitation, { params: { code: invitation.id } })
  const page = await pageAs(owner)
  await page.goto('/account/leave')
  await page.getByText('You are the last owner of').waitFor()
  expect(await page.getByRole('button', { name: 'Delete my account' }).count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Night shift' }).click()
  await waitForHeading(page, /Night shift/)
})

test('the console says when a new password is among the most common, and loads the list for that only', async () => {
  const page = await newPage()
  const lists: string[] = []
  page.on('request', (request) => {
    if (/common-passwords/.test(request.url())) lists.push(request.url())
  })
  await page.goto('/register')
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('short')
  await password.fill('a few words in a row')
  await password.fill('Password1')
  await page.getByText('one of the 10,000 most common passwords').waitFor()
  expect(lists).toHaveLength(1)
  await expectAccessible(page)
  await password.fill('a few words in a row')
  await page.getByText('one of the 10,000 most common passwords').waitFor({ state: 'detached' })
})

test('an admin without a second factor is reminded on the pages of admins', async () => {
  const admin = await theAdmin(plaza)
  const page = await pageAs(admin)
  await page.goto('/admin')
  await page.getByText('Your password alone signs you in').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Set up a second factor' }).click()
  await waitForHeading(page, /./)
  expect(new URL(page.url()).pathname).toBe('/account/security')
  await enableTwoFactor(plaza, admin)
  await page.goto('/admin')
  await waitForHeading(page, /./)
  await page.getByText('Your password alone signs you in').waitFor({ state: 'detached' })
})
