import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { login, me } from '../../../contract/accounts.ts'
import { PlazaClient } from '../../../contract/client.ts'
import { givePoints, someApp, someTokens, someUser } from '../../../server/test/world.ts'
import { expectAccessible, prove, startConsole } from '../../test/browser.ts'
import { expectFitsPhone } from '../../test/fits-phone.ts'

const { plaza, page: newPage, pageAs } = await startConsole()
const anonymous = new PlazaClient(plaza.url)

test('the address is changed with a code, and taken back by the link in the mail to the old one', async () => {
  const user = await someUser(plaza)
  const page = await pageAs(user)
  await page.goto('/account')
  await page.getByRole('link', { name: 'Change address or name' }).click()
  await page.getByRole('heading', { name: 'Address and name', level: 1 }).waitFor()
  await expectFitsPhone(page)
  await page.getByLabel('New address').fill('moved@people.test')
  const form = page.locator('form', { has: page.getByLabel('New address') })
  await form.getByRole('button', { name: 'Mail me a code' }).click()
  await prove(page, user.password)
  await page.getByText('A mail is on its way to').waitFor()
  const code = /address is (\d{6})/.exec(await plaza.mailTo('moved@people.test'))?.[1] ?? ''
  await page.reload()
  await page.getByLabel('Code from the mail').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Code from the mail').fill(code)
  await page.getByText('Your address is moved@people.test').waitFor()

  const link = /(http\S+\/undo-change#code=\S+)/.exec(await plaza.mailTo(user.email))?.[1] ?? ''
  const other = await newPage()
  await other.goto(link)
  await other.getByRole('heading', { name: 'This was not you?' }).waitFor()
  await expectAccessible(other)
  await expectFitsPhone(other)
  await other.getByLabel('New password').fill('a password that is new')
  await other.getByRole('button', { name: 'Take it back' }).click()
  await other.getByRole('heading', { name: 'Your account is yours again' }).waitFor()
  const again = await anonymous.result(login, { body: { email: user.email, password: 'a password that is new' } })
  expect(again.user.id).toBe(user.id)
})

test('leaving lists the losses, offers the download of all data, and deletes the account', async () => {
  const user = await someUser(plaza)
  const app = await someApp(plaza, { owner: user, scopes: ['profile:read'] })
  await someTokens(plaza, app, await someUser(plaza))
  await givePoints(plaza, user, 120)
  const page = await pageAs(user)
  await page.goto('/account/leave')
  await page.getByText('120 points on your account are lost.').waitFor()
  await page.getByText('1 person depends on it').waitFor()
  await expectFitsPhone(page)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download everything as JSON' }).click(),
  ])
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({ account: [{ email: user.email }] })
  await page.getByRole('button', { name: 'Delete my account…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Backups hold it until they are replaced.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete it for good' }).click()
  await prove(page, user.password)
  await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor()
  await expectAccessible(page)
  expect((await user.api.call(me)).status).toBe(401)
})
