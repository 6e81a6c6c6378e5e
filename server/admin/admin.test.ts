import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { awardPoints, checkLedger, getFigures } from '../../contract/admin.ts'
import {
  adminGetApp,
  adminListApps,
  type AppOrder,
  approveApp,
  denyScopeRequest,
  rejectApp,
} from '../../contract/admin-apps.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { listMyApps, requestScopes } from '../../contract/oauth-apps.ts'
import { authorize } from '../../contract/oauth.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { secondsAfter } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import { countDay } from './figures.service.ts'
import { startTestService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { outcome, refused } from '../test/refusals.ts'
import {
  authorizationQuery,
  givePoints,
  pkce,
  pointsOf,
  someApp,
  someTokens,
  someUser,
  theAdmin,
} from '../test/world.ts'

const plaza = await startTestService()
const admin = await theAdmin(plaza)

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string
const auditOf = async (target_id: string) => (await admin.api.result(listAudit, { query: { target_id } })).data
const actionsOn = async (target_id: string) => (await auditOf(target_id)).map(({ action }) => action)

test('D-81 approve: the app as an admin sees it, listed or not, and an audit entry', async () => {
  const owner = await someUser(plaza)
  const app = await someApp(plaza, { approved: false, owner })
  const reply = await admin.api.call(approveApp, { params: { id: app.id }, body: { listed: true } })
  const approved = {
    id: app.id,
    client_id: app.client_id,
    app_name: expect.any(String) as string,
    app_description: null,
    logo_url: null,
    website_url: null,
    redirect_uris: [app.redirect_uri],
    allowed_scopes: ['profile:read'],
    is_approved: true,
    listed: true,
    require_par: false,
    backchannel_logout_uri: null,
    require_dpop: false,
    require_pkce: false,
    inserted_at: iso,
    updated_at: iso,
    status: 'approved',
    owner_id: owner.id,
    owner_username: owner.username,
    team_id: null,
    team_name: null,
    decision_reason: null,
    changed_since_approval: false,
    approved: {
      app_name: expect.any(String) as string,
      app_description: null,
      logo_url: null,
      website_url: null,
      redirect_uris: [app.redirect_uri],
    },
    decided_fields: {
      app_name: expect.any(String) as string,
      app_description: null,
      logo_url: null,
      website_url: null,
      redirect_uris: [app.redirect_uri],
      allowed_scopes: ['profile:read'],
      require_pkce: false,
      backchannel_logout_uri: null,
      require_dpop: false,
    },
    payout_limit: null,
    review: { status: 'approved', reason: null, decided_at: iso, resubmitted_at: null, note: null },
  }
  expect(outcome(reply)).toEqual([200, approved])
  expect(await auditOf(app.id)).toEqual([
    {
      id: expect.any(String),
      actor_id: admin.id,
      actor_username: admin.username,
      action: 'app.approve',
      target_id: app.id,
      target_name: approved.app_name,
      details: { listed: true },
      inserted_at: iso,
    },
  ])
  const again = await admin.api.call(approveApp, { params: { id: app.id }, body: {} })
  expect(outcome(again)).toEqual([200, approved])
})

test('D-81 reject: a pending app stays closed, with the reason kept', async () => {
  const app = await someApp(plaza, { approved: false })
  const reply = await admin.api.call(rejectApp, { params: { id: app.id }, body: { reason: 'no privacy policy' } })
  expect([reply.status, reply.body]).toMatchObject([
    200,
    { status: 'rejected', is_approved: false, decision_reason: 'no privacy policy' },
  ])
  const user = await someUser(plaza)
  const authorized = await user.api.call(authorize, { query: authorizationQuery(app, pkce().code_challenge) })
  expect(outcome(authorized)).toEqual(refused('app_not_approved'))
  expect(await actionsOn(app.id)).toEqual(['app.reject'])
})

test('D-81 GET apps: newest first, by status, in pages without gaps or repeats', async () => {
  const owner = await someUser(plaza)
  const made = [
    await someApp(plaza, { owner, approved: false }),
    await someApp(plaza, { owner, approved: false }),
    await someApp(plaza, { approved: true }),
  ]
  const all = (await admin.api.result(adminListApps, { query: { limit: 100 } })).data
  expect(all.slice(0, 3).map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse())
  const pagedBy = (sort: AppOrder) =>
    rowsOfPages((next) => admin.api.result(adminListApps, { query: { limit: 2, sort, ...next } }))
  expect(await pagedBy('-inserted_at')).toEqual(all)
  expect(await pagedBy('inserted_at')).toEqual(all.toReversed())
  expect([await pagedBy('-points'), await pagedBy('points')]).toEqual([all, all.toReversed()])
  const by_name = (await admin.api.result(adminListApps, { query: { limit: 100, sort: 'app_name' } })).data
  expect(new Set(by_name.map(({ id }) => id))).toEqual(new Set(all.map(({ id }) => id)))
  expect([await pagedBy('app_name'), await pagedBy('-app_name')]).toEqual([by_name, by_name.toReversed()])
  for (const status of ['pending', 'approved', 'rejected'] as const) {
    const { data } = await admin.api.result(adminListApps, { query: { limit: 100, status } })
    expect(data).toEqual(all.filter((app) => app.status === status))
  }
  const [newest] = all
  const listed = async (q: string) =>
    (await admin.api.result(adminListApps, { query: { limit: 100, q } })).data.map(({ id }) => id)
  expect(await listed(newest!.app_name.toUpperCase())).toEqual([newest!.id])
  expect(await listed(newest!.id)).toEqual([newest!.id])
  expect(await listed('%')).toEqual([])
})

test('D-81 GET app: as in the list, with its people and the last use of its secrets, and no secret', async () => {
  const app = await someApp(plaza)
  await someTokens(plaza, app, await someUser(plaza))
  const { app: found, total_users, secrets } = await admin.api.result(adminGetApp, { params: { id: app.id } })
  const { data } = await admin.api.result(adminListApps, { query: { q: app.id } })
  expect([found, total_users]).toEqual([data[0], 1])
  expect(secrets).toMatchObject([
    { id: expect.any(String), hint: app.client_secret.slice(-4), inserted_at: iso, last_used_at: iso },
  ])
})

test('D-47 award: the points are credited, the history names the app, and an audit entry is written', async () => {
  const [user, app] = [await someUser(plaza), await someApp(plaza)]
  const body = { user_id: user.id, amount: 40, description: 'first prize', app_id: app.id }
  const reply = await admin.api.call(awardPoints, { body })
  expect(outcome(reply)).toEqual([200, { transfer_id: expect.any(String), points: 40 }])
  expect(await pointsOf(user)).toBe(40)
  const [received] = (await user.api.result(myPointsHistory)).data
  expect(received).toMatchObject({ kind: 'award', direction: 'in', amount: 40, description: 'first prize' })
  expect((await auditOf(user.id)).map(({ action, details }) => [action, details])).toEqual([
    ['points.award', { amount: 40, description: 'first prize', app_id: app.id }],
  ])
  expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
})

test('D-81 audit: an entry has the current name of its target, null if the target is deleted or has no name', async () => {
  const [user, app] = [await someUser(plaza), await someApp(plaza)]
  const now = plaza.clock.now()
  const [campaign, gone] = [randomUUID(), randomUUID()]
  const params = { id: app.id }
  const request = await app.owner.api.result(requestScopes, { params, body: { requested_scopes: ['deploy:manage'] } })
  await plaza.db
    .sql`insert into campaigns (id, name, surface_type, payout_rate, weight, active, inserted_at, updated_at)
    values (${campaign}, 'Autumn', 'banner', 1, 1, false, ${now}, ${now})`
  await givePoints(plaza, user, 1)
  await admin.api.result(denyScopeRequest, { params: { id: request.id }, body: {} })
  for (const id of [campaign, gone])
    await plaza.db.sql`insert into audit_log (id, actor_id, action, target_id, details, inserted_at)
      values (${newId()}, null, 'some.change', ${id}, '{}', ${now})`
  const nameOf = async (id: string) => (await auditOf(id)).map(({ target_name }) => target_name)
  const { app_name } = (await app.owner.api.result(listMyApps)).find(({ id }) => id === app.id) ?? {}
  expect(await nameOf(user.id)).toEqual([user.username])
  expect(await nameOf(request.id)).toEqual([app_name])
  expect([await nameOf(campaign), await nameOf(gone)]).toEqual([['Autumn'], [null]])
})

test('D-81 figures: sign-ups, issued and circulating points of the last 30 days', async () => {
  const before = await admin.api.result(getFigures)
  const user = await someUser(plaza)
  await givePoints(plaza, user, 70)
  const after = await admin.api.result(getFigures)
  expect(after.days).toHaveLength(30)
  const [today_before, today] = [before.days.at(-1)!, after.days.at(-1)!]
  expect(today.day).toBe(plaza.clock.now().toISOString().slice(0, 10))
  expect([
    after.registrations - before.registrations,
    today.signups - today_before.signups,
    today.issued - today_before.issued,
    after.in_circulation - before.in_circulation,
  ]).toEqual([1, 1, 70, 70])
  const { total_debited } = await admin.api.result(checkLedger)
  expect(after.days.reduce((sum, { issued }) => sum + issued, 0)).toBeLessThanOrEqual(Number(total_debited))
  expect(today.in_circulation).toBe(after.in_circulation)
})

test('D-81 figures: the people of a day are counted while it lasts, once each and never down; old days are deleted', async () => {
  const count = (days = 0) => countDay({ db: plaza.db, clock: () => secondsAfter(plaza.clock.now(), days * 86_400) })
  const dayOf = async (day: string) => (await admin.api.result(getFigures)).days.find((one) => one.day === day)!
  const today = plaza.clock.now().toISOString().slice(0, 10)
  await count()
  const before = await dayOf(today)
  const user = await someUser(plaza)
  await someApp(plaza, { approved: false })
  for (let run = 0; run < 2; run++) await count()
  const after = await dayOf(today)
  expect([after.active_people! - before.active_people!, after.open_decisions! - before.open_decisions!]).toEqual([2, 1])
  expect(after.failed_jobs).toBe(0)
  await plaza.db.sql`delete from login_sessions where user_id = ${user.id}`
  await count()
  expect(await dayOf(today)).toEqual(after)
  await plaza.db.sql`insert into daily_figures (day) values (${today}::date - 401), (${today}::date - 400)`
  await count(1)
  expect(await dayOf(today)).toEqual(after)
  expect((await plaza.db.sql`select from daily_figures where day < ${today}::date - 300`).length).toBe(0)
})
