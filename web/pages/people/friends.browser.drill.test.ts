import { expect, test } from 'vitest'
import { decisions } from '../../../contract/decisions.ts'
import { listDirectMessages } from '../../../contract/conversations.ts'
import {
  announcePresence,
  listBlocks,
  listFriends,
  listPendingFriends,
  requestFriend,
} from '../../../contract/social.ts'
import { myPointsHistory } from '../../../contract/points.ts'
import { givePoints, someUser, type SomeUser } from '../../../server/test/world.ts'
import { expectAccessible, phone, proofDialog, prove, startConsole, type Page } from '../../test/browser.ts'
import { conversation, write } from '../../test/conversation.ts'

const { proved_seconds } = decisions.proofs
const { plaza, pageAs } = await startConsole()

const makeFriends = async (one: SomeUser, other: SomeUser) => {
  await one.api.result(requestFriend, { body: { friend_id: other.id } })
  await other.api.result(requestFriend, { body: { friend_id: one.id } })
}

async function find(page: Page, { username }: SomeUser) {
  await page.goto('/people')
  await page.getByLabel('Username').fill(username)
}

test('a request appears in the other browser without a reload, and its acceptance in both', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const [hers, his] = [await pageAs(ada), await pageAs(bob)]
  await his.goto('/friends')
  await his.getByText('No friends yet').waitFor()
  await find(hers, bob)
  await hers.getByRole('button', { name: `Ask to be friends: ${bob.username}` }).click()
  await hers.getByRole('button', { name: `Withdraw the request to ${bob.username}` }).waitFor()
  await his.getByRole('heading', { name: 'Requests to you' }).waitFor()
  await expectAccessible(his)
  await his.getByRole('button', { name: `Accept ${ada.username}` }).click()
  await his.getByRole('list', { name: 'Your friends' }).getByText(ada.username, { exact: true }).waitFor()
  await hers.getByText('Your friend', { exact: true }).waitFor()
  // Both pages are open, so both users are online.
  await his.getByRole('list', { name: 'Your friends' }).getByText('Online').waitFor()
  expect((await ada.api.result(listFriends)).map(({ id }) => id)).toEqual([bob.id])
})

test('a request can be withdrawn, and a friendship ended', async () => {
  const [ada, bob, carl] = [await someUser(plaza), await someUser(plaza), await someUser(plaza)]
  await makeFriends(ada, carl)
  const hers = await pageAs(ada)
  await find(hers, bob)
  await hers.getByRole('button', { name: `Ask to be friends: ${bob.username}` }).click()
  await hers.getByRole('link', { name: 'Your friends' }).click()
  await hers.getByRole('heading', { name: 'Requests from you' }).waitFor()
  await hers.getByRole('button', { name: `Withdraw the request to ${bob.username}` }).click()
  await hers.getByRole('heading', { name: 'Requests from you' }).waitFor({ state: 'detached' })
  await hers.getByRole('button', { name: `More about ${carl.username}` }).click()
  await hers.getByRole('menuitem', { name: 'End the friendship…' }).click()
  await hers.getByRole('button', { name: 'End friendship' }).click()
  await hers.getByText('No friends yet').waitFor()
  expect(await ada.api.result(listFriends)).toEqual([])
})

test('ending a friendship that the other has already ended sends no new request', async () => {
  const [ada, carl] = [await someUser(plaza), await someUser(plaza)]
  await makeFriends(ada, carl)
  const hers = await pageAs(ada)
  await hers.goto('/friends')
  await hers.getByRole('button', { name: `More about ${carl.username}` }).click()
  await hers.getByRole('menuitem', { name: 'End the friendship…' }).click()
  const dialog = hers.getByRole('dialog', { name: `End the friendship with ${carl.username}?` })
  await dialog.waitFor()
  await plaza.db.sql`update friendships set status = 'removed' where ${ada.id} in (low_id, high_id)`
  await hers.getByRole('button', { name: 'End friendship' }).click()
  await hers.getByText(`${carl.username} had already ended the friendship.`).waitFor()
  expect(await carl.api.result(listPendingFriends)).toEqual([])
})

test('only visible friends are rendered, and the keyboard reaches all of them', async () => {
  const ada = await someUser(plaza)
  const now = plaza.clock.now()
  await plaza.db.sql`
    with made as (
      insert into users (id, email, username, password_hash, tier, referral_code, registration_number, inserted_at)
      select gen_random_uuid(), 'crowd' || n || '@example.test', 'crowd' || n, '', 'free', 'crowd' || n, 900000 + n, ${now}
        from generate_series(1, 300) n returning id)
    insert into friendships (id, low_id, high_id, requester_id, status, sent_at, changed_at)
    select gen_random_uuid(), least(id, ${ada.id}::uuid), greatest(id, ${ada.id}::uuid), id, 'accepted', ${now}, ${now}
      from made`
  const page = await pageAs(ada)
  await page.goto('/friends')
  const list = page.getByRole('list', { name: 'Your friends' })
  // The page has loaded once it knows who is online.
  await list.getByText('Offline').first().waitFor()
  expect(await list.getByRole('listitem').count()).toBeLessThan(60)
  await list
    .getByRole('button', { name: /^More about/ })
    .first()
    .focus()
  const focused = () =>
    page.evaluate(() => document.activeElement?.closest('[role=listitem]')?.getAttribute('aria-posinset'))
  for (let at = 2; at <= 41; at += 1) {
    await page.keyboard.press('Tab')
    await expect.poll(focused).toBe(String(at))
    // From the name to the message and the menu of the same friend.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
  }
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight }))
  await expect.poll(() => list.getByRole('listitem').last().getAttribute('aria-posinset')).toBe('300')
  expect(await list.getByRole('listitem').count()).toBeLessThan(60)
  await expectAccessible(page)
})

test('the presence of a friend updates live', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  await makeFriends(ada, bob)
  const hers = await pageAs(ada)
  await hers.goto('/friends')
  await hers.getByText('Offline').waitFor()
  await bob.api.result(announcePresence, { body: { game: 'Chess', lobby: 'north' } })
  await hers.getByText('Online, in Chess: north').waitFor()
})

test('a block ends the friendship, hides the users from each other, and can be removed', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  await makeFriends(ada, bob)
  const hers = await pageAs(ada)
  await hers.goto('/friends')
  await hers.getByRole('button', { name: `More about ${bob.username}` }).click()
  await hers.getByRole('menuitem', { name: `Block ${bob.username}…` }).click()
  await hers.getByRole('dialog', { name: `Block ${bob.username}?` }).waitFor()
  await hers.getByRole('button', { name: 'Block', exact: true }).click()
  await hers.getByRole('list', { name: 'Blocked people' }).getByText(bob.username).waitFor()
  await hers.getByText('No friends yet').waitFor()
  await expectAccessible(hers)
  const his = await pageAs(bob)
  await find(his, ada)
  await his.getByText('Nobody’s username begins with').waitFor()
  await hers.getByRole('button', { name: `Unblock ${bob.username}` }).click()
  await hers.getByRole('heading', { name: 'Blocked' }).waitFor({ state: 'detached' })
  expect((await ada.api.result(listBlocks)).data).toEqual([])
})

test('a friendship that changes between the reads of the page and its event stream is shown', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const page = await pageAs(ada)
  let open: () => void = () => {}
  const opened = new Promise<void>((done) => (open = done))
  // The stream opens slowly, and the request arrives in the meantime.
  await page.route('**/api/events?*', async (route) => {
    await opened
    await route.continue()
  })
  const waiting = page.waitForRequest('**/api/events?*')
  await page.goto('/friends', { waitUntil: 'commit' })
  await waiting
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  await bob.api.result(requestFriend, { body: { friend_id: ada.id } })
  open()
  await page.getByRole('list', { name: 'Requests to you' }).getByText(bob.username, { exact: true }).waitFor()
})

test('a friendship that changed while another page was open is shown', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const page = await pageAs(ada)
  await page.goto('/friends')
  await page.getByText('No friends yet').waitFor()
  await page.getByRole('link', { name: 'Points' }).first().click()
  await page.getByRole('heading', { name: 'Points', level: 1 }).waitFor()
  await makeFriends(ada, bob)
  await page.getByRole('link', { name: 'Friends' }).first().click()
  await page.getByRole('list', { name: 'Your friends' }).getByText(bob.username, { exact: true }).waitFor()
})

test('while the event stream cannot be opened the lists are read, and once more when it can', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const page = await pageAs(ada)
  let reachable = false
  await page.route('**/api/events?*', (route) => (reachable ? route.continue() : route.abort('connectionreset')))
  await page.goto('/friends')
  await page.getByText('No friends yet').waitFor()
  await makeFriends(ada, bob)
  reachable = true
  await page.getByRole('list', { name: 'Your friends' }).getByText(bob.username, { exact: true }).waitFor()
})

test('D-161, D-162: friends write to each other; unread, edited, answered and deleted messages; offline ones come later, once', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  await makeFriends(ada, bob)
  const [hers, his] = [await pageAs(ada), await pageAs(bob, { viewport: { width: 640, height: 400 } })]
  await Promise.all([hers.goto('/friends'), his.goto('/learning')])
  await hers.getByRole('link', { name: `Message ${bob.username}` }).click()
  await hers.getByText('No messages yet').waitFor()
  await write(hers, 'Good evenig, Bob')
  await expect.poll(() => his.title()).toMatch(/^\(1\)/)
  await his.goto('/chat')
  // In a low window, as at 200 % zoom, the composer is in view.
  await his.getByRole('textbox', { name: /^Message to/ }).waitFor()
  const composer = await his.getByRole('button', { name: 'Send' }).boundingBox()
  expect(composer!.y + composer!.height).toBeLessThanOrEqual(400)
  await his.getByRole('button', { name: `${ada.username} 1 new` }).click()
  await conversation(his).getByText('Good evenig, Bob').waitFor()
  await expect.poll(() => his.title()).not.toMatch(/^\(/)

  await hers.getByRole('textbox', { name: /^Message to/ }).press('ArrowUp')
  await hers.getByRole('textbox', { name: 'Edit the message' }).fill('Good evening, Bob')
  await hers.keyboard.press('Enter')
  await conversation(his).getByText('Good evening, Bob').waitFor()
  await conversation(his).getByText('edited').waitFor()
  await his.getByRole('button', { name: `More about the message of ${ada.username}` }).press('Enter')
  await expectAccessible(his)
  await his.getByRole('menuitem', { name: 'Party' }).press('Enter')
  await conversation(hers).getByRole('button', { name: 'Party: 1 person' }).click()
  await conversation(his).getByRole('button', { name: 'Party: 2 people', pressed: true }).waitFor()
  await expectAccessible(hers)
  await hers.getByRole('button', { name: `More about the message of ${ada.username}` }).press('Enter')
  await hers.getByRole('menuitem', { name: 'Delete…' }).click()
  await hers.getByRole('button', { name: 'Delete', exact: true }).click()
  await conversation(his).getByText('This message was deleted.').waitFor()

  await hers.context().setOffline(true)
  await write(hers, 'from the tunnel')
  await hers.getByText('It is sent as soon as Plaza can be reached.').waitFor()
  await hers.close()
  const again = await hers.context().newPage()
  await again.context().setOffline(false)
  await again.goto('/learning')
  await conversation(his).getByText('from the tunnel').waitFor()
  await again.goto(`/chat?with=${bob.id}`)
  await conversation(again).getByText('from the tunnel').waitFor()
  expect(await again.evaluate(() => localStorage.getItem('plaza.outbox'))).toBe(null)
  const messages = await bob.api.result(listDirectMessages, { params: { user_id: ada.id } })
  expect(messages.map(({ filtered_body }) => filtered_body)).toEqual([
    'from the tunnel',
    'This message was deleted by its sender.',
  ])
})

test('D-137: a friend is paid by QR code on a phone, with one undo', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  await makeFriends(ada, bob)
  await givePoints(plaza, ada, 100)
  const [his, hers] = [await pageAs(bob), await pageAs(ada, { viewport: phone })]
  await his.goto('/points')
  await his.getByRole('button', { name: 'Send', exact: true }).click()
  await his.getByRole('combobox', { name: 'To' }).and(his.locator(':focus')).waitFor()
  await his.getByRole('button', { name: 'Cancel' }).click()
  await his.getByRole('link', { name: 'Your QR code' }).click()
  await his.getByRole('img', { name: 'QR code of your page' }).waitFor()
  await expectAccessible(his)
  const scanned = `${plaza.url}/u/${bob.username}`
  expect(await squaresOf(his)).toBe(await blackModulesOf(scanned))

  await hers.goto(scanned)
  await expect.poll(() => hers.title()).toBe(`${bob.username} · Plaza`)
  await hers.getByText('You have 100 points.').waitFor()
  await hers.getByLabel('Points', { exact: true }).fill('101')
  await hers.getByRole('button', { name: 'Send', exact: true }).click()
  await hers.getByText('This is more than you have.').waitFor()
  await hers.getByLabel('Points', { exact: true }).fill('30')
  await hers.getByLabel('Note').fill('Lunch')
  const send = async () => {
    await hers.getByRole('button', { name: 'Send', exact: true }).click()
    await hers.getByRole('dialog').getByRole('button', { name: 'Send 30 points' }).click()
  }
  await send()
  await hers.getByRole('button', { name: 'Undo' }).click()
  await hers.getByText('Undone: no points were sent.').waitFor()
  expect((await ada.api.result(myPointsHistory, { query: { direction: 'out' } })).data).toEqual([])
  await send()
  // Leaving the page sends immediately.
  await hers.goto('/points')
  await hers.getByText('Lunch').waitFor()
  await hers.getByText('70', { exact: true }).first().waitFor()
  expect(await bob.api.result(myPointsHistory)).toMatchObject({ data: [{ amount: 30, description: 'Lunch' }] })

  await his.goto('/friends')
  await his.getByRole('button', { name: `Send points to ${ada.username}` }).click()
  await his
    .getByRole('dialog', { name: `Send points to ${ada.username}` })
    .getByText('You have 30 points.')
    .waitFor()
  await his.keyboard.press('Escape')
  await his.getByRole('button', { name: `More about ${ada.username}` }).click()
  await his.getByRole('menuitem', { name: 'Ask for points…' }).click()
  await his.getByLabel('Points', { exact: true }).fill('20')
  await his.getByRole('button', { name: 'Ask for points' }).click()
  await his.getByText(`${ada.username} was asked for 20 points.`).waitFor()
  // It appears without a reload.
  await hers.getByRole('button', { name: `Pay 20 points to ${bob.username}` }).click()
  await hers.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
  await hers.getByText('Paid', { exact: true }).waitFor()
  expect((await bob.api.result(myPointsHistory)).data[0]).toMatchObject({ kind: 'direct', amount: 20 })
})

test('D-137: a large amount takes a proof; signing out sends at once, a closed tab sends once, a sign-out elsewhere asks to sign in, another sign-in sends nothing', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  await givePoints(plaza, ada, 5_000)
  const sent = async () =>
    (await bob.api.result(myPointsHistory)).data.map(({ amount }) => amount).toSorted((one, other) => one - other)
  const send = async (page: Page, amount: number) => {
    await page.goto(`/u/${bob.username}`)
    await page.getByLabel('Points', { exact: true }).fill(String(amount))
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Send [\d,]+ points$/ })
      .click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
  }
  const openMenu = (page: Page) => page.getByRole('button', { name: ada.username }).click()
  const signOut = (page: Page) => page.getByRole('menuitem', { name: 'Sign out' }).click()
  const page = await pageAs(ada)
  const context = page.context()
  const refused: string[] = []
  context.on('response', (response) => {
    if (response.status() === 401) refused.push(response.url())
  })

  // On a slow machine, a tab would send before it is closed.
  const sending = '**/api/points/transfers'
  await context.route(sending, (route) => route.abort())
  const twin = await context.newPage()
  const sendAndClose = async (tab: Page, amount: number) => {
    await send(tab, amount)
    await tab.close()
  }
  await Promise.all([sendAndClose(page, 10), sendAndClose(twin, 9)])
  await context.unroute(sending)
  const next = await context.newPage()
  await next.goto('/account')
  for (const amount of [9, 10]) await next.getByText(`${amount} points sent to ${bob.username}.`).waitFor()
  await context.route(sending, (route) => route.abort())
  await send(next, 11)
  await context.setOffline(true)
  await next.close()
  await context.unroute(sending)
  const online = await context.newPage()
  await context.setOffline(false)
  await online.goto('/account')
  await online.getByText(`11 points sent to ${bob.username}.`).waitFor()
  expect(await sent()).toEqual([9, 10, 11])

  plaza.clock.advance(proved_seconds)
  await send(online, 2_000)
  await openMenu(online)
  await signOut(online)
  await proofDialog(online).waitFor()
  await expectAccessible(online)
  await prove(online, ada.password)
  await online.getByRole('link', { name: 'Sign in' }).first().waitFor()
  expect(await sent()).toEqual([9, 10, 11, 2_000])
  await online.waitForLoadState('networkidle')
  expect(refused).toEqual([])

  const first = await pageAs(ada)
  const second = await first.context().newPage()
  await second.goto('/account')
  await openMenu(second)
  await send(first, 12)
  await signOut(second)
  await first.getByLabel('Password', { exact: true }).fill(ada.password)
  await first.getByRole('button', { name: 'Sign in', exact: true }).click()
  await first.getByText(`12 points sent to ${bob.username}.`).waitFor()
  expect(await sent()).toEqual([9, 10, 11, 12, 2_000])

  // Another person signs in while "Undo" is shown: nothing is sent for either of them.
  const his = await pageAs(bob)
  await his.goto('/account')
  const his_session = await his.evaluate<string>(`localStorage.getItem('plaza.session')`)
  await send(first, 13)
  await second.evaluate(`localStorage.setItem('plaza.session', ${JSON.stringify(his_session)})`)
  await first.getByText('No points were sent: somebody else has signed in.').waitFor()
  expect(await sent()).toEqual([9, 10, 11, 12, 2_000])
})

/** The modules of the QR code on a page, and the expected ones of a text. */
const squaresOf = (page: Page) =>
  page.getByRole('img', { name: 'QR code' }).evaluate((code) => code.innerHTML.match(/h1v1h-1z/g)?.length)
const blackModulesOf = async (text: string) => {
  const { create } = await import('qrcode')
  return [...create(text, { errorCorrectionLevel: 'M' }).modules.data].filter(Boolean).length
}
