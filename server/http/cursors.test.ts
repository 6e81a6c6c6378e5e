import { expect, test } from 'vitest'
import { createTeam } from '../../contract/teams.ts'
import { createWebhook } from '../../contract/webhooks.ts'
import { sharedService } from '../test/harness.ts'
import { outcome, refused } from '../test/refusals.ts'
import { basicOf, raw, theAdmin, world } from '../test/world.ts'

const plaza = await sharedService()
const { user, app, tokens } = await world(plaza, { scopes: ['points:read'] })
const admin = await theAdmin(plaza)
const { webhook } = await app.owner.api.result(createWebhook, {
  params: { id: app.id },
  body: { url: 'http://127.0.0.1:9' },
})

const { team } = await app.owner.api.result(createTeam, { body: { name: 'Lanterns' } })

/** Lines of output have other cursors, which `hosting/api/output.test.ts` covers. */
const lists = plaza.service.app.endpoints.filter(
  ({ path, query }) => query !== undefined && 'cursor' in query.properties && !path.endsWith('/output/search'),
)
const bad = refused('validation_failed', [{ path: 'cursor', message: 'is not a cursor of this list' }])
const encoded = (key: string) => Buffer.from(key).toString('base64url')

const page = ({ path, auth }: (typeof lists)[number], query: string) => {
  const of_app = path.includes('{id}')
  const person = of_app ? app.owner : user
  const bearer = auth === 'admin' ? admin.token : auth === 'user' ? person.token : tokens.access_token
  const authorization = auth === 'client' ? basicOf(app) : `Bearer ${bearer}`
  const id = path.startsWith('/api/admin/users/') ? user.id : path.startsWith('/api/teams/') ? team.id : app.id
  const at = path.replace('{id}', id).replace('{webhook_id}', webhook.id)
  return raw(plaza, 'GET', `${at}?${query}`, { headers: { authorization } })
}

test('D-04: a cursor that no list returned, or an empty one, gets 422 at every list', async () => {
  expect(lists.length).toBeGreaterThan(8)
  const keys = ['', '0', '-1', '1e3', '0x10', '007', '7.0', ' 7', '7\n', '9007199254740992', 'Infinity', 'nonsense']
  for (const list of lists)
    for (const cursor of ['!!!', '%20', ...keys.map(encoded)])
      expect([list.path, cursor, outcome(await page(list, `cursor=${cursor}`))]).toEqual([list.path, cursor, bad])
})

test('D-04: a cursor has one encoding: padding, blanks and stray bits make it invalid', async () => {
  const id = '01900000-0000-7000-8000-000000000000'
  for (const list of lists) {
    const known = await Promise.all([encoded('1042'), encoded(id)].map((cursor) => page(list, `cursor=${cursor}`)))
    const at = known.findIndex(({ status }) => status === 200)
    expect([list.path, known.map(outcome)]).toEqual([list.path, expect.arrayContaining([bad])])
    expect([list.path, at]).not.toEqual([list.path, -1])
    const cursor = encoded([`1042`, id][at] ?? '')
    for (const spelling of [`${cursor}=`, `${cursor}!`, `%20${cursor}`, `${cursor.slice(0, -1)}h`])
      expect([list.path, spelling, outcome(await page(list, `cursor=${spelling}`))]).toEqual([list.path, spelling, bad])
  }
})
