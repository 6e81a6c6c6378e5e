import type { ContainerEngine, Observed, SourceLine } from '../../engine/engine.ts'
import type { OutputSource } from './output-source.rules.ts'

/** The maximum of lines to read of one instance between two writes. It bounds the cost of a program that writes without end. */
const lines_max = 4_000
const pending_bytes_max = 1024 * 1024
/** After this many rounds in which lines were dropped and more were waiting, the reader skips to the last existing lines. */
const busy_rounds_max = 5
const tail_after_skip = 100
/** A stream without a line for this long is opened again: its connection may have been lost without notice. */
const silence_ms = 600_000
/** This many rounds after the engine listed the instance for the last time, its stream is ended. */
const rounds_gone_max = 20
const retry_ms = { first: 1_000, most: 30_000 }

export interface ReaderDeps {
  engine: ContainerEngine
  /** The source of a line. Creates it if it is new. */
  sourceOf(instance: Observed, source: string): OutputSource
  sourcesOf(instance: Observed): Iterable<[string, OutputSource]>
}

export type OutputReader = ReturnType<typeof openOutputReader>

/** Changes if an instance may have written more since it was read to its end. */
const runOf = ({ phase, restarts, started_at }: Observed) => `${phase} ${restarts} ${started_at?.getTime() ?? ''}`
const runs = ({ phase }: Observed) => phase === 'running' || phase === 'restarting'
const isReadable = ({ phase }: Observed) => phase !== 'waiting' && phase !== 'unknown'

/** Blocks reading until the taken lines have been written. */
function openGate() {
  let goOn: (() => void) | undefined
  return {
    wait: () => new Promise<void>((resume) => void (goOn = resume)),
    open() {
      const resume = goOn
      goOn = undefined
      resume?.()
    },
  }
}

/** Counts the lines read between two writes. */
function openBudget({ sourcesOf }: ReaderDeps) {
  let lines_read = 0
  let busy_rounds = 0
  return {
    count(lines: number) {
      lines_read += lines
    },
    isSpent: (instance: Observed) =>
      lines_read >= lines_max ||
      [...sourcesOf(instance)].reduce((sum, [, source]) => sum + source.pendingBytes(), 0) >= pending_bytes_max,
    /** Starts again after a write. Returns true if the reader falls behind and drops lines. */
    renew(instance: Observed) {
      const is_busy = lines_read >= lines_max && [...sourcesOf(instance)].some(([, source]) => source.isDropping())
      busy_rounds = is_busy ? busy_rounds + 1 : 0
      lines_read = 0
      if (busy_rounds < busy_rounds_max) return false
      busy_rounds = 0
      return true
    },
  }
}

/** Reads the output of one instance continuously while it runs, or once to its end if it has ended. */
export function openOutputReader(deps: ReaderDeps, first: Observed) {
  const [gate, budget] = [openGate(), openBudget(deps)]
  let instance = first
  let reading: AbortController | undefined
  let done: Promise<void> = Promise.resolve()
  /** The run that was read to its end; undefined while the instance runs. */
  let finished: string | undefined
  let failures = 0
  let retry_at = 0
  let skips = false
  let rounds_gone = 0

  function open() {
    const controller = new AbortController()
    const [run, is_skip, opened_at] = [instance, skips, performance.now()]
    skips = false
    reading = controller
    done = readInstance(deps, run, { controller, is_skip, gate, budget })
      .then(() => {
        failures = 0
        if (!runs(run) && !controller.signal.aborted) finished = runOf(run)
      })
      .catch(() => {
        if (controller.signal.aborted) return
        if (performance.now() - opened_at > retry_ms.most) failures = 0
        retry_at = performance.now() + Math.min(retry_ms.most, retry_ms.first * 2 ** failures++)
      })
      .finally(() => {
        if (reading === controller) reading = undefined
      })
  }

  return {
    instance: () => instance,
    observed(seen: Observed) {
      instance = seen
      rounds_gone = 0
    },
    /** The engine no longer lists the instance. Its stream ends with its last line, or is ended after a while. */
    gone() {
      if (++rounds_gone >= rounds_gone_max) reading?.abort()
    },
    isReading: () => reading !== undefined,
    /** True if a stream should be opened now. */
    isWaiting: () =>
      reading === undefined &&
      performance.now() >= retry_at &&
      isReadable(instance) &&
      (runs(instance) || finished !== runOf(instance)),
    open,
    /** The taken lines were written, so reading continues. */
    written() {
      if (budget.renew(instance)) {
        skips = true
        reading?.abort()
      }
      gate.open()
    },
    async close() {
      reading?.abort()
      gate.open()
      await done
    },
  }
}

interface Reading {
  controller: AbortController
  /** Reads only the last existing lines, and all new ones. */
  is_skip: boolean
  gate: ReturnType<typeof openGate>
  budget: ReturnType<typeof openBudget>
}

/** Reads from the position of its sources until the stream ends or the signal aborts. Fails as the engine does. */
async function readInstance(deps: ReaderDeps, instance: Observed, { controller, is_skip, gate, budget }: Reading) {
  const { signal } = controller
  const positions = new Map<string, bigint>()
  for (const [name, source] of deps.sourcesOf(instance)) {
    const at = source.position()
    if (at !== undefined) positions.set(name, at)
  }
  const opened = new Set<OutputSource>()
  const take = (lines: readonly SourceLine[]) => {
    for (const line of lines) {
      const source = deps.sourceOf(instance, line.source)
      if (!opened.has(source)) source.opened(is_skip)
      opened.add(source)
      source.take(line)
    }
    budget.count(lines.length)
  }
  const silence = setTimeout(() => controller.abort(), silence_ms)
  try {
    const start = { positions, follow: runs(instance), ...(is_skip && { tail: tail_after_skip }) }
    for await (const lines of deps.engine.output(instance, start, signal)) {
      silence.refresh()
      take(lines)
      if (budget.isSpent(instance)) await gate.wait()
      if (signal.aborted) return
    }
  } finally {
    clearTimeout(silence)
  }
}
