import { expect, onTestFinished, test } from 'vitest'
import { openLog } from '../platform/log.ts'
import { enqueue } from '../platform/queue.ts'
import { startTestService } from '../test/harness.ts'
import { oftenJob } from './often.ts'
import { startRunner } from './runner.ts'

const plaza = await startTestService({ ROLES: 'worker' })
const { jobs } = plaza.service.app

async function startJobs(scheduled: boolean, ran: (payload: unknown) => void = () => {}) {
  const runner = await startRunner({
    pool: plaza.db.pool,
    jobs: [...jobs, { name: 'test.note', run: async (payload) => ran(payload) }],
    log: openLog('error'),
    scheduled,
  })
  onTestFinished(runner.stop)
}

const queue = (payload: object) =>
  plaza.db.sql`select graphile_worker.add_job('test.note', ${JSON.stringify(payload)}::json)`

const knownCrons = async () => {
  const rows = await plaza.db.sql<{ identifier: string }>`
    select identifier from graphile_worker._private_known_crontabs order by identifier`
  return rows.map(({ identifier }) => identifier)
}

test('a queued job runs, and without the schedule nothing starts by itself', async () => {
  const notes: unknown[] = []
  await startJobs(false, (payload) => notes.push(payload))
  await queue({ number: 1 })
  await expect.poll(() => notes).toEqual([{ number: 1 }])
  expect(await knownCrons()).toEqual([])
})

test('a job that was queued under its former name runs', async () => {
  const notes: unknown[] = []
  const runner = await startRunner({
    pool: plaza.db.pool,
    jobs: [{ name: 'test.renamed', former_name: 'test.note', run: async (payload) => void notes.push(payload) }],
    log: openLog('error'),
    scheduled: false,
  })
  onTestFinished(runner.stop)
  await queue({ number: 1 })
  await expect.poll(() => notes).toEqual([{ number: 1 }])
  const renamed = jobs.flatMap(({ former_name }) => former_name ?? [])
  expect(renamed).toEqual(['kit.forget_old_counts', 'kit.forget_failed_jobs'])
})

test('the schedule knows every job that has a time', async () => {
  await startJobs(true)
  const timed = jobs.filter(({ cron }) => cron !== undefined).map(({ name }) => name)
  expect(timed).toContain('deployments.check_claims')
  await expect.poll(knownCrons).toEqual(timed.toSorted())
})

test('O7, D-160: a mail server without an answer holds up two mails of a process at a time, a push service one push; no other job', async () => {
  await plaza.db.sql`delete from graphile_worker._private_jobs`
  const order: unknown[] = []
  let answer = () => {}
  const answered = new Promise<void>((done) => (answer = done))
  for (let number = 0; number < 6; number++)
    for (const priority of ['push', 'mail'] as const)
      await enqueue(plaza.db, `test.${priority}`, { number }, { priority })
  const [mails, pushes] = [{ started: 0 }, { started: 0 }]
  const waits = (jobs: { started: number }) => async () => {
    jobs.started++
    await answered
  }
  const runner = await startRunner({
    pool: plaza.db.pool,
    jobs: [
      { name: 'test.note', run: async (payload) => void order.push(payload) },
      { name: 'test.mail', run: waits(mails) },
      { name: 'test.push', run: waits(pushes) },
    ],
    log: openLog('error'),
    scheduled: false,
  })
  onTestFinished(async () => {
    answer()
    await runner.stop()
  })
  const started = () => [mails.started, pushes.started]
  await expect.poll(started).toEqual([2, 1])
  for (let number = 0; number < 20; number++) await queue({ number })
  await expect.poll(() => order.length).toBe(20)
  expect(started()).toEqual([2, 1])
  answer()
  await expect.poll(started).toEqual([6, 6])
})

test('D-97: what runs every few seconds does so from the start on, and goes on after a failure', async () => {
  const ran: number[] = []
  const often = oftenJob(plaza.db, {
    name: 'test.often',
    every_seconds: 1,
    run: async () => {
      ran.push(performance.now())
      if (ran.length === 1) throw new Error('the first one fails')
    },
  })
  const began = performance.now()
  const runners = [1, 2].map(() =>
    startRunner({ pool: plaza.db.pool, jobs: [often], log: openLog('silent'), scheduled: true }),
  )
  for (const runner of await Promise.all(runners)) onTestFinished(runner.stop)
  await expect.poll(() => ran.length).toBeGreaterThan(2)
  expect(ran[0]! - began).toBeLessThan(5_000)
  // Two processes do not run it twice as often.
  const [waiting] = await plaza.db.sql<{ count: number }>`
    select count(*)::integer as count from graphile_worker._private_jobs where key = 'test.often:next'`
  expect(waiting!.count).toBeLessThanOrEqual(1)
})

test('mails wait behind whatever else is due: their server may hang', async () => {
  const order: unknown[] = []
  await plaza.db.sql`delete from graphile_worker._private_jobs`
  for (let number = 0; number < 20; number++)
    await enqueue(plaza.db, 'test.note', { mail: number }, { priority: 'mail' })
  await enqueue(plaza.db, 'test.note', { other: 1 })
  await startJobs(false, (payload) => order.push(payload))
  await expect.poll(() => order.length).toBe(21)
  expect(order.findIndex((payload) => JSON.stringify(payload) === '{"other":1}')).toBeLessThan(4)
})
