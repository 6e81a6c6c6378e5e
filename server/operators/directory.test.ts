import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { approveApp, rejectApp } from '../../contract/admin-apps.ts'
import { updateMyApp } from '../../contract/oauth-apps.ts'
import { listPublicOperators } from '../../contract/operators.ts'
import { startTestService } from '../test/harness.ts'
import { outcome } from '../test/refusals.ts'
import { raw, someApp, theAdmin, type SomeApp } from '../test/world.ts'

const plaza = await startTestService()
const anonymous = new PlazaClient(plaza.url)
const admin = await theAdmin(plaza)

const directory = (query: { page?: number; page_size?: number } = {}) =>
  anonymous.result(listPublicOperators, { query })
const decide = (app: SomeApp, listed?: boolean) =>
  admin.api.result(approveApp, { params: { id: app.id }, body: listed === undefined ? {} : { listed } })

test('spec public/operators: without listed apps an empty page with the defaults', async () => {
  expect(outcome(await anonymous.call(listPublicOperators))).toEqual([
    200,
    { data: [], page: 1, page_size: 20, total: 0 },
  ])
})

test('spec public/operators: only apps that are approved and listed, with the public fields and no others', async () => {
  const [app, pending, unlisted] = [
    await someApp(plaza),
    await someApp(plaza, { approved: false }),
    await someApp(plaza),
  ]
  const links = { app_description: 'Play', logo_url: 'https://a.example/l.png', website_url: 'https://a.example' }
  await app.owner.api.result(updateMyApp, { params: { id: app.id }, body: { app_name: 'A game', ...links } })
  expect((await directory()).total, 'D-34: not listed until an admin lists it').toBe(0)
  const { inserted_at } = await decide(app, true)
  const item = { id: app.id, app_name: 'A game', ...links, inserted_at }
  expect(await directory()).toEqual({ data: [item], page: 1, page_size: 20, total: 1 })
  await decide(unlisted, true)
  expect((await directory()).data.map(({ id }) => id).sort()).toEqual([app.id, unlisted.id].sort())
  await decide(unlisted, false)
  await decide(unlisted)
  expect((await directory()).data).toEqual([item])
  await admin.api.result(rejectApp, { params: { id: app.id }, body: {} })
  expect((await directory()).data, 'a withdrawn approval removes it').toEqual([])
  await decide(app)
  expect((await directory()).data).toEqual([item])
  expect(pending.id).not.toBe(app.id)
})

test('spec public/operators: pages in a stable order without gaps or repeats; past the end is empty with the total', async () => {
  const made: string[] = (await directory()).data.map(({ id }) => id)
  for (let at = 0; at < 6; at++) {
    const app = await someApp(plaza)
    await decide(app, true)
    // Pairs have the same time: the id decides.
    if (at % 2) plaza.clock.advance(1)
    made.push(app.id)
  }
  const whole = await directory({ page_size: 100 })
  expect([whole.page, whole.page_size, whole.total]).toEqual([1, 100, 7])
  expect(whole.data.map(({ id }) => id).sort()).toEqual([...made].sort())
  const keys = whole.data.map(({ inserted_at, id }) => inserted_at + id)
  expect(keys).toEqual([...keys].sort().reverse())
  const paged = []
  for (const page of [1, 2, 3]) {
    const reply = await directory({ page, page_size: 3 })
    expect([reply.page, reply.page_size, reply.total]).toEqual([page, 3, 7])
    paged.push(...reply.data)
  }
  expect(paged).toEqual(whole.data)
  for (const page of [4, 2_147_483_647])
    expect(await directory({ page, page_size: 100 })).toEqual({ data: [], page, page_size: 100, total: 7 })
})

test('spec public/operators: needs no credential, ignores one, and allows any origin', async () => {
  const reply = await raw(plaza, 'GET', '/api/public/operators', {
    headers: { authorization: 'Bearer nonsense', origin: 'https://elsewhere.example' },
  })
  expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
})
