import { decisions } from '../../../../contract/decisions.ts'
import { bytesOf, type KeptLine } from '../../output.rules.ts'
import { openOutputRate } from './output-rate.rules.ts'

/** The last line of a stream that was taken: its time in nanoseconds, and the number of taken lines with that time. */
export interface StreamPosition {
  at: bigint
  count: number
}

interface Positions {
  stdout: StreamPosition
  stderr: StreamPosition
}

/** The state of a source in the database. */
export interface KnownSource extends Positions {
  id: number
  next_number: number
  dropped: number
}

export interface WrittenLine {
  stream: 'stdout' | 'stderr'
  at_ns: bigint
  text: string
}

/** The lines of a source to write together. */
export interface SourceBatch extends Positions {
  source_id: number
  /** The number of the first of `lines`. */
  next_number: number
  lines: KeptLine[]
  bytes: number
  dropped: number
}

export type OutputSource = ReturnType<typeof openOutputSource>

const { text_max } = decisions.container_output
/** Of consecutive dropped lines, this many of the last are kept. */
const last_lines_max = 100
const last_bytes_max = 65_536
const none: StreamPosition = { at: 0n, count: 0 }

const latest = ({ stdout, stderr }: Positions) => (stdout.at > stderr.at ? stdout.at : stderr.at)

/** The number of lines of a stream whose times are remembered. */
const remembered_max = 8_192

/** The times of the last lines, in a ring that grows on demand: most streams write little. */
function openRecentTimes() {
  let times = new BigInt64Array(64)
  let next = 0
  let is_full = false
  return {
    add(at_ns: bigint) {
      if (next === times.length && times.length < remembered_max) {
        const larger = new BigInt64Array(times.length * 2)
        larger.set(times)
        times = larger
      }
      if (next === times.length) [next, is_full] = [0, true]
      times[next++] = at_ns
    },
    has: (at_ns: bigint) => (is_full ? times : times.subarray(0, next)).includes(at_ns),
  }
}

/** Distinguishes new lines from those that are repeated when reading starts again. */
function openPositions(known: Positions | undefined) {
  const at = { stdout: { ...(known?.stdout ?? none) }, stderr: { ...(known?.stderr ?? none) } }
  const beginning = (skips: boolean) => {
    const expected = latest(at)
    const [again, has_new] = [
      { stdout: 0, stderr: 0 },
      { stdout: false, stderr: false },
    ]
    return { skips, expected, is_found: expected === 0n, is_first: true, again, has_new }
  }
  let opening = beginning(false)
  const recent = { stdout: openRecentTimes(), stderr: openRecentTimes() }

  /**
   * After the first new line of a stream, all following lines are new, even if the host's clock is set back. The
   * exception: if the log file of a busy container is rotated while it is read, Docker may read a part of it again.
   */
  function isTaken({ stream, at_ns }: WrittenLine) {
    if (opening.has_new[stream] && at_ns < at[stream].at && recent[stream].has(at_ns)) {
      opening.has_new[stream] = false
      opening.again[stream] = 0
    }
    if (opening.has_new[stream]) return false
    if (at_ns === opening.expected) opening.is_found = true
    if (at_ns !== at[stream].at) return at_ns < at[stream].at
    return ++opening.again[stream] <= at[stream].count
  }

  return {
    at,
    latest: () => latest(at),
    /** `skips`: only the last lines are read, so lines before them may be missing. */
    begin(skips: boolean) {
      opening = beginning(skips)
    },
    /** For a new line, what may be missing before it: nothing, skipped lines, or lost lines. Undefined for a line that was taken before. */
    take(line: WrittenLine): 'nothing' | 'skipped' | 'lost' | undefined {
      if (isTaken(line)) return undefined
      const { stream, at_ns } = line
      const is_missing = opening.is_first && !opening.is_found
      opening.is_first = false
      opening.has_new[stream] = true
      recent[stream].add(at_ns)
      at[stream] = { at: at_ns, count: at[stream].at === at_ns ? at[stream].count + 1 : 1 }
      if (!is_missing) return 'nothing'
      return opening.skips ? 'skipped' : 'lost'
    },
  }
}

/** Counts consecutive dropped lines and keeps the last of them, which show how the output ended. */
function openDrops(first: number) {
  let count = first
  let last: KeptLine[] = []
  let bytes = 0
  let was_skipped = false
  return {
    count: () => count,
    skipped() {
      was_skipped = true
    },
    add(line: KeptLine) {
      count++
      last.push(line)
      bytes += bytesOf(line)
      while (last.length > last_lines_max || bytes > last_bytes_max) bytes -= bytesOf(last.shift()!)
    },
    /** Ends the sequence: returns a note about the lost lines, and the last lines. */
    end(at_ns: bigint): KeptLine[] {
      const lost = count - last.length
      const text = `${lost}${was_skipped ? '+' : ''}`
      const note = { kind: 'dropped' as const, at_ns: last[0]?.at_ns ?? at_ns, text }
      const lines = [...(lost > 0 || was_skipped ? [note] : []), ...last]
      count = bytes = 0
      last = []
      was_skipped = false
      return lines
    },
  }
}

/** Lines that were taken from a source and not written yet. */
function openPending() {
  let lines: KeptLine[] = []
  let bytes = 0
  const add = (more: readonly KeptLine[]) => {
    for (const line of more) {
      lines.push(line)
      bytes += bytesOf(line)
    }
  }
  const takeAll = () => {
    const all = { lines, bytes }
    lines = []
    bytes = 0
    return all
  }
  const giveBack = (given: { lines: KeptLine[]; bytes: number }) => {
    lines = [...given.lines, ...lines]
    bytes += given.bytes
  }
  return { add, takeAll, giveBack, bytes: () => bytes, isEmpty: () => lines.length === 0 }
}

/** Takes the lines of one container or Swarm task, each once, and holds them until they are written. */
export function openOutputSource(known: KnownSource | undefined) {
  let id = known?.id
  let next_number = known?.next_number ?? 1
  /** True if lines were dropped since the last batch, and before it. */
  let drops_now = false
  let dropped_before = false
  let is_discarded = false
  let has_moved = false
  const positions = openPositions(known)
  const drops = openDrops(known?.dropped ?? 0)
  const pending = openPending()
  const rate = openOutputRate()

  return {
    id: () => id,
    /** The time to continue reading from; undefined before the first line. */
    position: () => (positions.latest() === 0n ? undefined : positions.latest()),
    pendingBytes: pending.bytes,
    /** True if lines were dropped in the last written batch. */
    isDropping: () => dropped_before,
    /** Discards all lines: the deployment is unknown. */
    discard() {
      is_discarded = true
      pending.takeAll()
    },
    /** A stream of the engine was opened. `skips` as in `begin`. */
    opened: positions.begin,
    /** Takes a line, unless it was taken before. */
    take(line: WrittenLine) {
      if (is_discarded) return
      const missing = positions.take(line)
      if (missing === undefined) return
      const { stream, at_ns } = line
      has_moved = true
      if (missing === 'skipped') drops.skipped()
      if (missing === 'lost') pending.add([{ kind: 'gap', at_ns, text: '' }])
      const kept = { kind: stream, at_ns, text: shortened(line.text) }
      if (rate.admits(at_ns, bytesOf(kept))) return pending.add([...drops.end(at_ns), kept])
      drops.add(kept)
      drops_now = true
    },
    /** Sets the source's row in the database. Returns false if another worker has written to it meanwhile. */
    registered(row: KnownSource) {
      id = row.id
      return row.next_number === next_number
    },
    /** The lines to write now; undefined if there are none. Drops are reported when they end. */
    takeBatch(): SourceBatch | undefined {
      if (!drops_now) pending.add(drops.end(positions.latest()))
      dropped_before = drops_now
      drops_now = false
      if (id === undefined || (!has_moved && pending.isEmpty())) return undefined
      const { stdout, stderr } = structuredClone(positions.at)
      const taken = pending.takeAll()
      const batch = { ...taken, source_id: id, next_number, dropped: drops.count(), stdout, stderr }
      next_number += taken.lines.length
      has_moved = false
      return batch
    },
    /** Takes back a batch that was not written because the database did not answer. The next batch includes it. */
    giveBack(batch: SourceBatch) {
      next_number -= batch.lines.length
      pending.giveBack(batch)
      has_moved = true
    },
  }
}

const shortened = (text: string) =>
  text.length <= text_max
    ? text
    : Array.from(text.slice(0, text_max * 2))
        .slice(0, text_max)
        .join('')
