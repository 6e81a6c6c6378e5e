import { expect, test } from 'vitest'
import { updateUser } from '../../contract/admin.ts'
import { approveApp } from '../../contract/admin-apps.ts'
import { exportAudit, listAudit } from '../../contract/admin-audit.ts'
import { startTestService } from '../test/harness.ts'
import { invalid } from '../test/refusals.ts'
import { jsonCaller, raw, someApp, someUser, theAdmin } from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)

const audit = async (query: object) => (await admin.api.result(listAudit, { query: { limit: 100, ...query } })).data
const csv = async (query: string) =>
  raw(plaza, 'GET', `${exportAudit.path}${query}`, { headers: { authorization: `Bearer ${admin.token}` } })
const setTier = (id: string, tier: string, reason?: string) =>
  admin.api.result(updateUser, { params: { id }, body: { tier, ...(reason !== undefined && { reason }) } })

test('D-110: the audit log can be searched by the names of actor and target, in any case', async () => {
  const [anna, berta] = [await someUser(plaza), await someUser(plaza)]
  await setTier(anna.id, 'gold', 'She helped a lot.')
  await setTier(berta.id, 'silver')
  const [entry, ...others] = await audit({ target: anna.username.toUpperCase() })
  expect([entry, others]).toMatchObject([
    { target_id: anna.id, target_name: anna.username, details: { tier: 'gold', reason: 'She helped a lot.' } },
    [],
  ])
  const by_admin = await audit({ actor: admin.username.toUpperCase(), action: 'user.update' })
  expect(by_admin.map(({ target_id }) => target_id)).toEqual([berta.id, anna.id])
  expect(await audit({ actor: admin.username, target: anna.username })).toEqual([entry])
  expect(await audit({ target: anna.username, target_id: anna.id })).toEqual([entry])
  expect(await audit({ target: anna.username, target_id: berta.id })).toEqual([])
  for (const query of [
    { actor: 'nobody' },
    { target: 'nobody' },
    { target: anna.username.slice(0, 3) },
    { target: '%' },
  ])
    expect(await audit(query)).toEqual([])
  const app = await someApp(plaza, { approved: false })
  await admin.api.result(approveApp, { params: { id: app.id }, body: {} })
  const [approved] = await audit({ target_id: app.id })
  expect(await audit({ target: approved!.target_name!.toLowerCase() })).toEqual([approved])
})

test('D-110: the audit log can be searched by time: from is inclusive, to is exclusive', async () => {
  const anna = await someUser(plaza)
  const times: string[] = []
  for (const tier of ['silver', 'gold', 'bronze']) {
    plaza.clock.advance(60)
    times.push(plaza.clock.now().toISOString())
    await setTier(anna.id, tier)
  }
  const tiersOf = async (query: object) =>
    (await audit({ target_id: anna.id, ...query })).map(({ details }) => details.tier)
  expect(await tiersOf({ from: times[1] })).toEqual(['bronze', 'gold'])
  expect(await tiersOf({ to: times[1] })).toEqual(['silver'])
  expect(await tiersOf({ from: times[0], to: times[2] })).toEqual(['gold', 'silver'])
  expect(await tiersOf({ from: '0001-01-01T00:00:00Z', to: '9999-01-01T00:00:00Z' })).toEqual([
    'bronze',
    'gold',
    'silver',
  ])
  const ask = jsonCaller(plaza, admin.token)
  expect(await ask('GET', `/api/admin/audit?from=${times[1]}&to=${times[1]}`)).toEqual(
    invalid('to', 'must be after from'),
  )
})

test('D-110: the audit log as CSV has every matching entry, newest first, and no formula', async () => {
  const anna = await someUser(plaza)
  const reason = '=HYPERLINK("https://evil.test")'
  await setTier(anna.id, 'gold', reason)
  const reply = await csv(`?target=${anna.username}`)
  const [entry] = await audit({ target_id: anna.id })
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
    'attachment; filename="audit.csv"',
  ])
  const details = `"${JSON.stringify(entry!.details).replaceAll('"', '""')}"`
  expect(reply.text).toBe(
    'id,inserted_at,actor_id,actor_username,action,target_id,target_name,details\r\n' +
      `${entry!.id},${entry!.inserted_at},${admin.id},${admin.username},user.update,${anna.id},${anna.username},${details}\r\n`,
  )
  await plaza.db.sql`
    insert into audit_log (id, actor_id, action, target_id, details, inserted_at)
    select gen_random_uuid(), ${admin.id}, '=1+1', null, '{}', ${plaza.clock.now()} from generate_series(1, 450)`
  const many = (await csv('?action=%3D1%2B1')).text.trimEnd().split('\r\n')
  expect([many.length, many[1]?.split(',')[4]]).toEqual([451, "'=1+1"])
  const ids = many.slice(1).map((line) => line.split(',')[0]!)
  expect(ids).toEqual([...new Set(ids)].sort().reverse())
})

test('D-110: the filter of the CSV file is checked before the first line', async () => {
  const { status, body } = await csv('?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z')
  expect([status, body]).toEqual(invalid('to', 'must be after from'))
})
