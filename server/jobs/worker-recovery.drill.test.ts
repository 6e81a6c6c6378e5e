import { randomUUID } from 'node:crypto'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { login, sendVerification } from '../../contract/accounts.ts'
import { openLog } from '../platform/log.ts'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, firstAdmin, startTestService } from '../test/harness.ts'
import type { Env } from '../platform/env-reader.ts'
import { apiProcess, startMain, untilAnswers, type Started } from '../test/processes.ts'
import { startSmtpServer } from '../test/smtp-server.ts'
import { sleep, waitUntil } from '../test/wait.ts'
import { createWorkerRecovery } from './worker-recovery.ts'

/** A mail server that, while it hangs, never answers a client that sends a mail. */
async function mailServer() {
  const state = { hangs: true, asked: 0, received: [] as string[], smtp_url: '' }
  state.smtp_url = await startSmtpServer({
    onRcptTo({ address }, _session, answer) {
      state.asked++
      if (state.hangs) return
      state.received.push(address)
      answer()
    },
  })
  return state
}

const mails = await mailServer()
// Runs no jobs: the tests start the processes that do.
const plaza = await startTestService({ ROLES: 'worker', SMTP_URL: mails.smtp_url })
const { sql, pool } = plaza.db

const lockedJobs = () =>
  plaza.db.sql<{ id: number; locked_by: string | null; attempts: number }>`
    select id, locked_by, attempts from graphile_worker._private_jobs order by id`

/** Simulates that this much time has passed, both for a process that no longer writes and for one that continues. */
async function letPass(seconds: number, worker_ids: readonly string[]) {
  await sql`update job_runners set seen_at = seen_at - make_interval(secs => ${seconds})
             where worker_ids && ${worker_ids}::text[]`
  await sql`update job_runners set steady_since = steady_since - make_interval(secs => ${seconds})`
  await sql`update graphile_worker._private_jobs set locked_at = locked_at - make_interval(secs => ${seconds})
             where locked_by = any(${worker_ids}::text[])`
}

/** The service in a separate process. */
async function startProcess(env: Env = {}, onStart: (started: Started) => Promise<void> = () => Promise.resolve()) {
  const port = await freePort()
  const public_url = `http://127.0.0.1:${port}`
  const started = startMain([], {
    ...apiProcess(await databaseNameOf(plaza), { port, public_url }),
    SMTP_URL: mails.smtp_url,
    ...env,
  })
  const { child, ended } = started
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  await onStart(started)
  await untilAnswers(started, `${public_url}/health`)
  return { started, client: new PlazaClient(public_url), public_url, kill }
}

/** A runner that writes heartbeats on request. */
const someTakeover = (worker_ids: readonly string[]) =>
  createWorkerRecovery({ pool, log: openLog('silent'), workerIds: () => worker_ids })

/** A job that a worker of this name holds. */
async function heldBy(worker_id: string) {
  await sql`select graphile_worker.add_job('test.held')`
  await sql`update graphile_worker._private_jobs set locked_by = ${worker_id}, locked_at = now(), attempts = 1`
}

const holders = async () => (await lockedJobs()).map(({ locked_by }) => locked_by)

beforeEach(async () => {
  await sql`delete from job_runners`
  await sql`delete from graphile_worker._private_jobs`
})

test('a mail job of a process that was killed while running it is done by another, about a minute later', async () => {
  const victim = await startProcess()
  const session = await victim.client.result(login, { body: firstAdmin })
  await sql`update users set email_verified = false where id = ${session.user.id}`
  await victim.client.withToken(session.token).result(sendVerification)
  await expect.poll(() => mails.asked).toBe(1)
  // The job that frees holds every few seconds also waits in the queue.
  const held = (await lockedJobs()).find(({ locked_by }) => locked_by !== null)
  expect(held).toMatchObject({ locked_by: expect.any(String), attempts: 1 })
  await victim.kill()
  mails.hangs = false
  await plaza.startAnother({ ROLES: 'api' })
  const dead = [held?.locked_by ?? '']
  await letPass(50, dead)
  await someTakeover(['somebody']).heartbeat()
  expect(await holders()).toContain(dead[0])
  await letPass(11, dead)
  await expect.poll(() => mails.received).toEqual([firstAdmin.email])
  await expect.poll(async () => (await holders()).filter((name) => name !== null)).toEqual([])
})

test('a process that could not connect when it first searched for jobs searches again', async () => {
  mails.hangs = false
  const { started, client, public_url } = await startProcess({ LOG_LEVEL: 'debug' }, async ({ child, stdout }) => {
    await waitUntil(() => stdout().includes('"queue":"Spawned"'), 'the job queue', { interval_ms: 1 })
    // Longer than a pool waits for a connection: it gives up as soon as the process continues.
    child.kill('SIGSTOP')
    await sleep(5_500)
    child.kill('SIGCONT')
  })
  // All connections that it was opening have timed out meanwhile.
  await untilAnswers(started, `${public_url}/readyz`)
  const session = await client.result(login, { body: firstAdmin })
  await sql`update users set email_verified = false where id = ${session.user.id}`
  mails.received.length = 0
  await client.withToken(session.token).result(sendVerification)
  await waitUntil(
    () => mails.received.length > 0,
    () => `the mail: ${started.stdout().slice(-3_000)}`,
  )
  expect(mails.received).toEqual([firstAdmin.email])
})

test('a job stays with a process that is slow but alive, however long it takes', async () => {
  const slow = someTakeover(['slow'])
  const other = someTakeover(['other'])
  await Promise.all([slow.heartbeat(), other.heartbeat()])
  await heldBy('slow')
  await sql`update graphile_worker._private_jobs set locked_at = now() - interval '3 hours'`
  await sql`update job_runners set steady_since = now() - interval '1 hour'`
  await sql`update job_runners set seen_at = now() - interval '55 s' where worker_ids = '{slow}'`
  await other.heartbeat()
  expect(await holders()).toEqual(['slow'])
  await slow.heartbeat()
  await letPass(3_000, [])
  await other.heartbeat()
  expect(await holders()).toEqual(['slow'])
})

test('after a database outage no jobs are recovered before the other processes could write heartbeats', async () => {
  const one = someTakeover(['one'])
  const other = someTakeover(['other'])
  await Promise.all([one.heartbeat(), other.heartbeat()])
  await heldBy('one')
  await letPass(600, ['one', 'other'])
  await other.heartbeat()
  expect(await holders()).toEqual(['one'])
  await one.heartbeat()
  await letPass(31, [])
  await other.heartbeat()
  expect(await holders()).toEqual(['one'])
})

test('a job locked by an unregistered worker is recovered too: of an older version, or of a process that died at its start', async () => {
  const only = someTakeover(['only'])
  await only.heartbeat()
  await heldBy(`pool-${randomUUID()}`)
  await letPass(31, [])
  await sql`update graphile_worker._private_jobs set locked_at = now() - interval '61 s'`
  await only.heartbeat()
  expect(await holders()).toEqual([null])
})

test('O1: after a database clock was a year ahead, the queue recovers: held jobs, later attempts and the schedule', async () => {
  const live = someTakeover(['live'])
  const other = someTakeover(['other'])
  await Promise.all([live.heartbeat(), other.heartbeat()])
  await heldBy('dead')
  await sql`insert into job_runners values (gen_random_uuid(), '{dead}', now() + interval '1 year', now() + interval '1 year')`
  await sql`update job_runners set seen_at = now() + interval '1 year', steady_since = now() + interval '1 year'`
  await sql`update graphile_worker._private_jobs set locked_at = now() + interval '1 year'`
  await sql`select graphile_worker.add_job('test.tried')`
  await sql`update graphile_worker._private_jobs set run_at = now() + interval '1 year 10 minutes', updated_at = now() + interval '1 year'
             where locked_by is null`
  await sql`insert into graphile_worker._private_known_crontabs values ('test.cron', now(), now() + interval '1 year')`

  // Living processes do not count as dead before each of them could write again.
  await other.heartbeat()
  expect(await holders()).toContain('dead')
  await live.heartbeat()
  await sql`update job_runners set steady_since = now() - interval '31 s' where worker_ids <> '{dead}'`
  await other.heartbeat()
  expect(await holders()).toEqual([null, null])
  expect(
    (await sql<{ worker_ids: string[] }>`select worker_ids from job_runners order by 1`).map(
      ({ worker_ids }) => worker_ids,
    ),
  ).toEqual([['live'], ['other']])
  const delays = await sql<{ delay: number }>`
    select extract(epoch from run_at - now())::float8 as delay from graphile_worker._private_jobs order by 1`
  expect(Math.max(...delays.map(({ delay }) => delay))).toBeLessThanOrEqual(600)
  expect(
    await sql`select last_execution from graphile_worker._private_known_crontabs where identifier = 'test.cron'`,
  ).toEqual([{ last_execution: null }])
})

test('a process that stops regularly is deregistered immediately, and does not count as dead', async () => {
  const leaving = someTakeover(['leaving'])
  await leaving.heartbeat()
  await leaving.deregister()
  // Processes of earlier tests may write there meanwhile.
  expect(await sql`select id from job_runners where 'leaving' = any(worker_ids)`).toEqual([])
})
