import { expect, test } from 'vitest'
import { decisions } from '../../../contract/decisions.ts'
import { sealingKeys } from '../../platform/secrets.ts'
import { startTestService } from '../../test/harness.ts'
import {
  any_image,
  freshName,
  sendAs,
  someContainerHost,
  someHostingApp,
  withoutWaiting,
  type SomeHostingApp,
} from '../../test/hosting-world.ts'
import { refused } from '../../test/refusals.ts'
import { raw } from '../../test/world.ts'
import { openEnv, sealEnv } from './sealing.rules.ts'
import { environmentKeys } from './service.ts'
import { hosting_settings } from '../../test/settings.ts'

const secret = 'a-secret-of-the-tests-long-enough-for-the-rule'
const plaza = await startTestService(hosting_settings)
await someContainerHost(plaza)

const { keys_max, value_bytes_max, total_bytes_max } = decisions.environment
const old = sealingKeys(['the older secret of the two, long enough'], 'test')
const both = sealingKeys(
  ['the newer secret of the two, long enough', 'the older secret of the two, long enough'],
  'test',
)
/** Own properties as JSON.parse creates them, including `__proto__`. */
const env = JSON.parse(
  '{"A":"1","__proto__":"plain","constructor":"plain","toString":"x","_":"","B":"line\\nbreak \\"q\\" $(id) `id` ü 💥"}',
) as Record<string, string>

test('D-60 a sealed environment opens unchanged, names like __proto__ included', () => {
  const opened = openEnv(both, 'd1', sealEnv(both, 'd1', env))
  expect(Object.entries(opened)).toEqual(Object.entries(env))
  expect(Object.getPrototypeOf(opened)).toBe(Object.prototype)
  expect(({} as Record<string, unknown>).A).toBeUndefined()
})

test('D-60 sealing is randomized, and the ciphertext contains no plain text', () => {
  const [one, two] = [sealEnv(both, 'd1', env), sealEnv(both, 'd1', env)]
  expect(one.equals(two)).toBe(false)
  expect(one.includes('constructor')).toBe(false)
})

test('D-60 another deployment, an unknown key and any changed byte are refused', () => {
  const sealed = sealEnv(both, 'd1', env)
  expect(() => openEnv(both, 'd2', sealed)).toThrow('unable to authenticate')
  expect(() => openEnv(old, 'd1', sealed)).toThrow('a key that is not configured')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at]! ^= 1
    expect(() => openEnv(both, 'd1', changed)).toThrow(/unable to authenticate|not configured/)
  }
})

test('D-60 after a change of secrets the older key still decrypts and the newer one encrypts', () => {
  const before = sealEnv(old, 'd1', env)
  expect(openEnv(both, 'd1', before)).toEqual(env)
  expect(() => openEnv(old, 'd1', sealEnv(both, 'd1', env))).toThrow('not configured')
})

const create = (app: SomeHostingApp, body: object) => sendAs(plaza, app, 'POST', '', body)
const sealedOf = async (id: string) =>
  (await plaza.db.sql<{ sealed_env: Buffer }>`select sealed_env from deployments where id = ${id}`)[0]!.sealed_env
const countRows = async () => (await plaza.db.sql`select id from deployments`).length

test('D-60 over HTTP: workers can open the stored variables, 50 of them and with unusual names', async () => {
  const app = await someHostingApp(plaza)
  const fifty = Object.fromEntries(Array.from({ length: keys_max }, (_, at) => [`V${at}`, 'x'.repeat(at)]))
  for (const env_vars of [env, fifty, {}, { PORT: '1' }]) {
    const [status, answer] = await create(app, { name: freshName(), image: any_image, tier: 'starter', env_vars })
    expect(status).toBe(201)
    const { id } = answer as { id: string }
    const opened = openEnv(environmentKeys([secret]), id, await sealedOf(id))
    expect(JSON.stringify(opened)).toBe(JSON.stringify(env_vars))
  }
})

test('spec env_vars: more than 50, invalid names and values that are not strings are 422, and nothing is stored', async () => {
  const app = await someHostingApp(plaza)
  const some_text = expect.any(String) as string
  const many = Object.fromEntries(Array.from({ length: keys_max + 1 }, (_, at) => [`V${at}`, '']))
  const full = 'x'.repeat(value_bytes_max)
  const count = total_bytes_max / value_bytes_max
  const bad: [env_vars: unknown, path: string][] = [
    [many, 'env_vars'],
    [[], 'env_vars'],
    ['A=B', 'env_vars'],
    [{ A: 1 }, 'env_vars.A'],
    [{ A: null }, 'env_vars.A'],
    [{ A: {} }, 'env_vars.A'],
    [{ A: `${full}x` }, 'env_vars.A'],
    [{ A: `${full.slice(1)}ü` }, 'env_vars.A'],
    [Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, full])), 'env_vars'],
    [{ A: 'a\0' }, 'env_vars.A'],
    [{ A: '\ud800' }, 'env_vars.A'],
  ]
  const before = await countRows()
  const request = { name: freshName(), image: any_image, tier: 'starter' }
  for (const [env_vars, path] of bad)
    expect([path, ...(await create(app, { ...request, env_vars }))]).toEqual([
      path,
      ...refused('validation_failed', [{ path, message: some_text }]),
    ])
  for (const name of ['', 'A=B', '1A', 'A-B', 'A B', 'Ä', 'A\n', '=', 'A\0']) {
    const [status, body] = await create(app, { ...request, env_vars: { [name]: 'x' } })
    expect([name, status, (body as { error: string }).error]).toEqual([name, 422, 'validation_failed'])
  }
  expect(await countRows()).toBe(before)
})

test('D-60 a value is in no table, response or log line after a create, a refusal or an operation', async () => {
  const app = await someHostingApp(plaza)
  const canary = 'canary-4711-of-the-environment'
  const name = freshName()
  const body = { name, image: any_image, tier: 'starter', env_vars: { SECRET: canary } }
  const answers = [
    await create(app, body),
    await create(app, body),
    await create(app, { ...body, name: freshName(), tier: 'no-such-tier' }),
    await create(app, { ...body, name: freshName(), env_vars: { SECRET: canary, 'A=B': canary } }),
    await create(app, { ...body, name: freshName(), image: 'nginx' }),
  ]
  expect(answers.map(([status]) => status)).toEqual([201, 409, 422, 422, 422])
  const { id } = answers[0]![1] as { id: string }
  const headers = { authorization: `Bearer ${app.tokens.access_token}` }
  const reads = ['', `/${id}`, `/${id}/status`, `/${id}/logs`].map((path) => `/api/deploy/apps${path}`)
  const texts = [JSON.stringify(answers)]
  for (const path of reads) texts.push((await raw(plaza, 'GET', path, { headers })).text)
  const destroy = () => raw(plaza, 'DELETE', `/api/deploy/apps/${id}`, { headers })
  texts.push((await withoutWaiting(plaza, id, destroy)).text)
  texts.push(plaza.logged())
  const tables = await plaza.db.adHoc.sql<{ name: string }>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
  for (const table of tables) {
    const { rows } = await plaza.db.pool.query<{ row: string }>(`select t::text as row from ${table.name} t`)
    texts.push(...rows.map(({ row }) => row))
  }
  expect(texts.length).toBeGreaterThan(50)
  for (const form of [canary, Buffer.from(canary).toString('hex'), Buffer.from(canary).toString('base64').slice(0, 30)])
    expect(texts.filter((text) => text.includes(form))).toEqual([])
})
