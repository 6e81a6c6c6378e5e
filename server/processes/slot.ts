import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../platform/log.ts'
import { StateMachine, type Transitions } from '../platform/state-machine.ts'
import type { Child, Exit } from './child.ts'
import type { StopReason } from './stop-signals.ts'

type State = 'starting' | 'ready' | 'replacing' | 'waiting' | 'stopping'

/**
 * | state       | next        | when                                                                      |
 * | ----------- | ----------- | ------------------------------------------------------------------------- |
 * | `starting`  | `ready`     | the process takes requests                                                |
 * | `starting`  | `waiting`   | it ended before, though the slot had been ready once                      |
 * | `ready`     | `waiting`   | the process ended without being asked to                                  |
 * | `ready`     | `replacing` | it is to be replaced: its successor starts beside it                      |
 * | `replacing` | `ready`     | the successor took over; or it could not start, and the process continues |
 * | `replacing` | `waiting`   | neither is there any more                                                 |
 * | `waiting`   | `starting`  | after the backoff                                                         |
 * | any         | `stopping`  | everything is to stop                                                     |
 */
const transitions: Transitions<State> = {
  starting: ['ready', 'waiting', 'stopping'],
  ready: ['replacing', 'waiting', 'stopping'],
  replacing: ['ready', 'waiting', 'stopping'],
  waiting: ['starting', 'stopping'],
  stopping: ['stopping'],
}

/** The delay before the first restart. It doubles with each further one. */
const backoff_ms = { first: 100, max: 30_000 }
/** A process that was ready for this long resets the backoff. */
const steady_ms = 10_000

export interface SlotParts {
  /** The role of its processes, for the log. */
  name: string
  fork(): Child
  log: Logger
  /** How long a process may take to stop before it is killed. */
  kill_ms: number
}

/** One of the installation's slots, which always has a process: when it ends, another is started. */
export class Slot {
  private readonly parts: SlotParts
  private readonly state: StateMachine<State>
  /** The process that serves, or will serve next. */
  private child: Child
  /** Every process that has not ended; two while it is replaced. */
  private readonly living = new Set<Child>()
  private failures = 0
  private readonly stopping = new AbortController()

  constructor(parts: SlotParts) {
    this.parts = parts
    this.state = new StateMachine<State>(`slot ${parts.name}`, transitions, 'starting')
    this.child = this.fork()
  }

  private fork() {
    const child = this.parts.fork()
    this.living.add(child)
    void child.ended.then(() => this.living.delete(child))
    return child
  }

  /** Resolves with the address of the first process when it is ready, or with undefined if it could not start. */
  async start(): Promise<string | undefined> {
    const address = await this.child.becameReady
    if (address !== undefined && !this.state.is('stopping')) this.useChild(this.child)
    return address
  }

  /**
   * Starts a successor, and lets the process finish once the successor is ready. Returns true if the slot has a new process; a slot that is
   * being restarted gets one anyway.
   */
  async replace(): Promise<boolean> {
    if (!this.state.is('ready')) return !this.state.is('stopping')
    const { log, name, kill_ms } = this.parts
    this.state.enter('replacing')
    const [old, next] = [this.child, this.fork()]
    this.child = next
    const address = await next.becameReady
    if (this.state.is('stopping')) return false
    if (address !== undefined) {
      this.useChild(next)
      old.stop('replaced', kill_ms)
      await old.ended
      return true
    }
    const { code, signal } = await next.ended
    log.error({ process: name, code, signal }, 'the successor of a process could not start')
    this.child = old
    if (old.hasEnded()) this.restart(await old.ended)
    else this.useChild(old)
    return false
  }

  /** Stops all running processes; resolves with the worst exit code. */
  async stop(reason: StopReason): Promise<number> {
    this.state.enter('stopping')
    this.stopping.abort()
    const children = [...this.living]
    for (const child of children) child.stop(reason, this.parts.kill_ms)
    const exits = await Promise.all(children.map(({ ended }) => ended))
    return Math.max(0, ...exits.map(({ code }) => code ?? 1))
  }

  private useChild(child: Child) {
    this.child = child
    this.state.enter('ready')
    void child.ended.then((exit) => {
      // During a replacement, the successor determines the next state.
      if (this.child === child && this.state.is('ready')) this.restart(exit)
    })
  }

  private restart({ code, signal, ready_ms }: Exit) {
    this.state.enter('waiting')
    if (ready_ms > steady_ms) this.failures = 0
    const delay_ms = Math.min(backoff_ms.max, backoff_ms.first * 2 ** this.failures++)
    this.parts.log.error(
      { process: this.parts.name, code, signal, delay_ms },
      'a process has ended: another is started',
    )
    void this.startAgain(delay_ms)
  }

  private async startAgain(delay_ms: number) {
    await pause(delay_ms, undefined, { signal: this.stopping.signal }).catch(() => {})
    if (this.state.is('stopping')) return
    this.state.enter('starting')
    const child = this.fork()
    this.child = child
    const address = await child.becameReady
    if (this.state.is('stopping')) return
    if (address === undefined) this.restart(await child.ended)
    else this.useChild(child)
  }
}
