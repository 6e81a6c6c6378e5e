import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { setAdminRoles } from '../../../contract/admin.ts'
import { rejectApp } from '../../../contract/admin-apps.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { adminListCampaigns, updateCampaign } from '../../../contract/admin-campaigns.ts'
import { adminListDeployTiers } from '../../../contract/admin-deployments.ts'
import { listMyApps, listScopeRequests, requestScopes } from '../../../contract/oauth-apps.ts'
import { openChannel, sendMessage } from '../../../contract/social.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { givePoints, pointsOf, raw, someApp, someUser, theAdmin } from '../../../server/test/world.ts'
import { waitForHeading, expectAccessible, startConsole, type Page } from '../../test/browser.ts'

const { plaza, pageAs } = await startConsole({})

const auditOf = async (target_id: string) => {
  const { data } = await (await theAdmin(plaza)).api.result(listAudit, { query: { target_id } })
  return data.map(({ action, details }) => ({ action, details }))
}

test('an admin reviews the queue of apps with the keyboard', async () => {
  const owner = await someUser(plaza)
  const [first, second] = [
    await someApp(plaza, { owner, approved: false }),
    await someApp(plaza, { owner, approved: false }),
  ]
  const nameOf = async ({ id }: { id: string }) =>
    (await owner.api.result(listMyApps)).find((app) => app.id === id)?.app_name ?? ''
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/review')
  // The oldest entry is first.
  await page.getByRole('heading', { name: await nameOf(first) }).waitFor()
  // Keys do nothing while the focus is outside the queue.
  await page.getByRole('tab', { name: 'Apps' }).focus()
  for (const key of ['j', 'a', 'r']) await page.keyboard.press(key)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('heading', { name: await nameOf(first) }).waitFor()
  await page.getByRole('group', { name: 'Apps' }).focus()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: await nameOf(second) }).waitFor()
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: await nameOf(first) }).waitFor()
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: `Approve ${await nameOf(first)} and list it?` }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByText(`${await nameOf(first)} is approved and listed in the directory.`).waitFor()
  await page.getByRole('heading', { name: await nameOf(second) }).waitFor()
  await page.keyboard.press('r')
  await page.getByRole('textbox', { name: 'Reason' }).fill('The redirect address is not yours.')
  await expectAccessible(page)
  await page.keyboard.press('Control+Enter')
  await page.getByText('No app is pending review').waitFor()
  const apps = await owner.api.result(listMyApps)
  const statusOf = (id: string) =>
    apps.filter((app) => app.id === id).map(({ is_approved, listed }) => ({ is_approved, listed }))
  expect(statusOf(first.id)).toEqual([{ is_approved: true, listed: true }])
  expect(statusOf(second.id)).toEqual([{ is_approved: false, listed: false }])
  expect(await auditOf(second.id)).toEqual([
    { action: 'app.reject', details: { reason: 'The redirect address is not yours.' } },
  ])
})

test('the selected app stays selected when others register, and an app that another admin decided is not decided again', async () => {
  const admin = await theAdmin(plaza)
  const owner = await someUser(plaza)
  const [first, second] = [
    await someApp(plaza, { owner, approved: false }),
    await someApp(plaza, { owner, approved: false }),
  ]
  const appsById = async () =>
    new Map(
      (await owner.api.result(listMyApps)).map(({ id, app_name, is_approved }) => [id, { app_name, is_approved }]),
    )
  const nameOf = async ({ id }: { id: string }) => (await appsById()).get(id)?.app_name ?? ''
  const page = await pageAs(firstAdmin)
  const refetch = async () => {
    await page.clock.setFixedTime(Date.now() + 60_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  }
  await page.goto('/admin/review')
  await page.getByRole('heading', { name: await nameOf(first) }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: await nameOf(second) }).waitFor()
  const third = await someApp(plaza, { owner, approved: false })
  await refetch()
  await page
    .getByRole('list', { name: 'Apps' })
    .getByText(await nameOf(third))
    .waitFor()
  await page.keyboard.press('a')
  await page.getByRole('dialog', { name: `Approve ${await nameOf(second)} and list it?` }).waitFor()
  // Another admin decides first; this page has not refetched yet.
  await admin.api.result(rejectApp, { params: { id: second.id }, body: { reason: 'Not yours.' } })
  await page.keyboard.press('Enter')
  await page.getByText(`${await nameOf(second)} was already decided by another admin.`).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  // After the refetch, the entry stays selected and its keys do nothing.
  await page.getByRole('region', { name: 'Selected entry' }).getByText('Already decided').waitFor()
  await page.getByRole('heading', { name: await nameOf(second) }).waitFor()
  await expectAccessible(page)
  await page.getByRole('group', { name: 'Apps' }).focus()
  for (const key of ['a', 'u', 'r']) await page.keyboard.press(key)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: await nameOf(third) }).waitFor()
  const left = await appsById()
  expect([first, second, third].map(({ id }) => left.get(id)?.is_approved)).toEqual([false, false, false])
  for (const { id } of [first, third]) await admin.api.result(rejectApp, { params: { id }, body: {} })
})

test('a scope request is denied with a reason, which is shown to admins; the owner sees its state', async () => {
  const app = await someApp(plaza)
  const request = await app.owner.api.result(requestScopes, {
    params: { id: app.id },
    body: { requested_scopes: ['deploy:manage'] },
  })
  const page = await pageAs(firstAdmin)
  await page.goto('/admin')
  await page.getByText('app asks for more scopes').waitFor()
  await page.getByRole('link', { name: 'Review requests' }).click()
  await page.getByText('Deploy and manage the app’s containers').waitFor()
  await page.getByRole('button', { name: 'Deny…' }).click()
  await page.getByRole('textbox', { name: 'Reason' }).fill('Tell us first what it will run.')
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.getByText('No scope request is pending review').waitFor()
  await page.getByRole('radiogroup', { name: 'Status' }).getByText('Denied').click()
  await page.getByText('Tell us first what it will run.').waitFor()
  expect(page.url()).toBe(`${plaza.url}/admin/review?what=scopes&status=denied`)
  const [decided] = await app.owner.api.result(listScopeRequests, { params: { id: app.id } })
  expect([decided?.id, decided?.status]).toEqual([request.id, 'denied'])
  const owner_page = await pageAs(app.owner)
  await owner_page.goto(`/apps/${app.id}?tab=scopes`)
  await owner_page.getByText('Denied', { exact: true }).waitFor()
  await owner_page.getByText('The reason came by mail.').waitFor()
})

const openPerson = (page: Page, { id }: { id: string }) => page.goto(`/admin/users/${id}`)

/** Submits the form and confirms the dialog, which names the user and the amount. */
async function award(page: Page, amount: string, { username, email }: { username: string; email: string }) {
  await page.getByLabel('Reason').fill('A test of awards')
  await page.getByRole('button', { name: `Award ${amount}…` }).click()
  const question = page.getByRole('dialog', { name: `Award ${amount}?` })
  await question.getByText(`${username} · ${email} gets ${amount}. This cannot be undone.`).waitFor()
  await question.getByRole('button', { name: `Award ${amount}`, exact: true }).click()
}

test('an award needs a confirmation that names the user and the amount', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(firstAdmin)
  await openPerson(page, user)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/admin/points/award')) sent.push(request.method())
  })
  await page.getByRole('textbox', { name: 'Points', exact: true }).fill('1000000000')
  await page.getByLabel('Reason').fill('A test of awards')
  const send = page.getByRole('button', { name: 'Award 1,000,000,000 points…' })
  await send.click()
  const question = page.getByRole('dialog', { name: 'Award 1,000,000,000 points?' })
  await question.getByText(`${user.username} · ${user.email} gets 1,000,000,000 points.`).waitFor()
  await expectAccessible(page)
  // Enter and Escape both cancel.
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  await send.click()
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect([sent, await pointsOf(user)]).toEqual([[], 0])
  await award(page, '1,000,000,000 points', user)
  await page.getByText('1,000,000,000 points awarded.').waitFor()
  expect([sent, await pointsOf(user)]).toEqual([['POST'], 1_000_000_000])
})

test('an award is listed; one whose response is lost is made once, however often the form is submitted', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(firstAdmin)
  const loseResponse = () =>
    page.route(
      '**/api/admin/points/award',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
  await page.goto('/admin/points')
  await page.getByRole('heading', { name: 'Award points' }).waitFor()
  await page.getByRole('combobox', { name: 'User' }).fill(user.username)
  await page.getByRole('option', { name: user.email }).click()
  await page.getByRole('textbox', { name: 'Points', exact: true }).fill('1250')
  await page.getByLabel('Description').fill('Found a bug')
  await award(page, '1,250 points', user)
  await page.getByText('1,250 points awarded.').waitFor()
  const latest = page.getByRole('region', { name: 'Latest awards' })
  await latest.getByText('Found a bug').waitFor()
  await latest.getByRole('link', { name: user.username }).waitFor()
  expect(await pointsOf(user)).toBe(1250)
  await page.getByRole('textbox', { name: 'Points', exact: true }).fill('70')
  await loseResponse()
  await award(page, '70 points', user)
  await page.getByText('the points may have been awarded').waitFor()
  await award(page, '70 points', user)
  await page.getByText('70 points awarded. The balance is 1,320 points now.').waitFor()
  // A changed form is another award: it is refused under the idempotency key of the first.
  await page.getByRole('textbox', { name: 'Points', exact: true }).fill('5')
  await loseResponse()
  await award(page, '5 points', user)
  await page.getByText('the points may have been awarded').waitFor()
  await page.getByRole('textbox', { name: 'Points', exact: true }).fill('6')
  await award(page, '6 points', user)
  await page.getByText('The previous award was made').waitFor()
  expect(await pointsOf(user)).toBe(1325)
})

test('a user is found, given a tier, suspended after a confirmation, and reinstated', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/users')
  await page.getByLabel('Search').fill(user.username)
  await page.getByRole('link', { name: user.username, exact: true }).click()
  const tier = page.locator('form', { has: page.getByLabel('Tier', { exact: true }) })
  await tier.getByLabel('Tier', { exact: true }).fill('gold')
  await tier.getByLabel('Reason').fill('Helped others')
  await tier.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Suspend…' }).click()
  const question = page.getByRole('dialog', { name: `Suspend ${user.username}?` })
  await question.getByRole('button', { name: 'Suspend', exact: true }).click()
  await question.getByText('Enter a reason: the audit log keeps it.').waitFor()
  await question.getByLabel('Reason').fill('Spam in five channels')
  await question.getByRole('button', { name: 'Suspend', exact: true }).click()
  await page.getByText(`${user.username} is suspended.`).waitFor()
  const refused = await raw(plaza, 'GET', '/api/auth/me', { headers: { authorization: `Bearer ${user.token}` } })
  expect(refused.status).toBe(401)
  await page.getByRole('button', { name: 'Lift the suspension…' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('Promised to stop')
  await page.getByRole('button', { name: 'Let them sign in' }).click()
  await page.getByText('May sign in', { exact: true }).first().waitFor()
  // Each opened part of the page has its own entry.
  const changes = (await auditOf(user.id)).filter(({ action }) => action !== 'user.read')
  expect(changes).toEqual([
    { action: 'user.update', details: { suspended: false, reason: 'Promised to stop' } },
    { action: 'user.update', details: { suspended: true, reason: 'Spam in five channels' } },
    { action: 'user.update', details: { tier: 'gold', reason: 'Helped others' } },
  ])
})

test('the ledger check shows its figures', async () => {
  const user = await someUser(plaza)
  await givePoints(plaza, user, 77)
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/ledger')
  await page.getByRole('button', { name: 'Run the check' }).click()
  await page.getByText('The ledger balances').waitFor()
  await page.getByText('Debited').waitFor()
  await plaza.db.sql`update point_accounts set credited = credited + 1 where id = ${user.id}`
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('The ledger does not balance').waitFor()
  await page
    .getByRole('region', { name: 'Errors' })
    .getByText('credited differs from the sum of its transfers')
    .waitFor()
  await expectAccessible(page)
  await plaza.db.sql`update point_accounts set credited = credited - 1 where id = ${user.id}`
})

test('D-110: the audit log is filtered by action, names and days, loads more while scrolling, and is saved as CSV', async () => {
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  for (let at = 0; at < 130; at += 1) await givePoints(plaza, user, 1)
  await givePoints(plaza, other, 9)
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/audit')
  const entries = page.getByRole('region', { name: 'Entries' })
  await entries.getByRole('listitem').first().waitFor()
  expect(await entries.getByRole('listitem').count()).toBeLessThan(60)
  await page.getByLabel('Done to').fill(user.username)
  await page.waitForURL(`${plaza.url}/admin/audit?target=${user.username}`)
  await page.getByText('100 entries').waitFor()
  await entries.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
  await page.getByText('130 entries').waitFor()
  await page.getByLabel('Done to').fill(other.username)
  await page.getByText('1 entry', { exact: true }).waitFor()
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByText('1 entry', { exact: true }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d{2}-\d{2}\.csv$/)
  await entries.getByText(`awarded 9 points to ${other.username}`).waitFor()
  await entries.getByRole('button', { name: 'Details' }).click()
  await page.getByRole('button', { name: 'Filter by this action' }).click()
  expect(await page.getByRole('combobox', { name: 'Action' }).inputValue()).toBe('awarded … to …')
  await expectAccessible(page)
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'left Plaza' }).click()
  await page.getByText('No entry matches the filter').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL(`${plaza.url}/admin/audit`)
  await entries.getByRole('listitem').first().waitFor()
})

test('a raw message is shown, and each access is audited once', async () => {
  const user = await someUser(plaza)
  const { id: channel_id } = await user.api.result(openChannel, { body: { type: 'table', ref_id: 'reported' } })
  const message = await user.api.result(sendMessage, { params: { channel_id }, body: { body: 'you fucking cheat' } })
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/messages')
  await page.getByText('Every access is recorded').waitFor()
  await page.getByLabel('Id of the message').fill('not an id')
  await page.getByRole('button', { name: 'Show the message' }).click()
  await page.getByText('An id has 36 characters').waitFor()
  await page.getByLabel('Id of the message').fill(randomUUID())
  await page.keyboard.press('Enter')
  await page.getByText('There is nothing here, or it is not yours.').waitFor()
  await page.getByLabel('Id of the message').fill(message.id)
  await page.keyboard.press('Enter')
  await page.getByText('you fucking cheat').waitFor()
  await page.getByText(message.filtered_body, { exact: true }).waitFor()
  await expectAccessible(page)
  expect(await auditOf(message.id)).toEqual([{ action: 'message.read', details: {} }])
})

test('a campaign is created, paused, and its limit removed', async () => {
  const admin = await theAdmin(plaza)
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/campaigns')
  await page.getByText('No campaign yet').waitFor()
  await page.getByRole('button', { name: 'New campaign' }).click()
  await page.getByRole('button', { name: 'Create the campaign' }).click()
  await page.getByText('Fill this in.').first().waitFor()
  await page.getByLabel('Name').fill('Autumn')
  // Neither a click outside the drawer nor Escape discards the input.
  await page.mouse.click(300, 400)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name').inputValue()).toBe('Autumn')
  await page.getByLabel('Payout rate').fill('0.25')
  await page.getByLabel('Most impressions').fill('1000')
  await page.getByLabel('Starts').fill('2030-01-02T03:04')
  await page.getByLabel('Targeting').fill('{ "country": "LU" ')
  await page.getByRole('button', { name: 'Create the campaign' }).click()
  await page.getByText('This is not valid JSON').waitFor()
  await page.getByLabel('Targeting').fill('{ "country": "LU" }')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create the campaign' }).click()
  await page.getByText('Autumn is created.').waitFor()
  await page.getByRole('switch', { name: 'Autumn is active' }).click({ force: true })
  await page.getByText('Autumn is paused.').waitFor()
  await page.getByRole('button', { name: 'Autumn' }).click()
  await page.getByLabel('Most impressions').fill('')
  // Another admin changes it in the meantime: the form saves only its changed fields.
  const [{ id } = { id: '' }] = (await admin.api.result(adminListCampaigns)).data
  await admin.api.result(updateCampaign, { params: { id }, body: { weight: 7 } })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Autumn is saved.').waitFor()
  const starts_at = await page.evaluate(() => new Date('2030-01-02T03:04').toISOString())
  const { data } = await admin.api.result(adminListCampaigns)
  expect(data).toMatchObject([
    {
      name: 'Autumn',
      payout_rate: 0.25,
      weight: 7,
      active: false,
      starts_at,
      ends_at: null,
      max_impressions: null,
      targeting_metadata: { country: 'LU' },
    },
  ])
})

test('a deploy tier is added, and retired after a confirmation', async () => {
  const admin = await theAdmin(plaza)
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/tiers')
  await page.getByRole('button', { name: 'New tier' }).click()
  await page.getByLabel('Name').fill('Cabin')
  await page.getByLabel('Slug').fill('Cabin!')
  await page.getByLabel('Memory, MB').fill('256')
  await page.getByLabel('CPU, millicores').fill('250')
  await page.getByLabel('Points a month').fill('90')
  await page.getByRole('button', { name: 'Add to the catalogue' }).click()
  await page.getByText('Small letters, digits and hyphens').waitFor()
  await page.getByLabel('Slug').fill('cabin')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add to the catalogue' }).click()
  await page.getByText('Cabin is in the catalogue.').waitFor()
  await page.getByRole('button', { name: 'Retire… Cabin' }).click()
  await page.getByRole('button', { name: 'Retire the tier' }).click()
  await page.getByRole('button', { name: 'Offer again: Cabin' }).waitFor()
  const { data } = await admin.api.result(adminListDeployTiers)
  expect(data.filter(({ slug }) => slug === 'cabin')).toMatchObject([
    { name: 'Cabin', memory_limit_mb: 256, monthly_cost_points: 90, monthly_cost_sats: null, retired: true },
  ])
})

test('a role change takes effect after a while without a new sign-in', async () => {
  const remembered = (page: Page, is_admin: boolean) =>
    page.evaluate((role) => {
      const session = JSON.parse(localStorage.getItem('plaza.session') ?? '{}') as { user: object }
      localStorage.setItem('plaza.session', JSON.stringify({ ...session, user: { ...session.user, is_admin: role } }))
    }, is_admin)
  const page = await pageAs(await someUser(plaza))
  await page.goto('/status')
  await remembered(page, true)
  await page.goto('/admin/users')
  await page.getByText('This page is for admins').waitFor()
  const admin = await pageAs(firstAdmin)
  await admin.goto('/status')
  await remembered(admin, false)
  await admin.goto('/admin/users')
  await admin.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  const second = await someUser(plaza)
  const later = await pageAs(second)
  await later.goto('/admin/users')
  await later.getByText('This page is for admins').waitFor()
  await plaza.db.sql`update users set is_admin = true where id = ${second.id}`
  await later.clock.setFixedTime(Date.now() + 6 * 60_000)
  await later.evaluate(() => dispatchEvent(new Event('focus')))
  await later.getByRole('heading', { name: 'Users', level: 1 }).waitFor()
  await plaza.db.sql`update users set is_admin = false where id = ${second.id}`
})

test('D-136: a second person sees whom an award is for, how much and why, approves it, and stays named', async () => {
  const [user, asker, admin] = [await someUser(plaza), await someUser(plaza), await theAdmin(plaza)]
  await admin.api.result(setAdminRoles, { params: { id: asker.id }, body: { roles: ['finance'], reason: 'A test' } })
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/second-person')
  await waitForHeading(page, 'Second person')
  await plaza.db.sql`
    insert into reviews (id, kind, user_id, amount, description, reason, transfer_id, asked_by, inserted_at, expires_at)
    values (${randomUUID()}, 'award', ${user.id}, 5000, 'Prize of the year', 'The jury’s vote', ${randomUUID()}, ${asker.id},
            ${plaza.clock.now()}, ${plaza.clock.now()}::timestamptz + interval '7 days')`
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Approve it?' })
  for (const words of [user.username, '5,000 points', 'Prize of the year', 'The jury’s vote'])
    await question.getByText(words).waitFor()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Approve' }).click()
  const row = page.getByRole('row').filter({ hasText: user.username })
  await row.getByText('Approved').waitFor()
  await row.getByRole('link', { name: 'root' }).waitFor()
  expect(await pointsOf(user)).toBe(5000)
})
