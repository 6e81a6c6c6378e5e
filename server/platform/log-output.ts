import { constants, openSync, write, writeSync } from 'node:fs'
import { counter } from './metrics/metrics.ts'

/** The destination of log lines. If it cannot be written, lines are lost, but requests, memory and the stop are unaffected. */
export interface LogOutput {
  write(line: string): void
  /** The number of lines dropped since the start because the buffer was full. */
  dropped(): number
  /** True if lines were dropped since the last successful write. */
  isDropping(): boolean
  /** Resolves when all lines are written, or after `timeout_ms`. */
  drain(timeout_ms: number): Promise<void>
  /** For the exit of the process: writes as many buffered lines as possible, blocking for at most 0.1 s on a full pipe. */
  flushSync(): void
}

/**
 * Lines are written in batches: each write wakes a thread, and one write per 8 kB took 4 % of a read. A smaller batch
 * is written after `interval_ms`.
 */
const batch_min = 32_768
const interval_ms = 200
/** The capacity of a pipe. */
const batch_max = 65_536
/** A pipe accepts up to this many bytes atomically (POSIX, PIPE_BUF on Linux), so lines of several processes do not mix. */
const shared_batch_max = 4_096
/** Less than `batch_min`, because one write takes no more than `shared_batch_max` of it. */
const shared_batch_min = 8_192
/** The delay before a write to a full pipe is repeated. */
const full_pipe_ms = 10
/** The size of the buffer, about 5,000 lines; further lines are dropped. */
const buffer_max = 1_048_576
const flush_attempts_max = 10

const lines_dropped = counter({
  name: 'plaza_log_lines_dropped_total',
  help: 'Lines of the log that were dropped because they could not be written.',
}).with({})

export interface LogOutputOptions {
  fd: number
  /** True if other processes write to it too. */
  is_shared?: boolean
  /** Returns the line that reports dropped lines; written as soon as writing works again. */
  droppedLine(dropped: number): string
}

/** The buffered lines in order. Lines that do not fit are counted. */
function createLineBuffer({ droppedLine, is_shared = false }: LogOutputOptions) {
  let lines: string[] = []
  let length = 0
  let dropped = 0
  let unreported = 0
  const append = (line: string) => {
    lines.push(line)
    length += line.length
  }
  return {
    length: () => length,
    dropped: () => dropped,
    isDropping: () => unreported > 0,
    add(line: string) {
      if (length + line.length <= buffer_max) return append(line)
      dropped++
      lines_dropped.add()
      unreported++
    },
    /** Adds the report of dropped lines, if any. */
    reportDropped() {
      if (unreported > 0) append(droppedLine(unreported))
      unreported = 0
    },
    takeBatch() {
      let [text, size, taken] = ['', 0, 0]
      for (const line of lines) {
        size += is_shared ? Buffer.byteLength(line) : line.length
        // A line that is longer than a batch is written alone.
        if (taken > 0 && size > (is_shared ? shared_batch_max : batch_max)) break
        text += line
        taken++
      }
      lines = lines.slice(taken)
      length -= text.length
      return text === '' ? undefined : Buffer.from(text)
    },
  }
}

/** Blocks the process; used at its exit only. */
const sleepSync = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Writes lines to a file descriptor. pino's own destination blocks while a disk is full, and ends the process on other
 * errors; this one repeats a failed write later.
 */
export function openLogOutput(options: LogOutputOptions): LogOutput {
  const { fd, is_shared = false } = options
  const enough = is_shared ? shared_batch_min : batch_min
  const lines = createLineBuffer(options)
  /** The rest of the batch in progress. It is always written first, so that no line is cut. */
  let rest: Buffer | undefined
  let writing = false
  let failed = false

  function onWritten(bytes: number) {
    rest = rest && bytes < rest.length ? rest.subarray(bytes) : undefined
    lines.reportDropped()
  }
  function writeNext() {
    if (writing) return
    rest ??= lines.takeBatch()
    if (!rest) return
    writing = true
    write(fd, rest, (error, bytes) => {
      writing = false
      failed = error !== null
      if (!error) onWritten(bytes)
      if (error?.code === 'EAGAIN') setTimeout(writeNext, full_pipe_ms).unref()
      else if (!error && (rest || lines.length() >= enough)) writeNext()
    })
  }
  setInterval(writeNext, interval_ms).unref()

  return {
    dropped: lines.dropped,
    isDropping: lines.isDropping,
    write(line) {
      lines.add(line)
      if (lines.length() >= enough && !failed) writeNext()
    },
    async drain(timeout_ms) {
      const started_at = performance.now()
      writeNext()
      while ((writing || rest || lines.length() > 0) && performance.now() - started_at < timeout_ms) {
        await new Promise((next) => setTimeout(next, full_pipe_ms))
        if (!failed) writeNext()
      }
    },
    flushSync() {
      for (let attempts = flush_attempts_max; attempts > 0 && (rest ??= lines.takeBatch());) {
        try {
          onWritten(writeSync(fd, rest))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
          attempts--
          sleepSync(full_pipe_ms)
        }
      }
    },
  }
}

/** A file descriptor of the standard output on which writes never block. */
export function openStandardOutput(): number {
  // Reading `process.stdout` makes Node set a pipe or a socket non-blocking; a terminal stays blocking.
  if (!process.stdout.isTTY) return 1
  try {
    const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = constants
    return openSync('/dev/fd/1', O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK)
  } catch {
    return 1
  }
}
