import { expect, test } from 'vitest'
import { adminListApps, adminListScopeRequests, approveApp, approveScopeRequest } from '../../contract/admin.ts'
import { PlazaClient } from '../../contract/client.ts'
import { createReport } from '../../contract/moderation.ts'
import { createApp, listMyApps, requestScopes } from '../../contract/oauth-apps.ts'
import { authorize, token } from '../../contract/oauth.ts'
import { spendPoints } from '../../contract/points.ts'
import { listPendingFriends, openChannel, requestFriend, sendMessage } from '../../contract/social.ts'
import { firstAdmin } from '../../server/test/harness.ts'
import { any_image, someContainerHost } from '../../server/test/hosting-world.ts'
import { pkce } from '../../server/test/pkce.ts'
import { startReceiver } from '../../server/test/receiver.ts'
import { totpCode } from '../../server/test/two-factor.ts'
import {
  authorizationQuery,
  codeRequest,
  givePoints,
  pointsOf,
  someApp,
  someUser,
  theAdmin,
} from '../../server/test/world.ts'
import { signIn, startConsole, waitForHeading, type Page } from './browser.ts'
import { hosting_settings } from '../../server/test/settings.ts'

const { plaza, page: newPage } = await startConsole({ ...hosting_settings, WEBHOOK_ADDRESSES: 'any' })
const anonymous = new PlazaClient(plaza.url)

/** What nobody should read who only wants to get on: ids to copy, decisions by number, and what a program says to itself. */
const never = [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/, /\bD-\d+\b/, /\b(?:undefined|null|NaN)\b|\[object/]
/** Words of an API. An operator reads some: those of OAuth, and names of events. */
const of_programs = /\b[a-z]+_[a-z_]+\b/

/** Each task ends at a page that explains itself and leads on. */
async function expectPlain(page: Page, task: string, words: RegExp[]) {
  const seen = await page.locator('body').innerText()
  for (const word of words) expect(seen, `${task}: ${page.url()}`).not.toMatch(word)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  expect(await page.getByRole('main').getByRole('link').or(page.getByRole('button')).count(), task).toBeGreaterThan(0)
}

/** Does the tasks one after the other, each from the page where the last one ended. Nothing is typed into the address bar. */
async function newcomer(page: Page, tasks: Record<string, () => Promise<unknown>>, words: RegExp[]) {
  expect(Object.keys(tasks)).toHaveLength(10)
  for (const [task, act] of Object.entries(tasks)) {
    await act()
    await expectPlain(page, task, words)
  }
}

const goTo = async (page: Page, name: string, heading: string | RegExp = name) => {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
  await waitForHeading(page, heading)
}

/** Somebody who read a mail, and looks at the page again: it shows what the mail told. */
const comesBack = (page: Page, count: () => Promise<number>) =>
  expect
    .poll(
      async () => {
        await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
        return count()
      },
      { interval: 1_000 },
    )
    .toBeGreaterThan(0)

async function signInFromLanding(page: Page, user: { email: string; password: string }) {
  await page.goto('/')
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await signIn(page, user)
  await waitForHeading(page, /^Hello, /)
}

test('a person who is new here does ten things', async () => {
  const friend = await someUser(plaza)
  const shop = await someApp(plaza, {
    scopes: ['profile:read', 'points:spend'],
    redirect_uris: ['https://shop.example/back'],
  })
  const admin = await theAdmin(plaza)
  await admin.api.result(approveApp, { params: { id: shop.id }, body: { listed: true } })
  const [{ app_name } = { app_name: '' }] = await shop.owner.api.result(listMyApps)
  const mine = { email: 'nora@people.test', username: 'nora', password: 'a few words in a row' }
  const page = await newPage()
  await page.route('https://shop.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Shop</h1><main><a href="/">On</a></main>' }),
  )
  const { code_verifier, code_challenge } = pkce()
  let secret = ''
  const tasks = {
    'make an account': async () => {
      await page.goto('/')
      await page.getByRole('link', { name: 'Create an account' }).first().click()
      await page.getByLabel('E-mail address').fill(mine.email)
      await page.getByLabel('Username').fill(mine.username)
      await page.getByLabel('Password', { exact: true }).fill(mine.password)
      await page.getByRole('button', { name: 'Create the account' }).click()
      await waitForHeading(page, 'Verify your e-mail address')
      await page.getByLabel('Code from the mail').fill(/\b(\d{6})\b/.exec(await plaza.mailTo(mine.email))?.[1] ?? '')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('button', { name: 'Go on' }).click()
      await waitForHeading(page, 'Hello, nora')
    },
    'learn something, and earn points': async () => {
      await goTo(page, 'Learning', 'Choose a learning path')
      await page.getByRole('button', { name: 'Choose Bitcoin basics' }).click()
      await page.getByRole('link', { name: /^Begin: / }).click()
      await page.getByRole('button', { name: 'Complete this step' }).click()
      await page.getByText('Completed. You earned 5 points.').waitFor()
    },
    'see where the points came from': async () => {
      await goTo(page, 'Points')
      await page
        .getByRole('table')
        .getByRole('row', { name: /What money does/ })
        .waitFor()
    },
    'find a friend': async () => {
      await goTo(page, 'Find people')
      await page.getByLabel('Username').fill(friend.username)
      await page.getByRole('button', { name: `Ask to be friends: ${friend.username}` }).click()
      await page.getByRole('button', { name: `Withdraw the request to ${friend.username}` }).waitFor()
      const [request] = await friend.api.result(listPendingFriends)
      await friend.api.result(requestFriend, { body: { friend_id: request!.id } })
      await goTo(page, 'Friends')
      await page.getByRole('list', { name: 'Your friends' }).getByText(friend.username, { exact: true }).waitFor()
    },
    'say something in the chat': async () => {
      await goTo(page, 'Chat', /Lobby/)
      await page.getByLabel('Message to Lobby').fill('Hello, I am new here')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('region', { name: 'Messages in Lobby' }).getByText('Hello, I am new here').waitFor()
    },
    'let an app in, with a limit': async () => {
      await goTo(page, 'Directory', 'Directory of apps')
      await page.getByText(app_name).first().waitFor()
      const query = { ...authorizationQuery(shop, code_challenge), scope: 'profile:read points:spend', state: 'x' }
      await page.goto(`/oauth/authorize?${new URLSearchParams(query).toString()}`)
      await page.getByText(`${app_name} wants access to your account`).waitFor()
      await page.getByLabel('Daily limit').fill('3')
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL('https://shop.example/back?*')
      const code = new URL(page.url()).searchParams.get('code') ?? ''
      const { access_token } = await anonymous.result(token, { body: codeRequest(shop, { code, code_verifier }) })
      await anonymous.withToken(access_token).result(spendPoints, { body: { amount: 2, description: 'A sticker' } })
      await page.goto('/')
      await waitForHeading(page, 'Hello, nora')
    },
    'see what the app did, and put an end to it': async () => {
      await goTo(page, 'Connected apps')
      await page.getByText('At most 3 points in 24 hours', { exact: true }).waitFor()
      await page.getByRole('link', { name: 'Its movements' }).click()
      await page.getByRole('row', { name: /A sticker/ }).waitFor()
      await goTo(page, 'Connected apps')
      await page.getByRole('button', { name: `Disconnect ${app_name}` }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
      await page.getByText('No connected apps').waitFor()
    },
    'be safe from a stolen password': async () => {
      await goTo(page, 'Security')
      await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
      secret = ((await page.getByText(/^[A-Z2-7]{4}( [A-Z2-7]{1,4})+$/).textContent()) ?? '').replaceAll(' ', '')
      await page.getByLabel('Code', { exact: true }).fill(totpCode(plaza.clock, secret))
      await page.getByRole('button', { name: 'Turn it on' }).click()
      await page.getByLabel('I have saved these codes').check()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Turn it off' }).waitFor()
      plaza.clock.advance(60)
    },
    'have another name': async () => {
      await goTo(page, 'Account', 'Your account')
      await page.getByRole('link', { name: 'Change address or name' }).click()
      const form = page.locator('form', { has: page.getByLabel('New name') })
      await form.getByLabel('New name').fill('nora-b')
      await form.getByLabel('Your password').fill(mine.password)
      await form.getByLabel('Two-factor code').fill(totpCode(plaza.clock, secret))
      await form.getByRole('button', { name: 'Change the name' }).click()
      await page.getByText('Your name is changed.').waitFor()
      plaza.clock.advance(60)
    },
    'take everything along, and leave': async () => {
      await goTo(page, 'Account', 'Your account')
      await page
        .getByRole('link', { name: /delete|leave/i })
        .first()
        .click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download everything as JSON' }).click(),
      ])
      expect(file.suggestedFilename()).toMatch(/\.json$/)
      await page.getByRole('button', { name: 'Delete my account…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Your password').fill(mine.password)
      await dialog.getByLabel('Two-factor code').fill(totpCode(plaza.clock, secret))
      await dialog.getByRole('button', { name: 'Delete it for good' }).click()
      await waitForHeading(page, 'Your account is deleted')
    },
  }
  await newcomer(page, tasks, [...never, of_programs])
})

test('an operator who is new here does ten things', async () => {
  const [operator, buyer, admin] = [await someUser(plaza), await someUser(plaza), await theAdmin(plaza)]
  await someContainerHost(plaza)
  await givePoints(plaza, operator, 1_000)
  await givePoints(plaza, buyer, 100)
  const receiver = await startReceiver()
  const page = await newPage()
  const credentials = { id: '', owner: operator, client_id: '', client_secret: '' }
  const decide = async () => {
    const { data } = await admin.api.result(adminListApps, { query: { status: 'pending' } })
    const id = data.find(({ owner_id }) => owner_id === operator.id)!.id
    await admin.api.result(approveApp, { params: { id }, body: { listed: true } })
    return id
  }
  const openApp = async () => {
    await goTo(page, 'My apps')
    await page.getByRole('link', { name: 'Sticker Shop' }).click()
    await waitForHeading(page, 'Sticker Shop')
  }
  const openTab = (name: string) => page.getByRole('tab', { name, exact: true }).click()
  const tasks = {
    'register an app': async () => {
      await signInFromLanding(page, operator)
      await page.getByRole('navigation', { name: 'Spaces' }).getByRole('link', { name: 'Build' }).click()
      await page.getByRole('link', { name: 'Register your first app' }).click()
      await page.getByLabel('Name').fill('Sticker Shop')
      await page.getByLabel('Description').fill('Stickers, paid in points.')
      await page.getByLabel('Redirect URI 1').fill('https://stickers.example/callback')
      await page.getByRole('button', { name: 'Register the app' }).click()
      await page.getByRole('heading', { name: 'Sticker Shop is registered' }).waitFor()
      credentials.client_secret = await page.getByRole('textbox', { name: 'Client secret' }).innerText()
      await page.getByLabel('I have saved the secret').check()
      await page.getByRole('button', { name: 'Go to the app' }).click()
      await page.getByRole('heading', { name: 'Pending review' }).waitFor()
    },
    'hear that it is approved': async () => {
      const id = await decide()
      const [app] = await operator.api.result(listMyApps)
      credentials.client_id = app!.client_id
      expect(app!.id).toBe(id)
      await openApp()
      await comesBack(page, () => page.getByText('Approved', { exact: true }).count())
    },
    'ask for one more permission': async () => {
      await openTab('Scopes')
      await page.getByRole('checkbox', { name: 'deploy:manage' }).check()
      await page.getByRole('button', { name: 'Ask an admin' }).click()
      await page.getByText('An admin has not decided yet.').waitFor()
    },
    'hear of payments at an address of theirs': async () => {
      await openTab('Webhooks')
      await page.getByRole('button', { name: 'Add an address' }).click()
      const form = page.getByRole('dialog', { name: 'Add an address' })
      await form.getByLabel('Address').fill(receiver.url)
      await form.getByRole('button', { name: 'Add' }).click()
      await page.getByLabel('I have saved the secret').check()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: /test/i }).first().click()
      await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
    },
    'find what a person paid': async () => {
      const { code_verifier, code_challenge } = pkce()
      const shop = { ...credentials, redirect_uri: 'https://stickers.example/callback' }
      const query = { ...authorizationQuery(shop, code_challenge), scope: 'points:spend' }
      const { code } = await buyer.api.result(authorize, { query })
      const { access_token } = await anonymous.result(token, { body: codeRequest(shop, { code, code_verifier }) })
      await anonymous.withToken(access_token).result(spendPoints, { body: { amount: 30, reference: 'owl-1' } })
      await openTab('Payments')
      await page.getByLabel('Person').fill(buyer.username)
      await page.waitForURL((url) => url.search.includes(buyer.username))
      await expect.poll(() => page.getByRole('region', { name: 'Payments' }).getByRole('row').count()).toBe(2)
    },
    'give a part of it back': async () => {
      await page
        .getByRole('region', { name: 'Payments' })
        .getByRole('row', { name: /owl-1/ })
        .getByRole('button')
        .first()
        .click()
      const drawer = page.getByRole('dialog', { name: 'Payment' })
      await drawer.getByLabel('Points').fill('10')
      await drawer.getByLabel('Reason').fill('one was scratched')
      await drawer.getByRole('button', { name: 'Refund…' }).click()
      await page.getByRole('button', { name: 'Return 10 points' }).click()
      await drawer.getByRole('table', { name: 'Refunds' }).getByText('one was scratched').waitFor()
      expect(await pointsOf(buyer)).toBe(80)
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'detached' })
    },
    'see the balance': async () => {
      await openTab('Balance')
      await page.getByRole('region', { name: 'Days' }).getByRole('row').nth(1).getByText('20').first().waitFor()
    },
    'change the secret': async () => {
      await openTab('Secrets')
      await page.getByRole('button', { name: 'Add a secret' }).click()
      await page.getByLabel('I have saved the secret').check()
      await page.getByRole('button', { name: 'Done' }).click()
      const old = credentials.client_secret.slice(-4)
      await page.getByRole('button', { name: `Delete the secret ending in ${old}` }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText(`The secret ending in ${old} is deleted.`).waitFor()
    },
    'change what people read about the app': async () => {
      await openTab('Settings')
      await page.getByLabel('Description').fill('Stickers of owls, paid in points.')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved.').waitFor()
    },
    'host a container': async () => {
      const { data } = await admin.api.result(adminListScopeRequests, { query: { status: 'pending' } })
      for (const { id } of data) await admin.api.result(approveScopeRequest, { params: { id } })
      await goTo(page, 'Deployments')
      await comesBack(page, () => page.getByRole('button', { name: 'Open access' }).count())
      await page.getByRole('button', { name: 'Open access' }).click()
      await page
        .getByRole('main')
        .getByRole('link', { name: /deploy/i })
        .first()
        .click()
      await page.getByLabel('Name', { exact: true }).fill('owls')
      await page.getByLabel('Image').fill(any_image)
      await page.getByRole('button', { name: 'Deploy', exact: true }).click()
      await waitForHeading(page, /owls/)
    },
  }
  await newcomer(page, tasks, never)
})

test('an admin who is new here does ten things', async () => {
  const [anna, berta, owner] = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]
  const boats = { app_name: 'Paper Boats', redirect_uris: ['https://boats.example/callback'] }
  await owner.api.result(createApp, { body: boats })
  const asking = await someApp(plaza, { owner })
  await owner.api.result(requestScopes, { params: { id: asking.id }, body: { requested_scopes: ['points:read'] } })
  const { id: channel_id } = await berta.api.result(openChannel, { body: { type: 'lobby' } })
  const message = await berta.api.result(sendMessage, { params: { channel_id }, body: { body: 'Buy cheap points' } })
  await anna.api.result(createReport, { body: { message_id: message.id, reason: 'spam' } })
  const page = await newPage()
  const dialog = page.getByRole('dialog')
  const tasks = {
    'see what waits': async () => {
      await signInFromLanding(page, firstAdmin)
      await page.getByRole('navigation', { name: 'Spaces' }).getByRole('link', { name: 'Admin' }).click()
      await waitForHeading(page, 'Pending review')
      await page.getByText(/apps? asks? for more scopes/).waitFor()
    },
    'approve an app': async () => {
      await goTo(page, 'Review')
      await page.getByRole('heading', { name: 'Paper Boats' }).waitFor()
      await page.getByRole('button', { name: /^Approve and list/ }).click()
      await dialog.getByRole('button', { name: /^Approve/ }).click()
      await page.getByText('Paper Boats is approved and listed in the directory.').waitFor()
    },
    'let an app ask people for more': async () => {
      await page.getByRole('tab', { name: /^Scope/ }).click()
      await page.getByRole('button', { name: 'Approve…' }).click()
      await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByText('No scope request is pending review').waitFor()
    },
    'remove a message that was reported': async () => {
      await goTo(page, 'Reports')
      await page.getByLabel('The reported message').getByText('Buy cheap points').waitFor()
      await page.getByRole('button', { name: 'Remove message…' }).click()
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Advertising.')
      await dialog.getByRole('button', { name: 'Decide' }).click()
      await page.getByText('No report waits').waitFor()
    },
    'find a person, and give them points': async () => {
      await goTo(page, 'Users')
      await page.getByLabel('Search').fill(anna.username)
      await page.getByRole('link', { name: anna.username, exact: true }).click()
      await page.getByRole('textbox', { name: 'Points', exact: true }).fill('50')
      await page.getByLabel('Reason').first().fill('Found a fault')
      await page.getByRole('button', { name: 'Award 50 points…' }).click()
      await dialog.getByRole('button', { name: 'Award 50 points', exact: true }).click()
      await page.getByText('50 points awarded.').waitFor()
    },
    'suspend a person, and let them in again': async () => {
      await goTo(page, 'Users')
      await page.getByLabel('Search').fill(berta.username)
      await page.getByRole('link', { name: berta.username, exact: true }).click()
      await page.getByRole('button', { name: 'Suspend…' }).click()
      await dialog.getByLabel('Reason').fill('Advertising, again')
      await dialog.getByRole('button', { name: 'Suspend', exact: true }).click()
      await page.getByText(`${berta.username} is suspended.`).waitFor()
      await page.getByRole('button', { name: 'Lift the suspension…' }).click()
      await dialog.getByLabel('Reason').fill('Promised to stop')
      await dialog.getByRole('button', { name: 'Let them sign in' }).click()
      await page.getByText('May sign in', { exact: true }).waitFor()
    },
    'see who did what': async () => {
      await goTo(page, 'Audit log')
      await page.getByLabel('Done to').fill(berta.username)
      await page.getByText(/^\d+ entries read/).waitFor()
    },
    'offer a tier of hosting': async () => {
      await goTo(page, 'Deploy tiers')
      await page.getByRole('button', { name: 'New tier' }).click()
      const form = {
        Name: 'Cabin',
        Slug: 'cabin',
        'Memory, MB': '256',
        'CPU, millicores': '250',
        'Points a month': '90',
      }
      for (const [label, value] of Object.entries(form)) await page.getByLabel(label).fill(value)
      await page.getByRole('button', { name: 'Add to the catalogue' }).click()
      await page.getByText('Cabin is in the catalogue.').waitFor()
    },
    'show an ad': async () => {
      await goTo(page, 'Campaigns', /campaigns/i)
      await page.getByRole('button', { name: 'New campaign' }).click()
      await page.getByLabel('Name').fill('Autumn')
      await page.getByLabel('Payout rate').fill('0.25')
      await page.getByRole('button', { name: 'Create the campaign' }).click()
      await page.getByText('Autumn is created.').waitFor()
    },
    'check that no point was made or lost': async () => {
      await goTo(page, 'Ledger check')
      await page.getByRole('button', { name: 'Run the check' }).click()
      await page.getByText('The ledger balances').waitFor()
    },
  }
  await newcomer(page, tasks, never)
})
