import type { Job as QueuedJob, Worker, WorkerEvents } from 'graphile-worker'
import { slots } from '../platform/queue.ts'

type Flag = keyof typeof slots
const flags = Object.keys(slots) as Flag[]

/**
 * Limits how many jobs with a flag the workers of a process run concurrently, because they wait for external servers. A worker that
 * searches for a job counts towards every flag that it may find.
 */
export function openSlots(events: WorkerEvents) {
  const running: Record<Flag, number> = { mail: 0, push: 0 }
  /** The flags that workers may find, in the order of their requests, until they start to search. */
  const asked: Flag[][] = []
  const looking = new Map<Worker, Flag[]>()
  const taken = (flag: Flag) =>
    running[flag] + [...asked, ...looking.values()].filter((allowed) => allowed.includes(flag)).length
  events.on('worker:getJob:start', ({ worker }) => void looking.set(worker, asked.shift() ?? []))
  for (const found of ['job:start', 'worker:getJob:empty', 'worker:getJob:error'] as const)
    events.on(found, ({ worker }) => void looking.delete(worker))
  return {
    /** The flags of the jobs that the requesting worker must not start. */
    forbiddenFlags() {
      const allowed = flags.filter((flag) => taken(flag) < slots[flag])
      asked.push(allowed)
      return flags.filter((flag) => !allowed.includes(flag))
    },
    /** Runs a job. It counts towards its flag, if any. */
    async hold(job: QueuedJob, run: () => Promise<void>) {
      const flag = flags.find((one) => job.flags?.[one])
      if (!flag) return run()
      running[flag]++
      try {
        await run()
      } finally {
        running[flag]--
      }
    },
  }
}
