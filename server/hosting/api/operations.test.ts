import { expect, test } from 'vitest'
import {
  destroyDeployment,
  getDeployment,
  getDeploymentStatus,
  listDeployLog,
  listDeployments,
  restartDeployment,
  stopDeployment,
} from '../../../contract/deployments.ts'
import { deployment_statuses, mayDeployment, type DeploymentStatus } from '../../../contract/states.ts'
import { openListener } from '../../platform/postgres/listener.ts'
import { openLog } from '../../platform/log.ts'
import { intents_channel } from '../channels.ts'
import { race, sharedService } from '../../test/harness.ts'
import {
  observeStatus,
  someContainerHost,
  someDeploymentOf,
  someHostingApp,
  withoutWaiting,
} from '../../test/hosting-world.ts'
import { outcome, refused, refusedInState } from '../../test/refusals.ts'
import { raw } from '../../test/world.ts'

const plaza = await sharedService()
await someContainerHost(plaza)
const app = await someHostingApp(plaza)
const destroyed_message = 'The deployment is destroyed for good, and its container with it.'

/** Creates a deployment and writes the rows of a worker for this status, with a completed log. */
async function someDeployment(status: DeploymentStatus, owner = app) {
  const id = await someDeploymentOf(plaza, owner, { status })
  await observe(id, status)
  return id
}

const observe = (id: string, status: DeploymentStatus) => observeStatus(plaza, id, status)

const intentOf = async (id: string) =>
  (
    await plaza.db.sql<{ desired: string; generation: number; status: string }>`
      select desired, generation, status from deployments where id = ${id}`
  )[0]
const logOf = async (id: string) =>
  plaza.db.sql<{ action: string; status: string; generation: number; initiated_by: string | null }>`
    select action, status, generation, initiated_by from deploy_logs where deployment_id = ${id} order by generation, id`
const calls = { restart: restartDeployment, stop: stopDeployment, destroy: destroyDeployment } as const

/** Calls an operation, and completes it as a worker would as soon as it is written. */
async function operate(operation: keyof typeof calls, id: string, seen: DeploymentStatus) {
  plaza.clock.advance(7)
  const before = await intentOf(id)
  const answer = app.api.call(calls[operation], { params: { id } })
  for (;;) {
    const now = await intentOf(id)
    if (now?.generation !== before?.generation) {
      await observe(id, seen)
      break
    }
    if (await Promise.race([answer.then(() => true), new Promise<false>((next) => setTimeout(next, 10, false))])) break
  }
  return outcome(await answer)
}

test('D-57 stop: the response comes as soon as a worker has completed it', async () => {
  const id = await someDeployment('running')
  const begun = Date.now()
  const [status, body] = await operate('stop', id, 'stopped')
  // Without a worker it would come after 5 seconds.
  expect(Date.now() - begun).toBeLessThan(4_500)
  expect([status, body]).toMatchObject([200, { id, status: 'stopped' }])
  expect(body).toEqual(await app.api.result(getDeployment, { params: { id } }))
  expect(await intentOf(id)).toEqual({ desired: 'stopped', generation: 2, status: 'stopped' })
  expect(await logOf(id)).toEqual([
    { action: 'create', status: 'succeeded', generation: 1, initiated_by: app.owner.id },
    { action: 'stop', status: 'succeeded', generation: 2, initiated_by: app.owner.id },
  ])
})

test('D-57 without a worker the response comes after 5 seconds, with the observed status; 40 that wait hold no database connection', async () => {
  const owners = await Promise.all(Array.from({ length: 5 }, () => someHostingApp(plaza)))
  const ids: [string, (typeof owners)[number]][] = []
  for (const owner of owners) for (let at = 0; at < 8; at++) ids.push([await someDeployment('running', owner), owner])
  let answered = 0
  const begun = Date.now()
  const waiting = race(plaza, 40, async (at) => {
    const [id, owner] = ids[at]!
    const { status, body } = await owner.api.call(stopDeployment, { params: { id } })
    answered++
    return [status, (body as { status: string }).status]
  })
  const wanted = async () =>
    (
      await plaza.db
        .sql`select 1 from deployments where desired = 'stopped' and id = any(${ids.map(([id]) => id)}::uuid[])`
    ).length
  await expect.poll(wanted).toBe(40)
  const used = () =>
    plaza.db.connections().reduce((sum, { labels: { state }, value }) => sum + (state === 'idle' ? 0 : value), 0)
  // The job queue listens on one, and looks for jobs on up to five.
  await expect.poll(used).toBeLessThan(7)
  await app.api.result(listDeployments)
  expect(answered).toBe(0)
  const unobserved = ids[0]![0]
  for (const [id] of ids.slice(1)) await observe(id, 'stopped')
  expect(await waiting).toEqual(ids.map(([id]) => [200, id === unobserved ? 'running' : 'stopped']))
  expect(Date.now() - begun).toBeGreaterThan(4_500)
  expect((await logOf(unobserved)).at(-1)).toMatchObject({ action: 'stop', status: 'pending' })
})

test('D-57 operations that the table of states does not allow are 409 not_allowed_now and change nothing', async () => {
  for (const status of deployment_statuses.filter((word) => word !== 'destroyed'))
    for (const operation of ['restart', 'stop'] as const) {
      const id = await someDeployment(status)
      // Stopped by its owner: nothing is in progress.
      if (status === 'stopped') await plaza.db.sql`update deployments set desired = 'stopped' where id = ${id}`
      const before = [await intentOf(id), await logOf(id)]
      const answer = await operate(operation, id, operation === 'stop' ? 'stopped' : 'running')
      if (mayDeployment(operation, status)) expect([operation, status, answer[0]]).toEqual([operation, status, 200])
      else {
        expect([operation, status, ...answer]).toEqual([operation, status, ...refusedInState(status)])
        expect([await intentOf(id), await logOf(id)]).toEqual(before)
      }
    }
})

test('D-57 a restart that no worker has claimed can be stopped; after a final failure a stop is refused, between two tries it is not', async () => {
  const id = await someDeployment('stopped')
  await plaza.db.sql`update deployments set desired = 'running', generation = 2 where id = ${id}`
  expect(await operate('stop', id, 'stopped')).toMatchObject([200, { status: 'stopped' }])
  await plaza.db.sql`update deployments set desired = 'running', failed_generation = generation where id = ${id}`
  expect(await operate('stop', id, 'stopped')).toEqual(refusedInState('stopped'))
  // H20: a deployment that waits for an automatic retry can be stopped.
  await plaza.db.sql`update deployments set retry_at = now() + interval '1 minute' where id = ${id}`
  expect(await operate('stop', id, 'stopped')).toMatchObject([200, { status: 'stopped' }])
})

test('D-57 DELETE: from any state, idempotent, with one log entry; then 404 for all other endpoints', async () => {
  for (const status of deployment_statuses.filter((word) => word !== 'destroyed')) {
    const id = await someDeployment(status)
    const answer = [200, { id, message: destroyed_message }]
    expect(await operate('destroy', id, 'destroyed')).toEqual(answer)
    expect(await operate('destroy', id, 'destroyed')).toEqual(answer)
    expect((await logOf(id)).filter(({ action }) => action === 'destroy')).toEqual([
      { action: 'destroy', status: 'succeeded', generation: 2, initiated_by: app.owner.id },
    ])
    for (const call of [getDeployment, getDeploymentStatus, listDeployLog, restartDeployment, stopDeployment])
      expect(outcome(await app.api.call(call, { params: { id } }))).toEqual(refused('not_found'))
    const { deployments } = await app.api.result(listDeployments)
    expect(deployments.map((one) => one.id)).not.toContain(id)
  }
})

test('D-57 DELETE: until the container is removed, the responses say that its removal is in progress; it cannot be restarted', async () => {
  const id = await someDeployment('running')
  const message = 'The deployment is being removed, and its container with it. Nothing of it can be brought back.'
  const reply = await withoutWaiting(plaza, id, () => app.api.call(destroyDeployment, { params: { id } }))
  expect(outcome(reply)).toEqual([200, { id, message }])
  const shown = { id, status: 'running', is_being_removed: true }
  expect(await app.api.result(getDeployment, { params: { id } })).toMatchObject(shown)
  const { deployments } = await app.api.result(listDeployments)
  expect(deployments.find((one) => one.id === id)).toMatchObject(shown)
  for (const operation of ['restart', 'stop'] as const)
    expect(await operate(operation, id, 'running')).toEqual(refusedInState('running', { is_being_removed: true }))
  expect(await intentOf(id)).toMatchObject({ desired: 'destroyed', generation: 2 })
})

test('a suspended deployment cannot be restarted: 409 suspended; it can be stopped and destroyed', async () => {
  const id = await someDeployment('running')
  await plaza.db.sql`update deployments set suspended_by = 'admin', generation = 2 where id = ${id}`
  const before = [await intentOf(id), await logOf(id)]
  expect(await operate('restart', id, 'running')).toEqual(refused('suspended'))
  expect([await intentOf(id), await logOf(id)]).toEqual(before)
  expect((await operate('stop', id, 'stopped'))[0]).toBe(200)
  expect((await operate('destroy', id, 'destroyed'))[0]).toBe(200)
})

test('of 30 concurrent stops, restarts and destructions the last one written is the desired state, and the log is complete', async () => {
  const other = await plaza.startAnother()
  const owner = await someHostingApp(plaza)
  const id = await someDeployment('running', owner)
  const operations = ['stop', 'restart', 'destroy'] as const
  const paths = { stop: ['POST', '/stop'], restart: ['POST', '/restart'], destroy: ['DELETE', ''] } as const
  const replies = await race(plaza, 30, async (at) => {
    const operation = operations[at % 3]!
    const [method, path] = paths[operation]
    const headers = { authorization: `Bearer ${owner.tokens.access_token}` }
    const reply = await raw(at % 2 ? plaza : other, method, `/api/deploy/apps/${id}${path}`, { headers })
    return { operation, reply }
  })
  const accepted = replies.filter(({ reply }) => reply.status === 200)
  for (const { operation, reply } of replies)
    if (reply.status !== 200)
      expect([operation, ...outcome(reply)]).toEqual([
        operation,
        ...refusedInState('running', { is_being_removed: true }),
      ])
  const entries = await logOf(id)
  expect(await intentOf(id)).toEqual({ desired: 'destroyed', generation: entries.length, status: 'running' })
  expect(entries.map(({ generation }) => generation)).toEqual(entries.map((_, at) => at + 1))
  expect(entries.at(-1)).toMatchObject({ action: 'destroy', status: 'pending' })
  expect(new Set(entries.slice(1, -1).map(({ status }) => status)).size).toBeLessThanOrEqual(1)
  for (const { status } of entries.slice(1, -1)) expect(status).toBe('superseded')
  const counted = (action: string) => entries.filter((entry) => entry.action === action).length
  const answered = (operation: string) => accepted.filter((one) => one.operation === operation).length
  expect([counted('stop'), counted('restart'), counted('destroy')]).toEqual([answered('stop'), answered('restart'), 1])
  expect(answered('destroy')).toBe(10)
  const { logs } = await owner.api.result(listDeployLog, { params: { id } })
  expect(logs.map(({ action, status }) => ({ action, status }))).toEqual(
    entries.map(({ action, status }) => ({ action, status })).reverse(),
  )
})

test('every change of the desired state notifies the workers of the deployment’s id on commit', async () => {
  const heard: string[] = []
  const listener = await openListener({
    connection: { connectionString: String(plaza.db.pool.options.connectionString) },
    log: openLog('silent'),
    name: 'test',
    channel: intents_channel,
    onNotification: (payload) => heard.push(payload),
    onConnected: () => {},
  })
  const id = await someDeployment('running')
  await operate('stop', id, 'stopped')
  await operate('restart', id, 'running')
  await operate('restart', id, 'running')
  await operate('destroy', id, 'destroyed')
  await operate('destroy', id, 'destroyed')
  for (let tries = 0; heard.length < 5 && tries < 100; tries++) await new Promise((next) => setTimeout(next, 20))
  await listener.close()
  expect(heard).toEqual(Array.from({ length: 5 }, () => id))
})
