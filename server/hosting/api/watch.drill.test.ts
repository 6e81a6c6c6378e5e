import { expect, test } from 'vitest'
import { restartDeployment } from '../../../contract/deployments.ts'
import { listNotices } from '../../../contract/notices.ts'
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
import { suspend } from '../../test/world.ts'
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
  /** Runs the check many times concurrently, and waits until the queue contains no mail. */
  const look = async () => {
    await Promise.all(Array.from({ length: 8 }, () => watchDeployments({ db, clock: plaza.clock.now })))
    await expect
      .poll(
        () =>
          db.sql`select 1 from graphile_worker.jobs where task_identifier = 'deployments.mail_owner' and attempts < max_attempts`,
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

test('D-104: an owner gets one mail when a deployment fails permanently and one when it has recovered, however many checks run', async () => {
  const { app, id, setHealth, mails, subjects, look } = await world()
  await latestFails(plaza, id)
  await db.sql`update deployments set status = 'stopped' where id = ${id}`
  await look()
  await look()
  expect(await noticesOf(app)).toEqual([['deployment_down', id, 1]])
  expect(subjects()).toEqual(['is down'])
  expect(mails()[0]?.text).toContain('Its program ended again and again.')
  expect(mails()[0]?.text).toContain(`${plaza.url}/deployments/${id}?app=${app.id}`)
  // Its output may contain secrets, so it is not in the mail.
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

test('D-104: a failed release is not an outage while another one serves', async () => {
  const { app, id, subjects, look } = await world()
  plaza.clock.advance(7)
  await withoutWaiting(plaza, id, () => app.api.result(restartDeployment, { params: { id } }))
  await latestFails(plaza, id)
  await look()
  expect(subjects()).toEqual([])
  expect(await watchOf(id)).toEqual([])
})

test('D-104: the fourth mail within an hour says that it is the last one; a suspended owner is not mailed', async () => {
  const { id, mails, look } = await world()
  await latestFails(plaza, id)
  const now = plaza.clock.now()
  await db.sql`update deploy_watch set mailed_at = ${[now, now, now]} where deployment_id = ${id}`
  await look()
  expect(mails().map(({ text }) => text.includes('This was mail 4 about it within an hour.'))).toEqual([true])
  const other = await world()
  await latestFails(plaza, other.id)
  await suspend(plaza, other.app.owner)
  await db.sql`update deployments set suspended_by = null, desired = 'running' where id = ${other.id}`
  await look()
  expect(other.subjects()).toEqual([])
})
