import { afterEach, beforeEach, expect } from 'vitest'
import { PlazaClient } from '../../client/client.ts'
import { login, logout } from '../../contract/accounts.ts'
import { updateUser } from '../../contract/admin.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import type { TestService } from './harness.ts'
import { more, no_id, no_integer, no_text, required, unstorable } from './refusals.ts'
import { someApp, someTokens, someUser, theAdmin, type SomeUser } from './world.ts'

/** What a call sends, whether its endpoint takes it or not. */
export interface Sent {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  headers?: Record<string, string>
  body?: unknown
}

/** Calls an endpoint with what its types would not let through. */
export const send = (api: PlazaClient, endpoint: Declaration, sent: Sent) => api.call(endpoint, sent as never)

/**
 * Holds of every test of the file that these tables are the same after it as before. A test that writes on purpose calls
 * what is answered when it has.
 */
export function expectNoWrites({ db }: TestService, tables: readonly string[]) {
  let before: unknown
  const rowsOf = async (name: string) =>
    (await db.pool.query<object>(`select * from ${name} t order by t::text`)).rows.map((row) => [name, row])
  const allRows = () => Promise.all(tables.map(rowsOf))
  async function remember() {
    before = await allRows()
  }
  async function compare() {
    expect(await allRows(), 'nothing is written').toEqual(before)
  }
  beforeEach(remember)
  afterEach(compare)
  return remember
}

/** Suspends somebody. */
export async function suspend(plaza: TestService, { id }: SomeUser) {
  await (await theAdmin(plaza)).api.result(updateUser, { params: { id }, body: { suspended: true } })
}

/** Credentials with which none of a user's endpoints lets the user in, each with the code of the refusal. */
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

/** Values of a field, each with what is said of it; `undefined` is sent as no field at all. */
export type RefusedValues = [value: unknown, ...messages: string[]][]

export const missing: RefusedValues = [[undefined, required]]
const some_id = '01890000-0000-7000-8000-000000000000'

/** Of an id in a path. */
export const refused_param_ids: RefusedValues = [
  ['x', no_id],
  [`urn:uuid:${some_id}`, no_id],
  ['\0', unstorable],
]

/** Of a required id in a body. */
export const refused_ids: RefusedValues = [...missing, [null, no_text], [7, no_text], ['', no_id], ...refused_param_ids]

/** Of a text in a body, wherever it may be left out. */
export const refusedTexts = (max: number): RefusedValues => [
  [7, no_text],
  [null, no_text],
  ['🎲'.repeat(max + 1), more(max)],
  ['a\0', unstorable],
  ['half \ud83d', unstorable],
]

/** Of a text in a path or a query. */
export const refusedUrlTexts = (max: number): RefusedValues => [
  ['🎲'.repeat(max + 1), more(max)],
  ['a\0', unstorable],
]

/** Of a required word out of a few, in a body. */
export function refusedWords(words: readonly string[]): RefusedValues {
  const no_word = `must be one of ${words.join(', ')}`
  return [...missing, [null, no_text, no_word], ['other', no_word], ['', no_word], ['\0', unstorable]]
}

/** Of the size of a page, up to 100. */
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
