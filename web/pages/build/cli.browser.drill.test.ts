import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listLoginSessions } from '../../../contract/accounts.ts'
import { listSecrets } from '../../../contract/oauth-apps.ts'
import { package_root } from '../../../server/platform/package.ts'
import { someHostingApp } from '../../../server/test/hosting-world.ts'
import { startProcess } from '../../../server/test/processes.ts'
import { waitUntil } from '../../../server/test/wait.ts'
import { someUser, type SomeUser } from '../../../server/test/world.ts'
import { expectAccessible, expectFits, phone, prove, signIn, startConsole, waitForHeading } from '../../test/browser.ts'

const { plaza, page: newPage, pageAs } = await startConsole()

/** A terminal with its own configuration. */
async function someTerminal() {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-login-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const start = (...args: string[]) =>
    startProcess(join(package_root, 'node_modules/.bin/tsx'), ['cli/src/main.ts', ...args], { XDG_CONFIG_HOME: folder })
  /** Starts `plaza login`, and reads the address that it prints. */
  const login = async () => {
    const started = start('login', plaza.url, '--no-browser')
    const address = () => /^ {2}(http\S+\/cli\?\S+)$/m.exec(started.stderr())?.[1]
    await waitUntil(() => address() !== undefined, started.stderr)
    return { ...started, address: address() as string }
  }
  return { start, login, file: join(folder, 'plaza/login.json') }
}

test('D-157: plaza login: a person signs in, chooses an app and proves who they are; the terminal has a key that works, until plaza logout', async () => {
  const app = await someHostingApp(plaza)
  const { start, login, file } = await someTerminal()
  const { address, ended } = await login()
  const page = await newPage()
  await page.goto(address)
  await signIn(page, app.owner)
  await waitForHeading(page, 'Connect a terminal')
  await page.getByLabel('App').selectOption({ value: app.id })
  await page.getByText('Deploy and manage containers').waitFor()
  plaza.clock.advance(301)
  await page.getByRole('button', { name: 'Connect' }).click()
  await prove(page, app.owner.password)
  await page.getByText('The terminal is signed in.').waitFor()
  expect(new URL(page.url()).hostname).toBe('127.0.0.1')
  const { code, stdout, stderr } = await ended
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining(`Signed in at ${plaza.url}`)])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const { client_id, client_secret } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
  expect([client_id, `${stdout}${stderr}`.includes(client_secret ?? '')]).toEqual([app.client_id, false])
  expect(await start('apps').ended).toMatchObject({
    code: 0,
    stdout: 'Nothing is deployed yet: plaza deploy IMAGE --app NAME\n',
  })
  expect(await start('logout').ended).toMatchObject({ code: 0, stdout: 'Signed out. The key is deleted.\n' })
  await expect(stat(file)).rejects.toThrow('ENOENT')
  const { secrets } = await app.owner.api.result(listSecrets, { params: { id: app.id } })
  expect(secrets).toHaveLength(1)
})

test('D-157: cancelling, a wrong state and an incomplete link make no key; the page names the machine and fits a phone', async () => {
  const app = await someHostingApp(plaza)
  const { login, file } = await someTerminal()
  const { address, ended } = await login()
  const { searchParams } = new URL(address)
  const wrong = await fetch(`http://127.0.0.1:${searchParams.get('port')}/?code=x&state=y`)
  expect(wrong.status).toBe(400)
  const page = await pageAs(app.owner, { viewport: phone })
  await page.goto('/cli?port=99999&state=s&code_challenge=x')
  await waitForHeading(page, 'This link is not complete')
  searchParams.set('name', 'laptop <b>of</b> eve')
  await page.goto(`/cli?${searchParams.toString()}`)
  await page.getByText('laptop <b>of</b> eve').waitFor()
  await expectFits(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Cancelled. You can close this page.').waitFor()
  expect(await ended).toMatchObject({ code: 4, stderr: expect.stringContaining('The sign-in was cancelled') as string })
  await expect(stat(file)).rejects.toThrow('ENOENT')
  expect((await app.owner.api.result(listSecrets, { params: { id: app.id } })).secrets).toHaveLength(1)
})

test('D-15: the steps without a user menu, `/cli` and `/verify-email`, have a sign-out that ends the session', async () => {
  const challenge = 'c'.repeat(43)
  const sessionsOf = async ({ api }: SomeUser) => (await api.result(listLoginSessions)).sessions.length
  const steps = [
    ['/cli', 'This link is not complete'],
    [`/cli?port=4000&state=s&code_challenge=${challenge}`, 'You have no app yet'],
    ['/verify-email', 'Verify your e-mail address'],
  ] as const
  for (const [address, heading] of steps) {
    const user = await someUser(plaza, { verified: false })
    const page = await pageAs(user, { viewport: phone })
    await page.goto(address)
    await waitForHeading(page, heading)
    expect(await sessionsOf(user)).toBe(2)
    await page.getByText(`Signed in as ${user.username}.`).waitFor()
    await expectFits(page)
    await page.getByRole('button', { name: 'Not you?' }).click()
    await waitForHeading(page, 'Sign in')
    await waitUntil(async () => (await sessionsOf(user)) === 1, 'the end of the session of the page')
  }
})
