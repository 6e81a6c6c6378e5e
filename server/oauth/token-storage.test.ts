import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { token, verifyToken } from '../../contract/oauth.ts'
import { sharedService } from '../test/harness.ts'
import * as make from '../test/world.ts'

const plaza = await sharedService()
const anonymous = new PlazaClient(plaza.url)
const renewed = (app: make.SomeApp, refresh_token: string) =>
  anonymous.result(token, { body: make.refreshRequest(app, refresh_token) })

/** Every value of every table, as text. */
async function wholeDatabase() {
  const tables = await plaza.db.sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`
  const dumps = await Promise.all(tables.map(({ name }) => plaza.db.pool.query(`select t::text as row from ${name} t`)))
  return dumps.flatMap(({ rows }) => rows.map(({ row }: { row: string }) => row)).join('\n')
}

test('D-20, D-26: neither the database nor the log ever holds a token, code or secret that works', async () => {
  const { user, app, tokens } = await make.world(plaza)
  const { code } = await make.someCode(app, user)
  const next = await renewed(app, tokens.refresh_token)
  const { access_token, refresh_token, session_token } = tokens
  const secrets = { access_token, refresh_token, session_token, code, app: app.client_secret }
  const dump = await wholeDatabase()
  expect(dump).toContain(app.client_id)
  for (const secret of [...Object.values(secrets), next.access_token, next.refresh_token]) {
    const random = secret.slice('plz_xx_'.length)
    const bytes = [Buffer.from(random), Buffer.from(random, 'base64url')].map((each) => each.toString('hex'))
    for (const form of [random, ...bytes]) expect(dump.includes(form)).toBe(false)
    expect(plaza.logged().includes(random)).toBe(false)
  }
})

test('D-26: the encrypted successor is wiped after the replay window, and late reuse still ends the grant', async () => {
  const { app, tokens } = await make.world(plaza)
  const second = await renewed(app, tokens.refresh_token)
  const sealed = () => plaza.db.sql`select 1 from refresh_tokens where sealed_successor is not null`
  const job = plaza.service.app.jobs.find(({ name }) => name === 'oauth.wipe_successors')!
  await job.run({}, 'test')
  expect((await sealed()).length).toBeGreaterThan(0)
  expect(await renewed(app, tokens.refresh_token)).toEqual(second)
  plaza.clock.advance(31)
  await job.run({}, 'test')
  expect(await sealed()).toEqual([])
  await expect(renewed(app, tokens.refresh_token)).rejects.toThrow('invalid_grant')
  expect(await anonymous.result(verifyToken, { body: { token: second.access_token } })).toEqual({
    active: false,
    reason: 'revoked',
  })
})
