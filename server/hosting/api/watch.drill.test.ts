import { expect, test } from 'vitest'
import { restartDeployment, stopDeployment } from '../../../contract/deployments.ts'
import { listNotices } from '../../../contract/notices.ts'
import { updateUser } from '../../../contract/admin.ts'
import { startTestService } from '../../test/harness.ts'
import {
  someContainerHost,
  someDeploymentOf,
  someHostingApp,
  withoutWaiting,
  type SomeHostingApp,
} from '../../test/hosting-world.ts'
import { latestFails, latestServes } from '../../test/releases.ts'
import { startMailbox } from '../../test/smtp-server.ts'
import { theAdmin } from '../../test/world.ts'
import { watchDeployments } from './watch.service.ts'
import { hosting_settings, long_lifetimes } from '../../test/settings.ts'

const { smtp_url, received } = await startMailbox()
const plaza = await startTestService({
  ...hosting_settings,
  ...long_lifetimes,
  SMTP_URL: smtp_url,
  MAIL_FROM: 'Plaza <post@plaza.test>',
})
await someContainerHost(plaza)
const { db } = plaza

async function world() {
  const app = await someHostingApp(plaza)
  const id = await someDeploymentOf(plaza, app, { status: 'deploying' })
  await latestServes(plaza, id)
  const setHealth = (health: string) => db.sql`update deployments set health_status = ${health} where id = ${id}`
  await setHealth('healthy')
  const mails = () => received.filter(({ to, text }) => to.includes(app.owner.email) && text.includes('/deployments/'))
  const subjects = () => mails().flatMap(({ text }) => /^Subject: (.*)\r$/m.exec(text)?.[1]?.replace(/^\S+ /, '') ?? [])
  /** Runs the check in many processes at once, and waits until the queue contains no mail. */
  const look = async () => {
    await Promise.all(Array.from({ length: 8 }, () => watchDeployments({ db, clock: plaza.clock.now })))
    await expect
      .poll(
        () =>
          db.sql`select 1 from graphile_worker.jobs where task_identifier = 'deployments.mail_owner' and attempts < max_attempts`,
        { timeout: 30_000 },
      )
      .toEqual([])
  }
  return { app, id, setHealth, mails, subjects, look }
}
const noticesOf = async ({ owner }: SomeHostingApp) =>
  (await owner.api.result(listNotices, { query: { kind: 'deployments' } })).data.map(({ event, subject_id, count }) => [
    event,
    subject_id,
    count,
  ])
const watchOf = (id: string) => db.sql`select * from deploy_watch where deployment_id = ${id}`

test('D-104: an owner gets one mail when a deployment failed for good and one when it has recovered, however many checks run', async () => {
  const { app, id, setHealth, mails, subjects, look } = await world()
  await latestFails(plaza, id)
  await db.sql`update deployments set status = 'stopped' where id = ${id}`
  await look()
  await look()
  expect(await noticesOf(app)).toEqual([['deployment_down', id, 1]])
  expect(subjects()).toEqual(['is down'])
  expect(mails()[0]?.text).toContain('Its program ended again and again.')
  expect(mails()[0]?.text).toContain(`${plaza.url}/deployments/${id}?app=${app.id}`)
  // Its output may hold secrets, and is not in the mail.
  expect(mails()[0]?.text).not.toContain('no such file')
  plaza.clock.advance(7)
  await withoutWaiting(plaza, id, () => app.api.result(restartDeployment, { params: { id } }))
  await look()
  await latestServes(plaza, id)
  await setHealth('healthy')
  await look()
  await look()
  expect(subjects()).toEqual(['is down', 'is back'])
  expect(await noticesOf(app)).toEqual([['deployment_back', id, 1]])
  plaza.clock.advance(3_601)
  await look()
  expect(await watchOf(id)).toEqual([])
  expect(subjects()).toHaveLength(2)
})

test('D-104: a port that does not answer for some minutes is mailed; the owner’s own stop is not', async () => {
  const { app, id, setHealth, subjects, look } = await world()
  await setHealth('unhealthy')
  await look()
  plaza.clock.advance(200)
  await look()
  expect(subjects()).toEqual([])
  plaza.clock.advance(101)
  await look()
  expect(subjects()).toEqual(['is down'])
  const other = await world()
  await other.setHealth('unhealthy')
  await look()
  await withoutWaiting(plaza, other.id, () => other.app.api.result(stopDeployment, { params: { id: other.id } }))
  plaza.clock.advance(600)
  await look()
  expect(other.subjects()).toEqual([])
  expect(await watchOf(other.id)).toEqual([])
  // Destroyed while it was down: no more mails.
  await db.sql`update deployments set status = 'destroyed', desired = 'destroyed' where id = ${id}`
  await look()
  expect(subjects()).toEqual(['is down'])
  expect(app.owner.email).not.toBe(other.app.owner.email)
})

test('D-104: a failed release is not an outage while another one serves', async () => {
  const { app, id, subjects, look } = await world()
  plaza.clock.advance(7)
  await withoutWaiting(plaza, id, () => app.api.result(restartDeployment, { params: { id } }))
  await latestFails(plaza, id)
  await look()
  expect(subjects()).toEqual([])
  expect(await watchOf(id)).toEqual([])
})

test('D-104: a flapping deployment is mailed four times an hour; a suspended owner is not mailed', async () => {
  const { app, id, setHealth, mails, subjects, look } = await world()
  for (let times = 0; times < 4; times++) {
    await latestFails(plaza, id)
    await look()
    plaza.clock.advance(60)
    await withoutWaiting(plaza, id, () => app.api.result(restartDeployment, { params: { id } }))
    await latestServes(plaza, id)
    await setHealth('healthy')
    await look()
    plaza.clock.advance(60)
  }
  expect(subjects()).toEqual(['is down', 'is back', 'is down', 'is back'])
  expect(mails().map(({ text }) => text.includes('This was mail 4 about it within an hour.'))).toEqual([
    false,
    false,
    false,
    true,
  ])
  const other = await world()
  const admin = await theAdmin(plaza)
  await latestFails(plaza, other.id)
  await admin.api.result(updateUser, { params: { id: other.app.owner.id }, body: { suspended: true } })
  await db.sql`update deployments set suspended_by = null, desired = 'running' where id = ${other.id}`
  await look()
  expect(other.subjects()).toEqual([])
})
