import { expect, test } from 'vitest'
import {
  reactivateDeployment,
  recordDeploymentPayment,
  suspendDeployment,
} from '../../../contract/admin-deployments.ts'
import { updateUser } from '../../../contract/admin.ts'
import { createDeployment } from '../../../contract/deployments.ts'
import { race, sharedService } from '../../test/harness.ts'
import { any_image, freshName, someContainerHost, someDeploymentOf, someHostingApp } from '../../test/hosting-world.ts'
import { outcome, refused } from '../../test/refusals.ts'
import { givePoints, pointsOf, theAdmin } from '../../test/world.ts'
import { billing_settings } from '../../test/settings.ts'

const plaza = await sharedService(billing_settings)
const admin = await theAdmin(plaza)
await someContainerHost(plaza)
type HostingApp = Awaited<ReturnType<typeof someHostingApp>>
const cycle_seconds = 30 * 86_400

const someDeployment = (app: HostingApp, tier = 'starter') => someDeploymentOf(plaza, app, { tier })
const suspend = ({ owner }: HostingApp, suspended = true) =>
  admin.api.result(updateUser, { params: { id: owner.id }, body: { suspended } })
const stateOf = async (id: string) =>
  (
    await plaza.db.sql<Record<string, unknown>>`
      select desired, suspended_by, billing_status, generation from deployments where id = ${id}`
  )[0]
const logOf = async (id: string) =>
  (
    await plaza.db.sql<{ action: string; message: string; initiated_by: string | null; status: string }>`
      select action, details ->> 'message' as message, initiated_by, status from deploy_logs
       where deployment_id = ${id} order by generation desc, id desc`
  ).filter(({ action }) => action !== 'create')
const charge = () =>
  plaza.service.app.jobs.find(({ name }) => name === 'deployments.charge_due_cycles')!.run({}, 'test')
const entry = (action: string, message: string, status = 'pending') => ({ action, message, initiated_by: null, status })
const gone = 'The owner of this deployment is suspended.'
const back = 'The owner of this deployment is not suspended any more.'

test('D-88: deployments stop while their owner is suspended and run again afterwards, with log entries', async () => {
  const [app, other] = [await someHostingApp(plaza, { points: 1_000 }), await someHostingApp(plaza, { points: 500 })]
  const [one, two, foreign] = [await someDeployment(app), await someDeployment(app), await someDeployment(other)]
  await suspend(app)
  for (const id of [one, two]) {
    expect(await stateOf(id)).toMatchObject({ desired: 'running', suspended_by: 'owner', generation: 2 })
    expect(await logOf(id)).toEqual([entry('suspend', gone)])
  }
  expect([await stateOf(foreign), await logOf(foreign)]).toMatchObject([{ suspended_by: null, generation: 1 }, []])
  await suspend(app)
  expect((await logOf(one)).length).toBe(1)
  await suspend(app, false)
  for (const id of [one, two]) {
    expect(await stateOf(id)).toMatchObject({ desired: 'running', suspended_by: null, generation: 3 })
    expect(await logOf(id)).toEqual([entry('reactivate', back), entry('suspend', gone, 'superseded')])
  }
  await suspend(app, false)
  expect((await logOf(one)).length).toBe(2)
})

test('D-88: a suspension by an admin remains when the owner is reactivated', async () => {
  const app = await someHostingApp(plaza, { points: 500 })
  const id = await someDeployment(app)
  await admin.api.result(suspendDeployment, { params: { id }, body: { reason: 'spam' } })
  await suspend(app)
  expect(await stateOf(id)).toMatchObject({ suspended_by: 'admin', generation: 2 })
  await suspend(app, false)
  expect(await stateOf(id)).toMatchObject({ suspended_by: 'admin', generation: 2 })
  expect((await logOf(id)).map(({ action }) => action)).toEqual(['suspend'])
})

test('D-88: lifting the suspension of a deployment does not lift that of its owner', async () => {
  const app = await someHostingApp(plaza, { points: 1_000 })
  const [before, during] = [await someDeployment(app), await someDeployment(app)]
  await admin.api.result(suspendDeployment, { params: { id: before }, body: { reason: 'spam' } })
  await suspend(app)
  await admin.api.result(suspendDeployment, { params: { id: during }, body: { reason: 'spam' } })
  expect(await stateOf(during)).toMatchObject({ suspended_by: 'admin' })
  for (const id of [before, during]) {
    const lifted = await admin.api.result(reactivateDeployment, { params: { id }, body: {} })
    expect(lifted).toMatchObject({ suspended_by: 'owner' })
    expect((await logOf(id))[0]?.message).toBe('The platform lifted its suspension; that of its owner remains.')
  }
  await suspend(app, false)
  for (const id of [before, during]) expect(await stateOf(id)).toMatchObject({ suspended_by: null })
})

test('D-88: a suspension by billing remains, and the time of the suspension is not charged', async () => {
  const [poor, rich] = [await someHostingApp(plaza, { points: 500 }), await someHostingApp(plaza, { points: 1_000 })]
  const [unpaid, paid] = [await someDeployment(poor), await someDeployment(rich)]
  plaza.clock.advance(cycle_seconds)
  await suspend(rich)
  await charge()
  expect([await stateOf(unpaid), await stateOf(paid)]).toMatchObject([
    { suspended_by: 'billing' },
    { suspended_by: 'owner' },
  ])
  expect(await plaza.db.sql`select 1 from deploy_charges where deployment_id = ${paid}`).toHaveLength(1)
  await suspend(poor)
  expect(await stateOf(unpaid)).toMatchObject({ suspended_by: 'owner', billing_status: 'suspended' })
  await givePoints(plaza, poor.owner, 500)
  await charge()
  plaza.clock.advance(5 * 86_400)
  await suspend(poor, false)
  await suspend(rich, false)
  expect(await stateOf(unpaid)).toMatchObject({ suspended_by: 'billing', billing_status: 'suspended' })
  expect((await logOf(unpaid))[0]?.message).toBe(
    'The owner of this deployment is not suspended any more; the one for not having paid remains.',
  )
  const [row] = await plaza.db.sql<{ paid_until: Date }>`select paid_until from deployments where id = ${paid}`
  expect([await stateOf(paid), row?.paid_until]).toMatchObject([{ suspended_by: null }, plaza.clock.now()])
})

test('D-88: a payment recorded during the suspension does not start the deployment before the owner is reactivated', async () => {
  const app = await someHostingApp(plaza)
  const id = await someDeployment(app, 'sovereign')
  await suspend(app)
  await admin.api.result(recordDeploymentPayment, { params: { id } })
  expect(await stateOf(id)).toMatchObject({ suspended_by: 'owner', billing_status: 'active' })
  await suspend(app, false)
  expect(await stateOf(id)).toMatchObject({ suspended_by: null, billing_status: 'active' })
})

test('D-88: deployments created concurrently with a suspension do not run after it, and none is created later', async () => {
  const app = await someHostingApp(plaza, { points: 10_000 })
  const points = await pointsOf(app.owner)
  const replies = await race(plaza, 12, (at) =>
    at === 6
      ? suspend(app).then(() => undefined)
      : app.api.call(createDeployment, { body: { subdomain: freshName(), image: any_image, tier: 'starter' } }),
  )
  const made = replies.filter((reply) => reply?.ok)
  const rows = await plaza.db.sql<{ suspended_by: string }>`
    select suspended_by from deployments where owner_id = ${app.owner.id}`
  expect(rows).toEqual(made.map(() => ({ suspended_by: 'owner' })))
  const body = { subdomain: freshName(), image: any_image, tier: 'starter' }
  expect(outcome(await app.api.call(createDeployment, { body }))).toEqual(refused('invalid_token'))
  const [account] = await plaza.db.sql<{ points: number }>`
    select credited - debited as points from point_accounts where id = ${app.owner.id}`
  expect(account?.points).toBe(points - 500 * made.length)
})
