import { expect, test } from 'vitest'
import { adminListCases, decideCase } from '../../../contract/admin-moderation.ts'
import { createReport } from '../../../contract/moderation.ts'
import { listMyApps, updateMyApp } from '../../../contract/oauth-apps.ts'
import { openChannel, sendMessage } from '../../../contract/social.ts'
import { firstAdmin } from '../../../server/test/harness.ts'
import { enableTwoFactor } from '../../../server/test/two-factor.ts'
import { auditOf, givePoints, someApp, someUser, theAdmin, type SomeUser } from '../../../server/test/world.ts'
import { expectAccessible, phone, startConsole } from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, page: somePage, pageAs } = await startConsole({})
const admin = await theAdmin(plaza)

async function write(author: SomeUser, ...texts: string[]) {
  const { id: channel_id } = await author.api.result(openChannel, { body: { type: 'lobby' } })
  const messages: { id: string }[] = []
  for (const body of texts)
    messages.push(await author.api.result(sendMessage, { params: { channel_id }, body: { body } }))
  return messages
}
const report = (by: SomeUser, message_id: string) =>
  by.api.result(createReport, { body: { message_id, reason: 'spam', note: 'All day long' } })
const openCases = async () => (await admin.api.result(adminListCases, { query: { status: 'open' } })).data

test('D-109: a person reports a message from its menu, and sees it removed while the chat is open', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  const [message] = await write(berta, 'Buy cheap points at evil.test')
  const page = await pageAs(anna)
  await page.goto('/chat')
  const list = page.getByRole('region', { name: 'Messages in Lobby' })
  await list.getByText('Buy cheap points').waitFor()
  await page.getByRole('button', { name: `More about the message of ${berta.username}` }).click()
  await page.getByRole('menuitem', { name: 'Report this message…' }).click()
  const dialog = page.getByRole('dialog', { name: `Report this message of ${berta.username}` })
  await dialog.getByRole('button', { name: 'Report' }).click()
  await dialog.getByText('Fill this in.').waitFor()
  await dialog.getByLabel('Spam or advertising').check()
  await dialog.getByLabel('What should the admin know?').fill('The third today')
  await expectAccessible(page)
  await expectFitsPhone(page)
  await dialog.getByRole('button', { name: 'Report' }).click()
  await page.getByText('Thank you. An admin will review it').waitFor()
  const [found] = await openCases()
  expect([found?.message_id, found?.reasons]).toEqual([message!.id, ['spam']])
  await admin.api.result(decideCase, {
    params: { id: found!.id },
    body: { actions: ['remove_message'], reason: 'Advertising.' },
  })
  await list.getByText('This message was removed by an admin.').waitFor()
  expect(await list.getByText('Buy cheap points').count()).toBe(0)
  await page.goto('/reports')
  await page.getByText('Action taken').waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
})

test('D-109: an admin works the queue with the keyboard, with the messages around and both histories', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  await write(anna, 'Has anybody seen my chess set?')
  const [first] = await write(berta, 'Buy fucking cheap points')
  await write(anna, 'Please stop that')
  const [second] = await write(berta, 'Hello again')
  await report(anna, first!.id)
  await report(anna, second!.id)
  const page = await pageAs(firstAdmin)
  await page.goto('/admin')
  await page.getByText('reports wait for a decision').waitFor()
  await page.getByRole('link', { name: 'Review reports' }).click()
  const entry = page.getByRole('region', { name: 'Selected entry' })
  await entry.getByLabel('The reported message').getByText('Buy ****ing cheap points').waitFor()
  await entry.getByText('Please stop that').waitFor()
  await entry.getByText('All day long').waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
  await page.getByRole('button', { name: 'Show it as it was typed' }).click()
  await page.getByText('As it was typed: Buy fucking cheap points').waitFor()
  await page.getByRole('group', { name: 'Reports' }).focus()
  await page.keyboard.press('r')
  const dialog = page.getByRole('dialog', { name: `What is done about ${berta.username}?` })
  await dialog.getByRole('textbox', { name: 'Reason' }).waitFor()
  await dialog.getByLabel('Mute in chat: they can read, and not write').check()
  await dialog.getByText('1 week').click()
  await expectAccessible(page)
  await expectFitsPhone(page)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Advertising, again.')
  await dialog.getByRole('textbox', { name: 'Reason' }).press('Control+Enter')
  await page.getByText('Decided: Message removed, Muted.').waitFor()
  await entry.getByLabel('The reported message').getByText('Hello again').waitFor()
  await page.keyboard.press('d')
  const dismissal = page.getByRole('dialog', { name: 'Dismiss these reports?' })
  await dismissal.getByText('This is not against the rules.').click()
  await dismissal.getByRole('textbox', { name: 'Reason' }).press('Control+Enter')
  await page.getByText('No open reports').waitFor()
  expect((await auditOf(admin, berta.id)).map(({ details }) => details.actions)).toEqual([
    ['dismiss'],
    ['remove_message', 'mute'],
  ])
})

test('D-110: a person’s page is reached by links, and a lost second factor is taken away after the link in the mail', async () => {
  const anna = await someUser(plaza)
  await someApp(plaza, { owner: anna })
  await givePoints(plaza, anna, 40)
  await enableTwoFactor(plaza, anna)
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/users')
  await page.getByLabel('Search').fill(anna.username)
  await page.getByRole('link', { name: anna.username, exact: true }).click()
  await page.getByRole('heading', { name: anna.username, level: 1 }).waitFor()
  await expectFitsPhone(page)
  for (const [tab, text] of [
    ['Sessions', 'Signed in'],
    ['Apps', 'approved'],
    ['Connections', 'No app connected'],
    ['Movements', 'Award'],
    ['Holds', 'No app ever held points'],
    ['Deployments', 'Nothing deployed'],
    ['Reports', 'Nobody has reported them'],
    ['Audit', 'awarded '],
  ] as const) {
    await page.getByRole('tab', { name: tab, exact: true }).click()
    await page.getByRole('tabpanel').getByText(text).first().waitFor()
  }
  await page.getByRole('tab', { name: 'Overview' }).click()
  const act = async (button: string, action: string) => {
    await page.getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Lost the telephone.')
    await dialog.getByRole('button', { name: action, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await act('Mail a code…', 'Mail the code')
  const link = /(\/confirm-address#code=[\w-]+)/.exec(await plaza.mailTo(anna.email, 0, 'plz_sf_'))?.[1] ?? ''
  const theirs = await somePage()
  await theirs.goto(link)
  await theirs.getByRole('button', { name: 'I asked for it' }).click()
  await theirs.getByRole('heading', { name: 'Your address is proved' }).waitFor()
  await expectAccessible(theirs)
  await page.reload()
  await act('Take the second factor away…', 'Take it away')
  await page.getByText(`The second factor of ${anna.username} is taken away.`).waitFor()
  expect((await auditOf(admin, anna.id))[0]).toMatchObject({ action: 'user.remove_second_factor' })
})

test('D-110: an app that changed is in the queue with the difference, and is marked as seen with the keyboard', async () => {
  const app = await someApp(plaza)
  plaza.clock.advance(1)
  await app.owner.api.result(updateMyApp, {
    params: { id: app.id },
    body: { app_name: 'Bank of Ada', redirect_uris: ['https://other.test/cb'] },
  })
  const page = await pageAs(firstAdmin)
  await page.goto('/admin')
  await page.getByRole('link', { name: 'See what changed' }).click()
  const changes = page.getByRole('list', { name: 'What changed' })
  await changes.getByText('https://other.test/cb').waitFor()
  await changes.getByText(app.redirect_uri).waitFor()
  await expectAccessible(page)
  await expectFitsPhone(page)
  await page.keyboard.press('s')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('A new owner, known to us.')
  await dialog.getByRole('textbox', { name: 'Reason' }).press('Control+Enter')
  await page.getByText('No app has changed since its approval').waitFor()
  expect((await auditOf(admin, app.id))[0]?.action).toBe('app.seen')
})

test('D-81: an app is rejected with a usual reason, corrected, submitted again with a note, and decided from its difference', async () => {
  const app = await someApp(plaza, { approved: false })
  const app_description = `Sells kites\n${'in all colours\n'.repeat(60)}`
  const page = await pageAs(firstAdmin)
  await page.goto('/admin/review')
  const entry = page.getByRole('region', { name: 'Selected entry' })
  await page.getByRole('button', { name: 'Reject…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click()
  await dialog.getByText('Enter a reason: the owner needs it to correct the app.').waitFor()
  await dialog.getByText('The description does not say what the app does.').click()
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })

  const owner_page = await pageAs(app.owner)
  await owner_page.goto(`/apps/${app.id}`)
  await owner_page.getByText('The description does not say what the app does.').waitFor()
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { app_description } })
  await owner_page.getByLabel('Note to the reviewer').fill('It says so now.')
  await expectAccessible(owner_page)
  await expectFitsPhone(owner_page)
  await owner_page.getByRole('button', { name: 'Submit again' }).click()
  await owner_page.getByText('Submitted again').first().waitFor()

  await page.reload()
  await entry.getByText('It says so now.').waitFor()
  await entry.getByText('The description does not say what the app does.').waitFor()
  const changes = entry.getByRole('list', { name: 'What changed' })
  expect(await changes.getByRole('listitem').count()).toBe(1)
  expect(await changes.locator('ins').innerText()).toContain('Sells kites')
  const approve = entry.getByRole('button', { name: 'Approve and list…' })
  // The decision stays in view, however long the entry is.
  for (const size of [phone, { width: 1280, height: 800 }]) {
    await page.setViewportSize(size)
    await page.evaluate(() => scrollTo(0, 0))
    await expect
      .poll(() => approve.evaluate((button) => button.getBoundingClientRect().bottom))
      .toBeLessThan(size.height)
    await expectAccessible(page)
  }
  await expectFitsPhone(page)
  await page.getByRole('button', { name: 'Approve and list…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve and list' }).click()
  await page.getByText('is approved and listed').waitFor()
  const [decided] = await app.owner.api.result(listMyApps)
  expect([decided?.is_approved, decided?.review.note]).toEqual([true, 'It says so now.'])
})
