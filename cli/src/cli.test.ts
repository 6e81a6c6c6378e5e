import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { PlazaError, verifyWebhook, type Deployment, type DeployRelease } from '@plaza/client'
import { lineText } from './logs.ts'
import { exit_codes, failureOf } from './failures.ts'
import { findLogin, loginPath, readLoginFile, removeLoginFile, writeLoginFile } from './login-file.ts'
import { hasColours, plain, table } from './output.ts'
import { createProgram, help_after } from './program.ts'
import { failedRelease } from './releases.ts'
import { run } from './run.ts'
import { chosen } from './session.ts'
import { isPassing, listeningSecret, localAddress, signedHeaders } from './webhooks.ts'

const url = 'https://plaza.example'

test('the key is in a file that only its owner can read; the environment wins, and an expired one is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-cli-'))
  const env = { XDG_CONFIG_HOME: folder }
  try {
    await expect(findLogin(env)).rejects.toMatchObject({ exit_code: 3 })
    const login = { url, client_id: 'a', client_secret: 'b', secret_expires_at: '2026-12-01T00:00:00.000Z' }
    await writeLoginFile(login, env)
    expect([(await stat(loginPath(env))).mode & 0o777, (await stat(join(folder, 'plaza'))).mode & 0o777]).toEqual([
      0o600, 0o700,
    ])
    expect(JSON.parse(await readFile(join(folder, 'plaza/login.json'), 'utf8'))).toEqual(login)
    const [before, after] = [new Date('2026-11-30T00:00:00Z'), new Date('2026-12-01T00:00:00Z')]
    expect(await findLogin(env, before)).toEqual(login)
    await expect(findLogin(env, after)).rejects.toMatchObject({
      exit_code: 3,
      message: expect.stringContaining('expired') as string,
    })
    const server = { ...env, PLAZA_CLIENT_ID: 'c', PLAZA_CLIENT_SECRET: 'd', PLAZA_URL: `${url}/` }
    expect(await findLogin(server, after)).toEqual({ url, client_id: 'c', client_secret: 'd' })
    await expect(findLogin({ ...server, PLAZA_URL: '' })).rejects.toMatchObject({ exit_code: 2 })
    await removeLoginFile(env)
    expect(await readLoginFile(env)).toBeUndefined()
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a table has columns, and texts of others cannot steer the terminal', () => {
  expect(
    table(
      ['NAME', 'STATUS'],
      [
        ['shop', 'running'],
        ['a-long-name', '\u001b[2Jstopped\r\n'],
      ],
    ),
  ).toBe('NAME         STATUS\nshop         running\na-long-name  stopped')
  expect(plain('\u001b]0;title\u0007a\u009bb\tc')).toBe('a b c')
  const line = { at: '2026-11-27T10:00:00.000Z', replica: 1, text: '\u001b[31mred', note: null }
  expect(lineText(line, (text) => text)).toBe('2026-11-27T10:00:00.000Z 1 red')
  expect(lineText({ ...line, note: 'gap' }, (text) => text)).toContain('(gap: lines are missing here)')
})

test('colours are for terminals without NO_COLOR', () => {
  expect([hasColours({ isTTY: true }, {}), hasColours({}, {}), hasColours({ isTTY: true }, { NO_COLOR: '1' })]).toEqual(
    [true, false, false],
  )
})

test('a failure of a call is a sentence with the exit code that the help lists', () => {
  const of = (code: string, more = {}) => failureOf(new PlazaError({ code, detail: 'It is so.', ...more }), url)
  expect(of('no_answer', { cause: { cause: { code: 'ENOTFOUND' } } })).toMatchObject({
    exit_code: 5,
    message: `${url} does not answer: ENOTFOUND.`,
  })
  expect(of('http_404')).toMatchObject({ exit_code: 5 })
  expect(of('invalid_client')).toMatchObject({ exit_code: 3, code: 'invalid_client' })
  expect(of('app_not_approved')).toMatchObject({ exit_code: 4, message: 'An admin has not approved the app yet.' })
  expect(of('image_not_allowed', { body: { allowed: ['ghcr.io/'] } }).message).toBe(
    'It is so.\nImages may come from: ghcr.io/',
  )
  const of_server = failureOf(new PlazaError({ code: 'invalid_client', detail: '' }), url, { PLAZA_CLIENT_ID: 'x' })
  expect([of_server.exit_code, of_server.message]).toEqual([
    3,
    'The key is wrong, has expired, or was deleted. Check PLAZA_URL, PLAZA_CLIENT_ID and PLAZA_CLIENT_SECRET.',
  ])
  expect(of('invalid_client').message).toBe('The key is wrong, has expired, or was deleted. Run “plaza login” again.')
  const refused = of('validation_failed', { fields: [{ path: 'tier', message: 'is not there' }] })
  expect(refused.message).toBe('Plaza refuses these values:\ntier is not there')
  expect(of('rate_limited', { retry_after: 7 }).message).toBe('It is so.\nTry again in 7 s.')
  expect(failureOf(new Error('odd'), url)).toMatchObject({ exit_code: 1, message: 'odd' })
  for (const code of Object.values(exit_codes)) expect(help_after).toMatch(new RegExp(`^  ${code} `, 'm'))
})

test('a command is about the named deployment, or the only one', () => {
  const [one, two] = ['one', 'two'].map((subdomain) => ({ id: `id-${subdomain}`, subdomain }) as Deployment)
  expect([chosen([one!], undefined), chosen([one!, two!], 'two'), chosen([one!, two!], 'id-one')]).toEqual([
    one,
    two,
    one,
  ])
  expect(() => chosen([one!, two!], undefined)).toThrow('Choose one with --app. These are there: one, two.')
  expect(() => chosen([], undefined)).toThrow('Nothing is deployed yet.')
  expect(() => chosen([one!], 'three')).toThrow('There is no deployment “three”. These are there: one.')
})

test('a failed release says why, with the last lines of its container', () => {
  const release = {
    number: 3,
    status: 'failed',
    failure: { message: 'The container ended.', output: ['a', '\u001b[1mb'] },
  }
  expect(failedRelease('shop', release as unknown as DeployRelease).message).toBe(
    'Release 3 of shop failed: The container ended.\n  a\n  b',
  )
  expect(failedRelease('shop', { ...release, status: 'superseded' } as unknown as DeployRelease).message).toContain(
    'superseded',
  )
})

test('events are forwarded to this machine only, signed as Standard Webhooks says', async () => {
  for (const address of [
    'http://localhost:3000/hook',
    'https://app.localhost/',
    'http://127.0.0.1:1',
    'http://[::1]:8080/x',
  ])
    expect(localAddress(address)).toBe(address)
  for (const address of [
    'http://example.com',
    'http://127.0.0.1.example.com',
    'file:///etc/passwd',
    'localhost:3000',
    'http://10.0.0.1',
    'http://me:hush@localhost:3000/',
  ])
    expect(() => localAddress(address)).toThrow(/address|this machine only/)
  const secret = listeningSecret('plz_cs_x')
  expect(listeningSecret('plz_cs_x')).toBe(secret)
  const body = '{"id":"1","type":"points.spent"}'
  const headers = signedHeaders(secret, { id: '1', body, seconds: 1_000 })
  expect(await verifyWebhook({ body, headers, secret, now: new Date(1_000_000) })).toEqual(JSON.parse(body))
})

test('events are waited for while Plaza does not answer, and no longer once it refuses', () => {
  const of = (code: string, status?: number) =>
    isPassing(new PlazaError({ code, detail: '', ...(status && { status }) }))
  expect([of('no_answer'), of('timed_out'), of('http_502', 502)]).toEqual([true, true, true])
  expect([of('invalid_client', 401), of('secret_not_permitted', 403), isPassing(new Error('x'))]).toEqual([
    false,
    false,
    false,
  ])
})

test('a wrong command is a text for people, and JSON with --json', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const { signal } = new AbortController()
    expect([await run(['apps', '--nope', '--json'], signal), await run(['logs', '-n', 'x', '--json'], signal)]).toEqual(
      [2, 2],
    )
    expect(write.mock.calls.map(([text]) => JSON.parse(String(text)) as unknown)).toEqual([
      { error: 'usage', message: "unknown option '--nope'" },
      { error: 'usage', message: expect.stringContaining('It is a whole number from 0 to 999999.') as string },
    ])
    write.mockClear()
    expect(await run(['apps', '--nope'], signal)).toBe(2)
    expect(write.mock.calls.map(([text]) => text).join('')).toMatch(
      /^error: unknown option '--nope'\nRun “plaza --help”/,
    )
  } finally {
    write.mockRestore()
  }
})

test('every command takes --json, and a wrong number is refused', async () => {
  const program = createProgram(new AbortController().signal)
  const leaves = program.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : [each]))
  const without = leaves.filter(({ options }) => !options.some(({ long }) => long === '--json'))
  expect(without.map((command) => command.name())).toEqual(['complete'])
  // Node reads --env-file itself, also after the name of a program: a missing file ended plaza with exit code 9.
  expect(leaves.flatMap(({ options }) => options.filter(({ long }) => long?.startsWith('--env-file')))).toEqual([])
  for (const [name, option, text, range] of [
    ['deploy', '--port', '65536', '1 to 65535'],
    ['deploy', '--timeout', '0', '1 to 999999'],
    ['logs', '--lines', '-1', '0 to 999999'],
  ]) {
    const found = leaves.find((each) => each.name() === name)?.options.find(({ long }) => long === option)
    expect(() => found?.parseArg?.(text ?? '', undefined)).toThrow(`It is a whole number from ${range}.`)
  }
})
