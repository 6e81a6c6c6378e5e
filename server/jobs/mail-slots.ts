import type { Job as QueuedJob, Worker, WorkerEvents } from 'graphile-worker'
import { mail_flag } from '../platform/queue.ts'

/** A mail server may take ten minutes for an answer, and must not delay the other jobs. */
const mails_max = 2

const isMail = ({ flags }: QueuedJob) => flags?.[mail_flag] === true

/**
 * Lets the workers of a process run two mails at a time. One worker at a time may look for a mail, since several that look at once would
 * each find one.
 */
export function openMailSlots(events: WorkerEvents) {
  let mails = 0
  let looking: Worker | 'the next to look' | undefined
  events.on('worker:getJob:start', ({ worker }) => {
    if (looking === 'the next to look') looking = worker
  })
  for (const found of ['job:start', 'worker:getJob:empty', 'worker:getJob:error'] as const)
    events.on(found, ({ worker }) => {
      if (looking === worker) looking = undefined
    })
  return {
    /** The flags of jobs that the worker that asks must not start. */
    forbiddenFlags() {
      if (mails >= mails_max || looking) return [mail_flag]
      looking = 'the next to look'
      return null
    },
    /** Runs a job, which counts if it is a mail. */
    async hold(job: QueuedJob, run: () => Promise<void>) {
      if (!isMail(job)) return run()
      mails++
      try {
        await run()
      } finally {
        mails--
      }
    },
  }
}
