import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { listMessages, openChannel, sendMessage } from '../../../contract/social.ts'
import { someUser, type SomeUser } from '../../../server/test/world.ts'
import { expectAccessible, startConsole, type Page } from '../../test/browser.ts'
import { conversation, write } from '../../test/conversation.ts'

const { plaza, pageAs } = await startConsole()

let tables = 0
const newTable = () => `round ${++tables}`
const addressOf = (table: string) => `/chat?table=${encodeURIComponent(table)}`

const channelOf = async ({ api }: SomeUser, ref_id: string) =>
  (await api.result(openChannel, { body: { type: 'table', ref_id } })).id

async function say({ api }: SomeUser, table: string, ...bodies: string[]) {
  const channel_id = await channelOf({ api } as SomeUser, table)
  for (const body of bodies) await api.result(sendMessage, { params: { channel_id }, body: { body } })
}

/** How far the element moves in ten frames, in pixels; undefined if it is not rendered. */
async function moved(page: Page, element: Locator) {
  const before = await element.boundingBox()
  await page.evaluate(async () => {
    for (let frames = 0; frames < 10; frames++) await new Promise((drawn) => requestAnimationFrame(drawn))
  })
  const after = await element.boundingBox()
  return before && after ? after.y - before.y : undefined
}

test('a message appears at once in the other browser, and so does the reply', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const [hers, his] = [await pageAs(ada), await pageAs(bob)]
  await Promise.all([hers.goto('/chat'), his.goto('/chat')])
  await Promise.all([hers, his].map((page) => conversation(page).waitFor()))
  await write(hers, 'Good evening, Bob')
  await conversation(his).getByText('Good evening, Bob').waitFor()
  await write(his, 'What a damn fine evening, Ada\nand a fucking cold one')
  await conversation(hers).getByText('What a damn fine evening, Ada').waitFor()
  await conversation(hers).getByText(ada.username).waitFor()
  // The optimistic text is replaced by the masked text of the response.
  for (const page of [hers, his]) {
    await conversation(page).getByText('**', { exact: false }).waitFor()
    expect(await conversation(page).getByText('fucking').count()).toBe(0)
    expect(await conversation(page).getByText('Good evening, Bob').count()).toBe(1)
  }
})

test('D-92: a message whose response was lost appears once after “Send again”', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const table = newTable()
  const [hers, his] = [await pageAs(ada), await pageAs(bob)]
  await Promise.all([hers, his].map((page) => page.goto(addressOf(table))))
  for (const page of [hers, his]) await page.getByText('No messages yet').waitFor()
  const keys: (string | undefined)[] = []
  await hers.route('**/api/social/chat/*/messages', async (route) => {
    const request = route.request()
    if (request.method() !== 'POST') return route.continue()
    keys.push(request.headers()['idempotency-key'])
    // The API processes the request; its response is lost.
    await route.fetch()
    return keys.length < 3 ? route.abort('connectionreset') : route.fallback()
  })
  await write(hers, 'Only once, please')
  for (let tries = 1; tries < 3; tries++) {
    await expect.poll(() => keys.length).toBe(tries)
    await hers.getByRole('button', { name: 'Send again' }).click()
  }
  await hers.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' })
  await write(hers, 'Only once, please')
  await expect.poll(() => keys.length).toBe(4)
  const channel_id = await channelOf(ada, table)
  const bodies = async () =>
    (await ada.api.result(listMessages, { params: { channel_id } })).map(({ filtered_body }) => filtered_body)
  // The same text typed again is another message.
  await expect.poll(bodies).toEqual(['Only once, please', 'Only once, please'])
  expect([new Set(keys.slice(0, 3)).size, new Set(keys).size]).toEqual([1, 2])
  for (const page of [hers, his])
    await expect.poll(() => conversation(page).getByText('Only once, please').count()).toBe(2)
})

test('a broken connection is shown, and missed messages appear after the reconnect', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const table = newTable()
  await say(bob, table, 'before')
  const page = await pageAs(ada)
  await page.goto(addressOf(table))
  await conversation(page).getByText('before').waitFor()
  await say(bob, table, 'while connected')
  await conversation(page).getByText('while connected').waitFor()
  await page.context().setOffline(true)
  await page.getByText('New messages do not arrive').waitFor()
  await say(bob, table, 'missed one', 'missed two')
  await write(page, 'into the void')
  await page.getByText('It is sent as soon as Plaza can be reached.').waitFor()
  await page.context().setOffline(false)
  await conversation(page).getByText('missed two').waitFor()
  await page.getByText('New messages do not arrive').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' })
  const channel_id = await channelOf(ada, table)
  const messages = () => ada.api.result(listMessages, { params: { channel_id } })
  await expect.poll(async () => (await messages()).length).toBe(5)
  await say(bob, table, 'live again')
  await conversation(page).getByText('live again').waitFor()
  const said = await messages()
  expect(said.map(({ filtered_body }) => filtered_body).reverse()).toEqual([
    'before',
    'while connected',
    'missed one',
    'missed two',
    'into the void',
    'live again',
  ])
  for (const { filtered_body } of said)
    expect(await conversation(page).getByText(filtered_body, { exact: true }).count()).toBe(1)
})

test('drafts and unsent messages survive leaving the page', async () => {
  const ada = await someUser(plaza)
  const table = newTable()
  const page = await pageAs(ada)
  const draft = page.getByRole('textbox', { name: /^Message to/ })
  await page.goto(addressOf(table))
  await page.getByText('No messages yet').waitFor()
  await page.route('**/messages', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
  await write(page, 'into the void')
  await page.getByText('It is sent as soon as Plaza can be reached.').waitFor()
  await draft.fill('half a thought')
  await page.getByRole('button', { name: 'Lobby' }).click()
  await page.getByRole('heading', { name: 'Lobby' }).waitFor()
  expect(await draft.inputValue()).toBe('')
  await page.getByRole('link', { name: 'Friends' }).first().click()
  await page.getByRole('heading', { name: 'Friends', level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Lobby' }).waitFor()
  await page.getByRole('button', { name: table, exact: true }).click()
  await page.getByText('It is sent as soon as Plaza can be reached.').waitFor()
  expect(await draft.inputValue()).toBe('half a thought')
})

test('older messages are prepended without moving the view, and only visible rows are rendered', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const table = newTable()
  await say(bob, table, ...Array.from({ length: 170 }, (_, at) => `line ${at}`))
  const page = await pageAs(ada)
  let release: () => void = () => undefined
  const held = new Promise<void>((done) => (release = done))
  await page.route(/messages\?.*before=/, async (route) => {
    await held
    await route.continue()
  })
  await page.goto(addressOf(table))
  const box = conversation(page)
  await box.getByText('line 169', { exact: true }).waitFor()
  await expect.poll(() => box.getByText('line 169', { exact: true }).isVisible()).toBe(true)
  expect(await box.getByRole('listitem').count()).toBeLessThan(80)
  await box.evaluate((element) => element.scrollTo({ top: 120 }))
  const row = box.getByText('line 125', { exact: true })
  await expect.poll(() => moved(page, row)).toBe(0)
  const before = await row.boundingBox()
  release()
  await expect.poll(() => box.evaluate((element) => element.scrollHeight)).toBeGreaterThan(2200)
  await expect.poll(() => moved(page, row)).toBe(0)
  const after = await row.boundingBox()
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? -1000))).toBeLessThanOrEqual(2)
  // Loads pages until the first line is there.
  await expect
    .poll(async () => {
      await box.evaluate((element) => element.scrollTo({ top: 0 }))
      return box.getByText('line 0', { exact: true }).count()
    })
    .toBe(1)
  await box.getByText('This is the first message').waitFor()
  expect(await box.getByRole('listitem').count()).toBeLessThan(80)
  // A new message does not scroll a reader who has scrolled up, and is counted.
  await say(bob, table, 'the newest')
  await page.getByRole('button', { name: '1 new below' }).click()
  await box.getByText('the newest').waitFor()
})

test('messages at other tables are counted as unread until the table is opened', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const table = newTable()
  const page = await pageAs(ada)
  await page.goto('/chat')
  await page.getByRole('button', { name: 'Open a table' }).click()
  await page.getByLabel('Name of the table').fill(table)
  await page.keyboard.press('Enter')
  await page
    .getByRole('region', { name: `Messages in ${table}` })
    .getByText('No messages yet')
    .waitFor()
  await page.getByRole('button', { name: 'Lobby' }).click()
  await page.getByRole('heading', { name: 'Lobby' }).waitFor()
  await say(bob, table, 'knock, knock')
  await page.getByRole('button', { name: `${table} 1 new` }).click()
  await conversation(page).getByText('knock, knock').waitFor()
  expect(await page.getByRole('button', { name: `${table} 1 new` }).count()).toBe(0)
  await page.getByRole('button', { name: `Close table ${table}` }).click()
  await page.getByRole('heading', { name: 'Lobby' }).waitFor()
})

test('each message has its own text direction, and its URLs become safe links', async () => {
  const [ada, bob] = [await someUser(plaza), await someUser(plaza)]
  const table = newTable()
  const hebrew = 'שלום, ada!'
  const with_links =
    'Read (https://shop.example/a_(b)?c=1), then http://xn--e1afmkfd.example. Not javascript:alert(1), ' +
    'https://plaza.example@evil.example/'
  const disguised = 'https://аpple.example/login'
  await say(bob, table, hebrew, with_links, disguised)
  const page = await pageAs(ada)
  await page.goto(addressOf(table))
  const box = conversation(page)
  const directions = (text: string) =>
    box.getByText(text).evaluate((element) => [element.getAttribute('dir'), element.matches(':dir(rtl)')])
  await box.getByText(hebrew).waitFor()
  expect(await directions(hebrew)).toEqual(['auto', true])
  const [message] = await box.locator('p', { hasText: 'Read (' }).all()
  expect(await message?.textContent()).toBe(with_links)
  const linksIn = (text: string) =>
    box.locator('p', { hasText: text }).evaluate((element) =>
      [...element.querySelectorAll('a')].map(({ textContent, href, rel, target, title }) => ({
        textContent,
        href,
        rel,
        target,
        title,
      })),
    )
  const safely = { rel: 'noopener noreferrer nofollow', target: '_blank' }
  const link = (textContent: string, href = textContent) => ({ textContent, href, title: href, ...safely })
  expect(await linksIn('Read (')).toEqual([
    link('https://shop.example/a_(b)?c=1'),
    link('http://xn--e1afmkfd.example', 'http://xn--e1afmkfd.example/'),
  ])
  // A disguised link shows its real URL.
  expect(await linksIn(disguised)).toEqual([link(disguised, 'https://xn--pple-43d.example/login')])
  await box.getByText('(leads to xn--pple-43d.example)').waitFor()
  await expectAccessible(page)
  await write(page, 'مرحبا https://shop.example/x')
  await box.getByRole('link', { name: 'https://shop.example/x' }).waitFor()
})
