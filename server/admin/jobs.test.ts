import { beforeEach, expect, test } from 'vitest'
import { adminListJobs, discardJob, retryJob } from '../../contract/admin-jobs.ts'
import { listAudit } from '../../contract/admin-audit.ts'
import { forgotPassword } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import { freePort } from '../test/free-port.ts'
import { startTestService } from '../test/harness.ts'
import { rowsOfPages } from '../test/pages.ts'
import { outcome, refused } from '../test/refusals.ts'
import { someUser, theAdmin } from '../test/world.ts'

// A mail server that is unreachable.
const plaza = await startTestService({ SMTP_URL: `smtp://127.0.0.1:${await freePort()}` })
const admin = await theAdmin(plaza)
const { sql } = plaza.db

/** A row of a job that has used up its attempts, as the queue writes it. */
async function failedJob(payload: object, error: string | null = 'no answer') {
  const [row] = await sql<{ id: string }>`
    insert into graphile_worker._private_jobs (task_id, payload, attempts, max_attempts, last_error, run_at)
    select t.id, ${JSON.stringify(payload)}::json, 8, 8, ${error}, now() + interval '1 hour'
      from graphile_worker._private_tasks t where t.identifier = 'accounts.mail_reset_code'
    returning id::text`
  return row?.id ?? ''
}

const jobs = () => admin.api.result(adminListJobs)

beforeEach(() => sql`delete from graphile_worker._private_jobs`)

test('D-81: a mail that failed on all attempts is listed and counted, and sent again when an admin retries it', async () => {
  const user = await someUser(plaza)
  await new PlazaClient(plaza.url).result(forgotPassword, { body: { email: user.email } })
  expect(await jobs()).toEqual({ data: [], next_cursor: null, total: 0 })
  // The job must not be locked by a runner.
  const made_old = () => sql`
    update graphile_worker._private_jobs set attempts = 15, run_at = now() where locked_at is null returning id`
  await expect.poll(made_old).toHaveLength(1)
  const failed = async () => (await jobs()).data
  await expect.poll(failed).toHaveLength(1)
  const { data, total } = await jobs()
  expect(total).toBe(1)
  const [job] = data
  expect(job).toEqual({
    id: expect.stringMatching(/^\d+$/),
    job: 'accounts.mail_reset_code',
    attempts: 16,
    error: expect.stringContaining('ECONNREFUSED'),
    user_id: null,
    app_id: null,
    request_id: null,
    inserted_at: expect.any(String),
  })
  const params = { id: job?.id ?? '' }
  expect(await admin.api.result(retryJob, { params })).toEqual(job)
  await expect.poll(async () => (await failed()).length).toBe(0)
  const attempts = async () => {
    const [row] = await sql<{ attempts: number }>`select attempts from graphile_worker._private_jobs`
    return row?.attempts
  }
  await expect.poll(attempts).toBe(1)
  const { data: audit } = await admin.api.result(listAudit, { query: { action: 'job.retry' } })
  expect(audit.map(({ actor_id, target_id, details }) => ({ actor_id, target_id, details }))).toEqual([
    { actor_id: admin.id, target_id: null, details: { job_id: params.id, job: 'accounts.mail_reset_code' } },
  ])
})

test('D-81: of a job’s payload only the id of its subject is shown', async () => {
  const user_id = '01900000-0000-7000-8000-000000000001'
  await failedJob({ user_id, email: 'secret@people.test', code: '123456' }, 'x'.repeat(2_000))
  const page = await jobs()
  expect(page.data).toMatchObject([{ user_id, app_id: null, error: 'x'.repeat(500) }])
  expect(JSON.stringify(page)).not.toMatch(/secret@people|123456/)
})

test('D-81: failed jobs are paged, newest first; waiting, running and retryable jobs are not listed', async () => {
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift(await failedJob({ name }))
  const [waiting, running, retried] = [await failedJob({}), await failedJob({}), await failedJob({})]
  await sql`update graphile_worker._private_jobs set attempts = 0 where id = ${waiting}::bigint`
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'me' where id = ${running}::bigint`
  await sql`update graphile_worker._private_jobs set attempts = 7 where id = ${retried}::bigint`
  const seen = await rowsOfPages(async (next) => {
    const page = await admin.api.result(adminListJobs, { query: { limit: 2, ...next } })
    expect(page.total).toBe(3)
    return page
  })
  expect(seen.map(({ id }) => id)).toEqual(ids)
  for (const id of [waiting, running, retried])
    expect(outcome(await admin.api.call(discardJob, { params: { id } }))).toEqual(refused('not_found'))
})

test('D-81: a discarded job is deleted and the admin is audited; a second decision is 404', async () => {
  const params = { id: await failedJob({}, null) }
  expect(await admin.api.result(discardJob, { params })).toMatchObject({ id: params.id, error: null })
  expect(await sql`select id from graphile_worker._private_jobs`).toEqual([])
  for (const decide of [discardJob, retryJob])
    expect(outcome(await admin.api.call(decide, { params }))).toEqual(refused('not_found'))
  const { data } = await admin.api.result(listAudit, { query: { action: 'job.discard' } })
  expect(data.map(({ details }) => details)).toEqual([{ job_id: params.id, job: 'accounts.mail_reset_code' }])
})

test('D-81: a permanently failed job is kept for 30 days', async () => {
  const [old, young] = [await failedJob({}), await failedJob({})]
  await sql`update graphile_worker._private_jobs set created_at = now() - interval '30 days 1 hour' where id = ${old}::bigint`
  await sql`update graphile_worker._private_jobs set created_at = now() - interval '29 days' where id = ${young}::bigint`
  await plaza.service.app.jobs.find(({ name }) => name === 'platform.forget_failed_jobs')?.run({}, 'test')
  expect((await jobs()).data.map(({ id }) => id)).toEqual([young])
})

test('failed jobs are found by an index, regardless of the length of the queue', async () => {
  await sql`insert into graphile_worker._private_jobs (task_id, payload)
            select 1, '{}'::json from generate_series(1, 20000)`
  await failedJob({})
  await sql`analyze graphile_worker._private_jobs`
  const plan = await sql<{ 'QUERY PLAN': string }>`
    explain select j.id from graphile_worker._private_jobs j
     where j.attempts >= j.max_attempts and j.locked_at is null order by j.id desc limit 51`
  expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('plaza_failed_jobs')
})
