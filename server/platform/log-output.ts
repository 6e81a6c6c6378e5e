import { constants, openSync, write, writeSync } from 'node:fs'

/** Where log lines go. Whatever becomes of it costs lines, never requests, memory or the stop. */
export interface LogOutput {
  write(line: string): void
  /** How many lines were dropped since the start: they came while too much was waiting to be written. */
  dropped(): number
  /** Is it dropping lines at present? */
  isDropping(): boolean
  /** Resolves when nothing waits any more, at the latest after this time. */
  drain(patience_ms: number): Promise<void>
  /** The last thing that a process does: writes what waits as far as it goes, without waiting for a reader. */
  flushSync(): void
}

/** Lines are written together: a write each cost 3 % of a read. None waits longer than the interval, or for the exit. */
const together_min = 8_192
const interval_ms = 200
/** What a pipe takes at once. */
const together_max = 65_536
/** A pipe that is full has room again as soon as its reader has read. */
const full_pipe_ms = 10
/** So much may wait (about 5,000 lines); what comes while it does is dropped. */
const queue_max = 1_048_576
const last_tries = 10

/** `told` makes the line that says how many were dropped, as soon as lines can be written again. */
export interface LogOutputOptions {
  fd: number
  droppedLine(dropped: number): string
}

/** The lines that wait, in their order; those for which there is no room are counted. */
function openLines(told: LogOutputOptions['droppedLine']) {
  let lines: string[] = []
  let length = 0
  let dropped = 0
  let untold = 0
  const add = (line: string) => {
    lines.push(line)
    length += line.length
  }
  return {
    length: () => length,
    dropped: () => dropped,
    isDropping: () => untold > 0,
    offer(line: string) {
      if (length + line.length <= queue_max) return add(line)
      dropped++
      untold++
    },
    /** There is room again. */
    tell() {
      if (untold > 0) add(told(untold))
      untold = 0
    },
    take() {
      let text = ''
      let taken = 0
      while (taken < lines.length && text.length < together_max) text += lines[taken++]
      lines = lines.slice(taken)
      length -= text.length
      return text === '' ? undefined : Buffer.from(text)
    },
  }
}

/** Stops the whole process for a moment: only for its end. */
const wait = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Writes lines to a file descriptor. pino's own destination waits for ever, in the middle of everything, for a full
 * disk to have room, and ends the process at other errors; here an error is an error, and tried again later.
 */
export function openLogOutput({ fd, droppedLine }: LogOutputOptions): LogOutput {
  const lines = openLines(droppedLine)
  /** Taken out of the lines, and not written yet: begun lines are always finished first. */
  let rest: Buffer | undefined
  let writing = false
  let failed = false

  function wrote(bytes: number) {
    rest = rest && bytes < rest.length ? rest.subarray(bytes) : undefined
    lines.tell()
  }
  function writeOut() {
    if (writing) return
    rest ??= lines.take()
    if (!rest) return
    writing = true
    write(fd, rest, (error, bytes) => {
      writing = false
      failed = error !== null
      if (!error) wrote(bytes)
      if (error?.code === 'EAGAIN') setTimeout(writeOut, full_pipe_ms).unref()
      else if (!error && (rest || lines.length() >= together_min)) writeOut()
    })
  }
  setInterval(writeOut, interval_ms).unref()

  return {
    dropped: lines.dropped,
    isDropping: lines.isDropping,
    write(line) {
      lines.offer(line)
      if (lines.length() >= together_min && !failed) writeOut()
    },
    async drain(patience_ms) {
      const begun = performance.now()
      writeOut()
      while ((writing || rest || lines.length() > 0) && performance.now() - begun < patience_ms) {
        await new Promise((next) => setTimeout(next, full_pipe_ms))
        if (!failed) writeOut()
      }
    },
    flushSync() {
      for (let tries = last_tries; tries > 0 && (rest ??= lines.take());) {
        try {
          wrote(writeSync(fd, rest))
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
          tries--
          wait(full_pipe_ms)
        }
      }
    },
  }
}

/** The standard output as a file descriptor on which no write ever waits for a reader. */
export function openStandardOutput(): number {
  // Node makes a pipe or a socket such a one when it is asked for its stream; a terminal it lets wait.
  if (!process.stdout.isTTY) return 1
  try {
    const { O_WRONLY, O_APPEND, O_NOCTTY, O_NONBLOCK } = constants
    return openSync('/dev/fd/1', O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK)
  } catch {
    return 1
  }
}
