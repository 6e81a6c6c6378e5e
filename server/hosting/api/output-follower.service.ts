import { decisions } from '../../../contract/decisions.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { compareLines } from '../output.rules.ts'
import { linesOf, outputLine, type OutputLine } from './output.rules.ts'
import { lastLines, type FoundLine } from './output.service.ts'
import { listOutputSources, listPartsFrom, listSourcesOf, listStopped, type OutputSourceRow } from './output.store.ts'

const { tail_default } = decisions.container_output
const poll_ms = 500
/** The output of a stopped deployment is complete after this many polls without lines; workers write every second. */
const last_polls = 8
const parts_at_once = 64

/** Follows the output of deployments for the streams of a process. */
export interface OutputFollower {
  /**
   * The last `tail` lines, then each new one, until the signal aborts or the output of a stopped deployment is complete. Pauses while the
   * database is unavailable.
   */
  follow(deployment_id: string, tail: number | undefined, signal: AbortSignal): AsyncIterable<OutputLine[]>
  close(): void
}

interface Followed {
  deployment_id: string
  poll(state: { sources: OutputSourceRow[]; is_stopped: boolean }): void
}

/** Polls the database twice a second with one query for all streams of this process, and never if no stream is open. */
export function openOutputFollower(db: Database): OutputFollower {
  const followed = new Set<Followed>()
  const closing = new AbortController()
  let is_polling = false

  async function pollOnce() {
    const ids = [...new Set([...followed].map(({ deployment_id }) => deployment_id))]
    const [sources, stopped] = await Promise.all([listSourcesOf(db, ids), listStopped(db, ids)])
    const stopped_ids = new Set(stopped.map(({ id }) => id))
    for (const each of followed) {
      const own = sources.filter(({ deployment_id }) => deployment_id === each.deployment_id)
      each.poll({ sources: own, is_stopped: stopped_ids.has(each.deployment_id) })
    }
  }

  async function pollWhileFollowed() {
    if (is_polling) return
    is_polling = true
    while (followed.size > 0) {
      await pollOnce().catch(() => {})
      await new Promise((next) => setTimeout(next, poll_ms))
    }
    is_polling = false
  }

  return {
    follow: (deployment_id, tail, signal) =>
      newLines(
        db,
        { deployment_id, tail: tail ?? tail_default, signal: AbortSignal.any([signal, closing.signal]) },
        (poll) => {
          const each = { deployment_id, poll }
          followed.add(each)
          void pollWhileFollowed()
          return () => followed.delete(each)
        },
      ),
    close: () => closing.abort(),
  }
}

interface Following {
  deployment_id: string
  tail: number
  signal: AbortSignal
}

async function* newLines(
  db: Database,
  { deployment_id, tail, signal }: Following,
  subscribe: (poll: Followed['poll']) => () => void,
): AsyncGenerator<OutputLine[]> {
  // Lines written between these two reads are in both; their numbers identify duplicates.
  const known = new Map((await listOutputSources(db, deployment_id)).map(({ id, next_number }) => [id, next_number]))
  const first = await lastLines(db.adHoc, deployment_id, tail)
  for (const { line } of first) known.set(line.source_id, Math.max(known.get(line.source_id) ?? 1, line.number + 1))
  if (first.length > 0) yield first.map(shown)

  let state: Parameters<Followed['poll']>[0] | undefined
  let wake: () => void = () => {}
  const stop = subscribe((polled) => {
    state = polled
    wake()
  })
  signal.addEventListener('abort', () => wake())
  try {
    for (let quiet_polls = 0; quiet_polls < last_polls && !signal.aborted;) {
      if (!state) await new Promise<void>((woken) => void (wake = woken))
      const polled = state
      state = undefined
      if (!polled || signal.aborted) continue
      const lines = await linesAfter(db, polled.sources, known)
      if (lines.length > 0) yield lines.map(shown)
      quiet_polls = lines.length === 0 && polled.is_stopped ? quiet_polls + 1 : 0
    }
  } finally {
    stop()
  }
}

const shown = ({ line, source }: FoundLine) => outputLine(line, source)

/** Returns the lines that were not returned before, by time. */
async function linesAfter(db: Database, sources: readonly OutputSourceRow[], known: Map<number, number>) {
  const moved = sources.filter(({ id, next_number }) => next_number > (known.get(id) ?? 1))
  if (moved.length === 0) return []
  const source_of = new Map(moved.map((source) => [source.id, source]))
  const from = moved.map(({ id }) => ({ source_id: id, number: known.get(id) ?? 1 }))
  const parts = await listPartsFrom(db, from, parts_at_once)
  const lines = (await Promise.all(parts.map(linesOf)))
    .flat()
    .filter(({ source_id, number }) => number >= (known.get(source_id) ?? 1))
    .sort(compareLines)
  for (const { source_id, number } of lines) known.set(source_id, Math.max(known.get(source_id) ?? 1, number + 1))
  // Some lines were deleted before they could be read.
  if (parts.length < parts_at_once)
    for (const { id, next_number } of moved) known.set(id, Math.max(known.get(id) ?? 1, next_number))
  return lines.map((line) => ({ line, source: source_of.get(line.source_id)! }))
}
