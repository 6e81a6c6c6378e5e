import { changeFailedJobFromOutside } from '../admin/jobs.service.ts'
import { job_states, listQueuedJobs, type JobState, type QueuedJob } from '../platform/failed-jobs.ts'
import type { Database } from '../platform/postgres/database.ts'
import { pluralize } from '../platform/text.ts'
import { defineCommand, exit_codes, WrongUsage, type Invocation } from './command.ts'
import { withDatabase } from './database.ts'
import { secretsHider } from './doctor/secrets.ts'

const rows_max = 1_000
const ids_at_once = 1_000

/** `jobs`: lists the jobs in the queue. */
export const jobs = defineCommand({
  options: {
    state: { value: 'STATE', summary: `only these: ${job_states.join(', ')}` },
    json: { summary: 'prints one JSON object per job' },
  },
  summary: 'lists the jobs of the queue: state, age, last error',
  help: [
    `At most ${rows_max} jobs, the oldest due first. failed: all attempts are used up, and it is not run again. running: a process works on\n` +
      'it. waiting: it is due. scheduled: it is due later, mostly because an attempt has failed.',
  ],
  run: async (invocation) => {
    const { options, env, print, printError } = invocation
    const state = options.state
    if (state !== undefined && !isState(state)) throw new WrongUsage(`--state needs one of ${job_states.join(', ')}.`)
    const hide = secretsHider(env)
    return withDatabase(invocation, async ({ db, clock }) => {
      const rows = await listQueuedJobs(db.adHoc, { state, rows_max })
      const shown = rows.map((row) => ({ ...row, error: row.error === null ? null : hide(row.error) }))
      for (const row of shown) print(options.json ? JSON.stringify(row) : lineOf(row, clock()))
      if (!options.json) printError(pluralize(rows.length, 'job') + (rows.length === rows_max ? ' or more' : ''))
      return exit_codes.done
    })
  },
})

const isState = (text: string): text is JobState => (job_states as readonly string[]).includes(text)

function lineOf({ id, job, state, attempts, error, inserted_at }: QueuedJob, now: Date) {
  const seconds = Math.max(0, Math.round((now.getTime() - inserted_at.getTime()) / 1_000))
  const age =
    seconds < 120
      ? `${seconds} s`
      : seconds < 7_200
        ? `${Math.round(seconds / 60)} min`
        : `${Math.round(seconds / 3_600)} h`
  const text = `${id}  ${state.padEnd(9)}  ${job}  ${age} old, ${pluralize(attempts, 'attempt')}`
  return error === null ? text : `${text}: ${error.split('\n', 1)[0]}`
}

/** `jobs retry`: makes failed jobs due again. */
export const jobsRetry = defineCommand({
  parameters: ['[id]'],
  options: { failed: { summary: 'all that have failed' } },
  summary: 'retries a failed job with its full number of attempts; --failed: all of them',
  help: ['It is recorded in the audit log.'],
  run: async (invocation) => {
    const [id] = invocation.parameters
    if ((id === undefined) === (invocation.options.failed === undefined))
      throw new WrongUsage('"jobs retry" takes the id of a job, or --failed.')
    if (id !== undefined) return changeOne(invocation, checkedId(id), 'retry')
    return withDatabase(invocation, async ({ db, clock }) => {
      let retried = 0
      for (const failed_id of await allFailed(db)) {
        invocation.signal.throwIfAborted()
        if (await changeFailedJobFromOutside({ db, clock }, failed_id, 'retry')) retried++
      }
      invocation.print(`${pluralize(retried, 'job')} will be run again.`)
      return exit_codes.done
    })
  },
})

/** `jobs drop`: deletes a failed job. */
export const jobsDrop = defineCommand({
  parameters: ['<id>'],
  summary: 'deletes a failed job',
  help: ['It is recorded in the audit log.'],
  run: (invocation) => changeOne(invocation, checkedId(invocation.parameters[0] ?? ''), 'discard'),
})

function checkedId(id: string) {
  if (!/^\d{1,18}$/.test(id)) throw new WrongUsage('The id of a job is a number; npm run admin -- jobs lists them.')
  return id
}

const changeOne = (
  invocation: Pick<Invocation, 'env' | 'signal' | 'print' | 'printError'>,
  id: string,
  change: 'retry' | 'discard',
) =>
  withDatabase(invocation, async (parts) => {
    const changed = await changeFailedJobFromOutside(parts, id, change)
    if (changed) invocation.print(change === 'retry' ? `Job ${id} will be run again.` : `Job ${id} is deleted.`)
    else invocation.printError(`No failed job has the id ${id}.`)
    return changed ? exit_codes.done : exit_codes.not_done
  })

/** The jobs that have failed so far. A job that fails again during the run is not processed twice. */
async function allFailed(db: Database) {
  const rows = await listQueuedJobs(db.adHoc, { state: 'failed', rows_max: 100 * ids_at_once })
  return rows.map(({ id }) => id)
}
