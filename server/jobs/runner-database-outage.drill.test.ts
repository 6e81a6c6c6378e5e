import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../platform/postgres/database.ts'
import { openLog } from '../platform/log.ts'
import { startTestService } from '../test/harness.ts'
import { openFaultProxy } from '../test/fault-proxy.ts'
import { startRunner, type Job } from './runner.ts'

const plaza = await startTestService({ ROLES: 'worker' })

const queue = (job: string) => plaza.db.sql`select graphile_worker.add_job(${job}, max_attempts := 3)`
const jobsLeft = async () =>
  (await plaza.db.sql<{ id: string }>`select id from graphile_worker._private_jobs order by id`).length

/** A runner whose connection to the database can be cut. */
async function startJobs(jobs: Job[]) {
  const road = await openFaultProxy(plaza)
  const lines: string[] = []
  const log = openLog('info', { write: (line: string) => lines.push(line) })
  const db = openDatabase({ connection: { connectionString: road.database_url }, log })
  const runner = await startRunner({ pool: db.pool, jobs, log, scheduled: false })
  onTestFinished(async () => {
    await runner.stop()
    await db.close()
  })
  return { road, runner, logged: () => lines.join('') }
}

/** A job that reports its start and ends on request. */
function heldJob(end: () => void = () => {}) {
  let begun = 0
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const job: Job = {
    name: 'test.held',
    run: async () => {
      begun++
      await held
      if (begun === 1) end()
    },
  }
  return { job, begun: () => begun, release: () => release() }
}

test.each([
  ['succeeds', () => {}],
  [
    'fails',
    () => {
      throw new Error('not this time')
    },
  ],
])('a job that %s while the database is unavailable is run again afterwards, and others follow', async (_, end) => {
  const { job, begun, release } = heldJob(end)
  let noted = 0
  const note: Job = {
    name: 'test.note',
    run: async () => {
      noted++
    },
  }
  const { road, logged } = await startJobs([job, note])
  await queue('test.held')
  await expect.poll(begun).toBe(1)
  road.refuseAll()
  release()
  await expect.poll(logged).toContain('the job queue has ended and is restarted')
  road.acceptNew()
  await queue('test.note')
  await expect.poll(() => [begun(), noted]).toEqual([2, 1])
  await expect.poll(jobsLeft).toBe(0)
})

test('a runner that ended by itself can be stopped, even while the database is unavailable', async () => {
  const { job, begun, release } = heldJob()
  const { road, runner, logged } = await startJobs([job])
  await queue('test.held')
  await expect.poll(begun).toBe(1)
  road.refuseAll()
  release()
  await expect.poll(logged).toContain('the job queue has ended and is restarted')
  await runner.stop()
})
