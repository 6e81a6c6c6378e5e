import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { adminListApps, approveApp, approveScopeRequest, adminListScopeRequests } from '../../../contract/admin-apps.ts'
import { createApp, listMyApps, listSecrets, updateMyApp } from '../../../contract/oauth-apps.ts'
import { token } from '../../../contract/oauth.ts'
import { PlazaClient } from '../../../contract/client.ts'
import { startReceiver } from '../../../server/test/receiver.ts'
import { waitUntil } from '../../../server/test/wait.ts'
import { givePoints, pointsOf, someApp, someTokens, someUser, theAdmin, world } from '../../../server/test/world.ts'
import { spendPoints } from '../../../contract/points.ts'
import { createWebhook } from '../../../contract/webhooks.ts'
import { expectAccessible, expectFits, phone, startConsole } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole()
const anonymous = new PlazaClient(plaza.url)

test('the form says up front that the e-mail address is not verified', async () => {
  const page = await pageAs(await someUser(plaza, { verified: false }))
  await page.goto('/apps/new')
  await page.getByText('Verify your e-mail address first').waitFor()
})

test('an app is registered, approved by an admin, and spends points in the playground', async () => {
  const owner = await someUser(plaza)
  await givePoints(plaza, owner, 100)
  const page = await pageAs(owner)
  await page.goto('/apps/new')
  await page.getByLabel('Name').fill('Sticker Shop')
  await page.getByLabel('Description').fill('Stickers, paid in points.')
  await page.getByLabel('Redirect URI 1').fill('https://stickers.example/callback')
  await page.getByRole('button', { name: 'Add the playground’s' }).click()
  await page.getByRole('button', { name: 'Register the app' }).click()

  await page.getByRole('heading', { name: 'Sticker Shop is registered' }).waitFor()
  await expectAccessible(page)
  const secret = await page.getByRole('textbox', { name: 'Client secret' }).innerText()
  expect(secret).toMatch(/^plz_cs_/)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as .env' }).click(),
  ])
  expect(await readFile(await file.path(), 'utf8')).toContain(`CLIENT_SECRET=${secret}\n`)
  expect(await page.getByRole('button', { name: 'Go to the app' }).isDisabled()).toBe(true)
  await page.getByRole('link', { name: 'My apps' }).click()
  await page.getByRole('dialog', { name: 'Leave without the secret?' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByLabel('I have saved the secret').check()
  await page.getByRole('button', { name: 'Go to the app' }).click()

  await page.getByRole('heading', { name: 'Pending review' }).waitFor()
  await page.getByText('The decision and its reason are shown here').waitFor()
  expect(await page.content()).not.toContain(secret)

  const admin = await theAdmin(plaza)
  const { data } = await admin.api.result(adminListApps, { query: { status: 'pending' } })
  const { id } = data.find(({ owner_id }) => owner_id === owner.id)!
  await admin.api.result(approveApp, { params: { id }, body: { listed: true } })

  await page.goto(`/playground?app=${id}`)
  await page.getByRole('button', { name: 'Make the proof key' }).click()
  await page.getByText('stays with the app').waitFor()
  await page.getByRole('button', { name: 'Go to the consent page' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.getByText('state is the one that was sent').waitFor()
  await page.getByText('iss is this Plaza').waitFor()
  expect(page.url()).toBe(`${plaza.url}/playground?app=${id}`)

  await page.getByLabel('Client secret').first().fill(secret)
  await page.getByRole('button', { name: 'Exchange the code' }).click()
  const exchanged = page.getByRole('region', { name: 'Answer: Exchange the code' })
  await exchanged.waitFor()
  expect(await exchanged.innerText()).toMatch(/"access_token": "plz_at_….{4}"/)

  await page.getByRole('combobox', { name: 'Call' }).click()
  await page.getByRole('option', { name: 'POST /api/external/points/spend' }).click()
  await page.getByLabel('amount').fill('0')
  await page.getByText('At least 1.').waitFor()
  await page.getByLabel('amount').fill('30')
  await page.getByLabel('description').fill('Sticker: an owl')
  await page.getByRole('button', { name: 'Send the call' }).click()
  await page.getByRole('button', { name: 'Spend 30 points' }).click()
  const spent = page.getByRole('region', { name: 'Answer: Spend points of the user; the app earns them' })
  await spent.getByText('"amount_spent": 30').waitFor()
  expect(await pointsOf(owner)).toBe(70)
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  await page.getByRole('region', { name: 'Answer: Refresh' }).waitFor()
  await page.getByRole('button', { name: 'Introspect', exact: true }).click()
  await page.getByRole('region', { name: 'Answer: Introspect' }).getByText('"active": true').waitFor()
  await page.getByRole('button', { name: 'Revoke the refresh token', exact: true }).click()
  await page.getByRole('region', { name: 'Answer: Revoke the refresh token' }).waitFor()
  await page.getByRole('button', { name: 'Introspect', exact: true }).click()
  await page.getByText('"reason": "revoked"').waitFor()
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('the home of an app shows its figures live, and why a webhook fails; a test shows its answer', async () => {
  const { app, user, tokens } = await world(plaza, { points: 500, scopes: ['points:spend'] })
  const receiver = await startReceiver()
  receiver.answer((response) => void response.writeHead(500).end('boom'))
  await app.owner.api.result(createWebhook, { params: { id: app.id }, body: { url: receiver.url } })
  const spend = (amount: number) => tokens.api.result(spendPoints, { body: { amount } })
  for (const amount of [30, 45, 20]) await spend(amount)
  await waitUntil(() => receiver.received.length > 0, 'the deliveries')
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}`)
  const tile = (name: string) => page.getByRole('link', { name })
  await tile('Earned today 95 0 yesterday').waitFor()
  await tile('Earned in 30 days 95 0 in the 30 days before').waitFor()
  await tile('People 1 connected now or once').waitFor()
  await page.getByRole('figure', { name: '95 points earned in the last 30 days' }).waitFor()
  const payments = page.getByRole('region', { name: 'Payments' }).getByRole('row')
  expect(await payments.nth(1).innerText()).toMatch(new RegExp(`${user.username}[^]*\\+20`))
  await expectAccessible(page)
  await spend(5)
  await tile('Earned today 100 0 yesterday').waitFor()
  await page.getByRole('figure', { name: '100 points earned in the last 30 days' }).waitFor()

  // The owner looks for the cause of the webhook's failure.
  await page.getByText('500: boom').waitFor()
  await page.getByRole('link', { name: 'See why' }).click()
  const delivery = page.getByRole('dialog', { name: 'Delivery' })
  await delivery.getByText('boom', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await delivery.waitFor({ state: 'detached' })
  const alerts = page.getByRole('alert')
  const expectAnswer = async (text: string | RegExp) => {
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect
      .poll(() => {
        // After a failure the webhook pauses for a second.
        plaza.clock.advance(1)
        return alerts.getByText(text).count()
      })
      .toBeGreaterThan(0)
  }
  await expectAnswer('Test event: 500: boom')
  receiver.answer((response) => void response.writeHead(200).end())
  await expectAnswer(/^Test event: 200 in \d+ ms$/)
  const newest = page
    .getByRole('region', { name: `Log of ${receiver.url}` })
    .getByRole('row')
    .nth(1)
  await page.setViewportSize(phone)
  await newest.getByText(/^200 in \d+ ms$/).waitFor()

  // A tab of 0.2 redirects to its new place.
  await page.goto(`/apps/${app.id}?tab=figures`)
  await page.waitForURL(`**/apps/${app.id}?tab=people`)
  await page.getByRole('table', { name: 'Spends and awards in the last 30 days' }).waitFor({ state: 'attached' })
  await expectFits(page)
})

test('a secret is replaced without downtime: add, use, delete the old', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=secrets`)
  await page.getByText('never used').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add a secret' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a secret' }).click()
  const secret = await page.getByRole('textbox', { name: 'Client secret' }).innerText()
  await page.getByLabel('I have saved the secret').check()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row').nth(2).waitFor()

  await someTokens(plaza, { ...app, client_secret: secret }, app.owner)
  const old = app.client_secret.slice(-4)
  await page.reload()
  await page.getByRole('button', { name: `Delete the secret ending in ${old}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText(`The secret ending in ${old} is deleted.`).waitFor()
  const { secrets } = await app.owner.api.result(listSecrets, { params: { id: app.id } })
  expect(secrets.map(({ hint, last_used_at }) => [hint, last_used_at !== null])).toEqual([[secret.slice(-4), true]])
  const refused = await anonymous.call(token, {
    body: {
      grant_type: 'refresh_token',
      client_id: app.client_id,
      client_secret: app.client_secret,
      refresh_token: 'plz_rt_none',
    },
  })
  expect([refused.status, refused.ok || refused.body.error]).toEqual([400, 'invalid_client'])
})

test('D-133: a key of a build server is made with its permissions, end and network, and the list shows them', async () => {
  const app = await someApp(plaza)
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=secrets`)
  await page.getByRole('button', { name: 'Add a secret' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Build server')
  await dialog.getByLabel('Everything that the app may do').uncheck()
  const add = dialog.getByRole('button', { name: 'Add a secret' })
  await add.click()
  await dialog.getByText('Choose at least one.').waitFor()
  await dialog.getByLabel('Deploy and manage containers').check()
  await dialog.getByLabel('Push and pull images').check()
  await dialog.getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'in 90 days' }).click()
  await dialog.getByLabel('Network 1').fill('our office')
  await add.click()
  await dialog.getByText('must be an address or a network such as 203.0.113.0/24').waitFor()
  await dialog.getByLabel('Network 1').fill('203.0.113.0/24')
  await expectAccessible(page)
  await add.click()
  await page.getByLabel('I have saved the secret').check()
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Build server' })
  for (const text of ['deploy', 'registry', 'only from 203.0.113.0/24', 'in 3 months', `made by ${app.owner.username}`])
    await row.getByText(text).first().waitFor()
  await page.setViewportSize(phone)
  await expectFits(page)
})

test('settings are saved, unsaved ones stay when an admin decides meanwhile, and emptied fields are cleared', async () => {
  const owner = await someUser(plaza)
  const { app } = await owner.api.result(createApp, {
    body: { app_name: 'Slow Writer', redirect_uris: ['https://slow.example/cb'] },
  })
  const page = await pageAs(owner)
  await page.goto(`/apps/${app.id}?tab=settings`)
  await page.getByLabel('Description').fill('Half a sentence')
  const admin = await theAdmin(plaza)
  plaza.clock.advance(1)
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
  const website_url = 'https://slow.example/'
  await owner.api.result(updateMyApp, { params: { id: app.id }, body: { website_url } })
  const approved = async () => {
    await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
    return page.getByText('Approved', { exact: true }).count()
  }
  await expect.poll(approved, { interval: 1_000 }).toBe(1)
  expect(await page.getByLabel('Description').inputValue()).toBe('Half a sentence')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  expect(await page.getByLabel('Description').inputValue()).toBe('Half a sentence')
  const apps = await owner.api.result(listMyApps)
  expect(apps).toMatchObject([{ app_description: 'Half a sentence', website_url }])
  await expectAccessible(page)
  await page.getByLabel('Description').fill('')
  await page.getByLabel('Name').fill('Another name')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Another name' }).waitFor()
  const [saved] = await owner.api.result(listMyApps)
  expect([saved?.app_name, saved?.app_description || null]).toEqual(['Another name', null])
})

test('scopes are requested and removed, and the page explains the decision', async () => {
  const app = await someApp(plaza, { scopes: ['profile:read', 'points:read'] })
  const page = await pageAs(app.owner)
  await page.goto(`/apps/${app.id}?tab=scopes&ask=deploy:manage`)
  expect(await page.getByRole('checkbox', { name: 'deploy:manage' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Ask an admin' }).click()
  await page.getByText('An admin has not decided yet.').waitFor()
  await expectAccessible(page)
  const admin = await theAdmin(plaza)
  const { data } = await admin.api.result(adminListScopeRequests, { query: { status: 'pending' } })
  await admin.api.result(approveScopeRequest, { params: { id: data.find(({ app_id }) => app_id === app.id)!.id } })
  await page.reload()
  await page.getByText('Approved', { exact: true }).last().waitFor()
  await page.getByRole('checkbox', { name: 'points:read' }).uncheck()
  await page.getByRole('button', { name: 'Remove points:read' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The scopes are removed.').waitFor()
  const [saved] = await app.owner.api.result(listMyApps)
  expect(saved?.allowed_scopes).toEqual(['profile:read', 'deploy:manage'])
})

test('the playground shows a refusal, a pasted URL, and a response without a request', async () => {
  const app = await someApp(plaza, { redirect_uris: ['https://app.test/cb', `${plaza.url}/playground/callback`] })
  const page = await pageAs(app.owner)
  await page.goto('/playground/callback?code=plz_ac_x&state=y')
  await page.getByText('No authorization was started in this tab').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Open the playground' }).click()
  await page.getByRole('button', { name: 'Make the proof key' }).click()
  await page.getByRole('button', { name: 'Go to the consent page' }).click()
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('The user said no.').waitFor()

  await page.getByRole('button', { name: 'Start over' }).click()
  await page.getByRole('combobox', { name: 'Redirect URI' }).click()
  await page.getByRole('option', { name: 'https://app.test/cb' }).click()
  await page.getByText('Available after step 1.').waitFor()
  await page.getByRole('button', { name: 'Make the proof key' }).click()
  await page.getByLabel('Address that you came back to').fill('https://app.test/cb?code=plz_ac_stolen&state=another')
  await page.getByRole('button', { name: 'Use it' }).click()
  await page.getByText('An app must stop here').waitFor()
  await page.getByRole('button', { name: 'Exchange the code' }).click()
  await page.getByRole('region', { name: 'Answer: Exchange the code' }).getByText('"invalid_grant"').waitFor()
  await expectAccessible(page)
})

test('D-134: an owner moves an app into a new team, and the invited one accepts without a mail and sees the app', async () => {
  const app = await someApp(plaza)
  const [{ app_name } = { app_name: '' }] = await app.owner.api.result(listMyApps)
  const invited = await someUser(plaza)
  const page = await pageAs(app.owner)
  await page.goto('/teams')
  await page.getByRole('button', { name: 'Create a team' }).click()
  await page.getByLabel('Name').fill('Night shift')
  await page.getByRole('dialog').getByRole('button', { name: 'Create a team' }).click()
  await page.getByRole('link', { name: 'Night shift' }).click()
  await page.getByLabel('E-mail address').fill(invited.email)
  await page.getByRole('button', { name: 'Invite' }).click()
  await page.getByText(invited.email).waitFor()
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Log' }).click()
  await page.getByText('invited somebody as Developer').waitFor()
  await page.goto(`/apps/${app.id}?tab=settings`)
  await page.getByLabel('Move it to a team').selectOption('Night shift')
  await page.getByRole('button', { name: 'Move the app' }).click()
  await page.getByText('The app belongs to the team Night shift.').waitFor()

  const other = await pageAs(invited)
  await other.goto('/inbox')
  await other.getByRole('link', { name: 'The team Night shift invites you' }).click()
  await other.getByRole('button', { name: 'Accept' }).click()
  await other.getByRole('heading', { name: 'Night shift', level: 1 }).waitFor()
  await other.goto('/apps')
  await other.getByRole('link', { name: app_name }).waitFor()
})
