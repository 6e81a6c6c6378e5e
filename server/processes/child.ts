import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Env } from '../platform/env-reader.ts'
import type { StopReason } from './stop-signals.ts'

/** Messages from a child to the process that started it. */
export interface ReadyMessage {
  is_ready: true
  address: string
}

/** The first message of a child: it listens from now on, and earlier messages would be lost. */
interface HearingMessage {
  hears_stop: true
}

/** Messages to a child. */
interface StopMessage {
  stop: StopReason
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** How long the child was ready. */
  ready_ms: number
}

/** A process of the service, as the process that started it sees it. */
export interface Child {
  pid: number
  /** Resolves with the address on which it listens, once it is ready; undefined if it ends first. */
  becameReady: Promise<string | undefined>
  ended: Promise<Exit>
  hasEnded(): boolean
  /** Asks it to stop, and kills it if it has not ended after `kill_ms`. */
  stop(reason: StopReason, kill_ms: number): void
}

/** Starts another process of this program with additional environment variables. */
export function forkChild(env: Env): Child {
  const worker: Worker = cluster.fork(env)
  endUntakenConnections(worker)
  let ready_at: number | undefined
  let has_ended = false
  let told: StopMessage | undefined
  const tell = () => void (told && worker.send(told, () => {}))
  const ended = once(worker, 'exit').then(([code, signal]: unknown[]): Exit => {
    has_ended = true
    const ready_ms = ready_at === undefined ? 0 : performance.now() - ready_at
    return { code: code as Exit['code'], signal: (signal as Exit['signal']) || null, ready_ms }
  })
  const said = new Promise<string>((resolve) => {
    // A child's other messages carry its metrics.
    worker.on('message', (message: Partial<ReadyMessage & HearingMessage>) => {
      if (message.hears_stop === true) tell()
      if (message.is_ready !== true || message.address === undefined) return
      ready_at = performance.now()
      resolve(message.address)
    })
  })
  // Sending to a child that has just died fails, but its exit is still observed.
  worker.on('error', () => {})
  return {
    pid: worker.process.pid ?? 0,
    becameReady: Promise.race([said, ended.then(() => undefined)]),
    ended,
    hasEnded: () => has_ended,
    stop(reason, kill_ms) {
      told = { stop: reason }
      tell()
      const timeout = setTimeout(() => worker.process.kill('SIGKILL'), kill_ms)
      void ended.then(() => clearTimeout(timeout))
    },
  }
}

/** A connection, as `node:cluster` passes it to a child. */
interface Connection {
  close(): void
}

/**
 * Closes connections that were passed to a child which died before it accepted them. Node keeps them open in this process, so their clients
 * would wait forever. A child has at most one such connection for each of its ports.
 */
function endUntakenConnections(worker: Worker) {
  const handed = new Map<unknown, Connection>()
  const { process: child } = worker
  const send = child.send.bind(child) as (...message: unknown[]) => boolean
  child.send = (message: { act?: string; key?: unknown }, connection?: unknown, ...rest: unknown[]) => {
    if (message.act === 'newconn' && connection) handed.set(message.key, connection as Connection)
    return send(message, connection, ...rest)
  }
  worker.once('exit', () => {
    for (const connection of handed.values()) connection.close()
  })
}

/** In a child: calls `stop` when the process that started it requests it. */
export function onStopMessage(stop: (reason: StopReason) => void) {
  process.on('message', (message: Partial<StopMessage>) => {
    if (message.stop !== undefined) stop(message.stop)
  })
  process.send?.({ hears_stop: true } satisfies HearingMessage)
}

/** In a child: notifies the process that started it that it accepts requests. */
export function sendReady(address: string) {
  process.send?.({ is_ready: true, address } satisfies ReadyMessage)
}
