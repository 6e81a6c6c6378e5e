import { afterEach, beforeEach, expect } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, logout } from '../../contract/accounts.ts'
import { updateUser } from '../../contract/admin.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import type { TestService } from './harness.ts'
import { more, no_id, no_integer, no_text, required, unstorable } from './refusals.ts'
import { someApp, someTokens, someUser, theAdmin, type SomeUser } from './world.ts'

/** The parts of a request, valid for its endpoint or not. */
export interface Sent {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
}

/** Calls an endpoint with values that its types do not allow. */
export const send = (api: PlazaClient, endpoint: Declaration, sent: Sent) => api.call(endpoint, sent as never)

/**
 * Asserts after every test of the file that these tables did not change. A test that writes on purpose calls the returned
 * function afterwards.
 */
export function expectNoWrites({ db }: TestService, tables: readonly string[]) {
  let before: unknown
  const rowsOf = async (name: string) =>
    (await db.pool.query<object>(`select * from ${name} t order by t::text`)).rows.map((row) => [name, row])
  const readAll = () => Promise.all(tables.map(rowsOf))
  async function takeSnapshot() {
    before = await readAll()
  }
  async function compare() {
    expect(await readAll(), 'nothing is written').toEqual(before)
  }
  beforeEach(takeSnapshot)
  afterEach(compare)
  return takeSnapshot
}

export async function suspend(plaza: TestService, { id }: SomeUser) {
  await (await theAdmin(plaza)).api.result(updateUser, { params: { id }, body: { suspended: true } })
}

/** Credentials that no endpoint of users accepts, each with the error code. */
export async function credentialsForNoUser(plaza: TestService, user: SomeUser) {
  const signIn = async ({ url }: TestService) =>
    (await new PlazaClient(url).result(login, { body: { email: user.email, password: user.password } })).token
  const ended = await signIn(plaza)
  await new PlazaClient(plaza.url, ended).result(logout)
  const expired = await signIn(await plaza.startAnother({ JWT_TTL: '1' }))
  plaza.clock.advance(2)
  const suspended = await someUser(plaza)
  await suspend(plaza, suspended)
  const of_app = await someTokens(plaza, await someApp(plaza), user)
  return [
    ['no token', 'unauthorized', undefined],
    ['what is no token', 'invalid_token', 'nonsense'],
    ['the JWT of a session that ended', 'invalid_token', ended],
    ['an expired JWT', 'invalid_token', expired],
    ['the JWT of somebody suspended', 'invalid_token', suspended.token],
    ['an app’s access token', 'invalid_token', of_app.access_token],
    ['an app’s refresh token', 'invalid_token', of_app.refresh_token],
    ['an app’s session token', 'invalid_token', of_app.session_token],
  ] as const
}

/** Invalid values of a field, each with its messages; `undefined` means that the field is not sent. */
export type RefusedValues = [value: unknown, ...messages: string[]][]

export const missing: RefusedValues = [[undefined, required]]
const some_id = '01890000-0000-7000-8000-000000000000'

/** For an id in a path. */
export const refused_param_ids: RefusedValues = [
  ['x', no_id],
  [`urn:uuid:${some_id}`, no_id],
  ['\0', unstorable],
]

/** For a required id in a body. */
export const refused_ids: RefusedValues = [...missing, [null, no_text], [7, no_text], ['', no_id], ...refused_param_ids]

/** For an optional text in a body. */
export const refusedTexts = (max: number): RefusedValues => [
  [7, no_text],
  [null, no_text],
  ['🎲'.repeat(max + 1), more(max)],
  ['a\0', unstorable],
  ['half \ud83d', unstorable],
]

/** For a text in a path or a query. */
export const refusedUrlTexts = (max: number): RefusedValues => [
  ['🎲'.repeat(max + 1), more(max)],
  ['a\0', unstorable],
]

/** For a required enumerated value in a body. */
export function refusedWords(words: readonly string[]): RefusedValues {
  const no_word = `must be one of ${words.join(', ')}`
  return [...missing, [null, no_text, no_word], ['other', no_word], ['', no_word], ['\0', unstorable]]
}

/** For the size of a page, at most 100. */
export const refused_limits: RefusedValues = [
  ['x', no_integer],
  ['1.5', no_integer],
  ['', no_integer],
  ['0', 'must be >= 1'],
  ['-1', 'must be >= 1'],
  ['101', 'must be <= 100'],
  ['1e9', 'must be <= 100'],
  ['1e400', 'must be a finite number'],
]
