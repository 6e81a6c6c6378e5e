import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { verifyWebhook } from '@plaza/client'
import { createCliCode } from '../../contract/cli.ts'
import { createSecret, listSecrets } from '../../contract/oauth-apps.ts'
import { spendPoints } from '../../contract/points.ts'
import { package_root } from '../../server/platform/package.ts'
import { sharedService, startTestService } from '../../server/test/harness.ts'
import { freePort } from '../../server/test/free-port.ts'
import {
  any_image,
  observeStatus,
  someContainerHost,
  someDeploymentOf,
  someHostingApp,
} from '../../server/test/hosting-world.ts'
import { startProcess } from '../../server/test/processes.ts'
import { startReceiver } from '../../server/test/receiver.ts'
import { waitUntil } from '../../server/test/wait.ts'
import { givePoints, proveUser, someApp, someTokens, someUser } from '../../server/test/world.ts'
import { writeSbom } from '../../scripts/sbom.ts'
import { installPlaza, settingsOf } from './installed.ts'

const plaza = await sharedService()
const installed = await installPlaza()
const { run, start } = installed
const app = await someHostingApp(plaza)
const settings = settingsOf(plaza.url, app)

test('the packed file holds the program and its README, and the installed one prints its version and help', async () => {
  const { stdout } = await promisify(execFile)('tar', ['-tzf', installed.packed])
  const names = stdout.trim().split('\n')
  expect(names.filter((name) => !/^package\/(?:package\.json|README\.md|dist\/[\w-]+\.js)$/.test(name))).toEqual([])
  expect(await run(['--version'])).toEqual({ code: 0, stdout: '0.2.0\n', stderr: '' })
  expect((await run(['deploy', '--help'])).stdout).toContain('--file <path>')
})

test('D-157: apps and env list for people and for programs, without colours in a pipe', async () => {
  expect((await run(['apps'], settings)).stdout).toBe('Nothing is deployed yet: plaza deploy IMAGE --app NAME\n')
  await someContainerHost(plaza)
  const id = await someDeploymentOf(plaza, app)
  await observeStatus(plaza, id, 'running')
  const { stdout } = await run(['apps'], { ...settings, FORCE_COLOR: '1' })
  const [head, row] = stdout.split('\n')
  expect(head).toMatch(/^NAME +STATUS +HEALTH +READY +IMAGE +SERVES SINCE$/)
  expect(row).toContain(any_image)
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/\u001b/)
  expect(JSON.parse((await run(['apps', '--json'], settings)).stdout)).toMatchObject([{ id, status: 'running' }])
  expect(await run(['env', 'list', '--json'], settings)).toMatchObject({ code: 0, stdout: '{"names":[]}\n' })
})

test('the SBOM of @plaza/cli lists what its installation in an empty project brings, and nothing else', async () => {
  const lock = await readFile(join(installed.folder, 'node_modules/.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, { version: string }> }
  const there = Object.entries(packages).map(
    ([path, { version }]) => `pkg:npm/${path.replace(/^.*node_modules\//, '').replace('@', '%40')}@${version}`,
  )
  const { metadata, components } = JSON.parse(await readFile(writeSbom(package_root, 'cli'), 'utf8')) as {
    metadata: { component: { purl: string } }
    components: { purl: string }[]
  }
  expect([metadata.component, ...components].map(({ purl }) => purl).sort()).toEqual(there.sort())
})

/** The address of a server that is not Plaza. */
async function someWebServer() {
  const server = createServer((_request, answer) => void answer.end('<h1>Hello</h1>'))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('D-157: each refusal is a sentence and the exit code of the help', async () => {
  const { owner } = app
  const made = await owner.api.result(createSecret, {
    params: { id: app.id },
    body: { expires_at: new Date(plaza.clock.now().getTime() + 1_000).toISOString() },
  })
  plaza.clock.advance(2)
  const expired = { ...settings, PLAZA_CLIENT_SECRET: made.client_secret }
  const plain_app = settingsOf(plaza.url, await someApp(plaza))
  const nobody = `http://127.0.0.1:${await freePort()}`
  const web_server = await someWebServer()
  const cases: [string[], Record<string, string>, number, RegExp][] = [
    [['apps'], {}, 3, /^You are not signed in\. Run “plaza login”/],
    [
      ['apps'],
      expired,
      3,
      /^The key is wrong, has expired, or was deleted\. Check PLAZA_URL, PLAZA_CLIENT_ID and PLAZA_CLIENT_SECRET\.\n$/,
    ],
    [['apps'], plain_app, 4, /^The app lacks the scope deploy:manage/],
    [['apps'], { ...settings, PLAZA_URL: nobody }, 5, /does not answer: ECONNREFUSED\.\n$/],
    [['login', nobody], {}, 5, /does not answer: ECONNREFUSED\.\n$/],
    [['login', web_server], {}, 5, /does not answer as Plaza does\. Check the address\.\n$/],
    [['login', 'plaza'], {}, 2, /^“plaza” is not an address/],
    [['apps'], { PLAZA_CLIENT_ID: 'x' }, 2, /^Set both PLAZA_CLIENT_ID and PLAZA_CLIENT_SECRET/],
    [['deploy', '--nope'], settings, 2, /unknown option '--nope'/],
    [['deploy', '--port', 'x'], settings, 2, /It is a whole number/],
    [['deploy', 'nowhere.test/x:1', '--app', 'x'], settings, 2, /^Choose a tier with --tier:\n/],
    [['deploy', 'nowhere.test/x:1', '--app', 'x', '--tier', 'starter'], settings, 4, /Images may come from: /],
    [['env', 'set', 'A=1'], settings, 2, /would stay in the history of the shell/],
    [['logs', '--app', 'nothing'], settings, 2, /^There is no deployment “nothing”/],
    [['webhooks', 'listen', 'https://example.com/'], settings, 2, /to this machine only/],
  ]
  for (const [args, env, code, sentence] of cases) {
    const outcome = await run(args, env)
    expect([args, outcome.code, outcome.stdout]).toEqual([args, code, ''])
    expect([args, outcome.stderr]).toEqual([args, expect.stringMatching(sentence)])
  }
  const as_json = await run(['apps', '--json'], expired)
  expect(JSON.parse(as_json.stderr)).toMatchObject({ error: 'invalid_client', message: expect.any(String) as string })
})

test('D-157: webhooks listen shows an event of a sandbox and forwards it, signed as webhooks are', async () => {
  const sandbox = await startTestService({ SANDBOX: 'on' })
  const shop = await someApp(sandbox, { scopes: ['points:read', 'points:spend'] })
  const [user, receiver] = [await someUser(sandbox), await startReceiver()]
  await givePoints(sandbox, user, 50)
  const { api } = await someTokens(sandbox, shop, user)
  await api.result(spendPoints, { body: { amount: 1, description: 'before' } })
  const people = start(['webhooks', 'listen', receiver.url], settingsOf(sandbox.url, shop))
  await waitUntil(() => people.stderr().includes('Waiting for events'), people.stderr)
  await api.result(spendPoints, { body: { amount: 7, description: 'a sticker' } })
  const { headers, body } = await receiver.nth(1)
  const secret = /secret (whsec_\S+)/.exec(people.stderr())?.[1] ?? ''
  const event = await verifyWebhook({ body, headers, secret })
  expect(event).toMatchObject({ type: 'points.spent', data: { amount: 7, user_id: user.id } })
  await waitUntil(() => people.stdout().includes(`points.spent ${event.id} → 204`), people.stdout)
  // The output for programs does not say when the command begins to listen.
  const listening = start(['webhooks', 'listen', '--json'], settingsOf(sandbox.url, shop))
  const spendAndLook = async () => {
    await api.result(spendPoints, { body: { amount: 1, description: 'another' } })
    return listening.stdout().includes('\n')
  }
  await waitUntil(spendAndLook, listening.stderr, { interval_ms: 1_000 })
  expect(JSON.parse(listening.stdout().split('\n')[0] ?? '')).toMatchObject({
    type: 'points.spent',
    data: { amount: 1 },
  })
  for (const { child } of [listening, people]) child.kill('SIGINT')
  expect([(await listening.ended).code, (await people.ended).code]).toEqual([130, 130])
})

/** Starts `plaza` in a terminal of 80 columns. */
function startInTerminal(args: string, env: Record<string, string>) {
  const command = `stty cols 80 rows 24; exec ${join(installed.bin, 'plaza')} ${args}`
  const { child, stdout, ended } = startProcess(
    'script',
    ['-qec', command, '/dev/null'],
    { TERM: 'xterm', SHELL: '/bin/sh', ...env },
    { cwd: installed.folder, stdio: ['pipe', 'pipe', 'pipe'] },
  )
  return {
    ended,
    /** Types keys when a text is there. */
    async type(text: string, keys: string) {
      await waitUntil(() => stdout().includes(text), stdout)
      child.stdin?.write(keys)
    },
  }
}

test('D-157: a second login on a machine deletes the key of the first', async () => {
  const mine = await someHostingApp(plaza)
  await proveUser(mine.owner)
  const logIn = async () => {
    const login = start(['login', plaza.url, '--no-browser'])
    await waitUntil(() => login.stderr().includes('/cli?'), login.stderr)
    const { searchParams } = new URL(/http\S+/.exec(login.stderr())?.[0] ?? '')
    const [port, state, code_challenge] = ['port', 'state', 'code_challenge'].map(
      (name) => searchParams.get(name) ?? '',
    )
    const body = { code_challenge: code_challenge!, name: 'a machine' }
    const { code } = await mine.owner.api.result(createCliCode, { params: { id: mine.id }, body })
    await fetch(`http://127.0.0.1:${port}/?${new URLSearchParams({ code, state: state! }).toString()}`)
    expect(await login.ended).toMatchObject({ code: 0 })
    const { secrets } = await mine.owner.api.result(listSecrets, { params: { id: mine.id } })
    return secrets.filter(({ name }) => name === 'a machine').map(({ id }) => id)
  }
  const [first, second] = [await logIn(), await logIn()]
  expect([first.length, second.length, second[0] === first[0]]).toEqual([1, 1, false])
  expect(await run(['apps'])).toMatchObject({ code: 0 })
  expect(await run(['logout'])).toMatchObject({ code: 0 })
})

const ctrl_c = '\u0003'

test('D-157: in a terminal plaza asks, hides the value, shows a spinner without colours under NO_COLOR, and Ctrl-C ends each with 130', async () => {
  const mine = await someHostingApp(plaza)
  await someContainerHost(plaza)
  const id = await someDeploymentOf(plaza, mine)
  await observeStatus(plaza, id, 'running')
  const env = settingsOf(plaza.url, mine)
  const asked = startInTerminal('env set TOKEN', env)
  await asked.type('Value of TOKEN', `hush${ctrl_c}`)
  expect(await asked.ended).toMatchObject({
    code: 130,
    stdout: expect.stringContaining('Nothing was changed.') as string,
  })
  expect((await asked.ended).stdout).not.toContain('hush')
  expect(JSON.parse((await run(['env', 'list', '--json'], env)).stdout)).toEqual({ names: [] })

  const answered = startInTerminal('env set TOKEN', { ...env, NO_COLOR: '1' })
  await answered.type('Value of TOKEN', 'hush\r')
  await answered.type('Deploying', ctrl_c)
  const { code, stdout } = await answered.ended
  expect([code, stdout]).toEqual([130, expect.stringMatching(/⠋ Deploying [^]*The deployment goes on/)])
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/hush|\u001b\[3\dm/)
  expect(JSON.parse((await run(['env', 'list', '--json'], env)).stdout)).toEqual({ names: ['TOKEN'] })

  const choosing = startInTerminal('deploy nowhere.test/x:1 --app another', env)
  await choosing.type('Tier', ctrl_c)
  expect(await choosing.ended).toMatchObject({
    code: 130,
    stdout: expect.stringContaining('Nothing was deployed.') as string,
  })
  const listening = startInTerminal('webhooks listen', env)
  await listening.type('Waiting for events', ctrl_c)
  expect((await listening.ended).code).toBe(130)
})

test('each shell gets a script that completes, and it is valid', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await run(['complete', shell])
    expect([shell, code, stdout.includes('plaza')]).toEqual([shell, 0, true])
    if (shell !== 'bash') continue
    const script = join(installed.folder, 'plaza.bash')
    await writeFile(script, stdout)
    await promisify(execFile)('bash', ['-n', script])
  }
  expect((await run(['complete', '--', 'rollb'])).stdout).toMatch(/^rollback\t/)
})
