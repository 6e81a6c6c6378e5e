import { setTimeout as pause } from 'node:timers/promises'
import { findBlockedKeys, type RowLocks } from './row-locks.ts'

/** How long a call is retried after it was first blocked by a lock. */
const retry_ms = 1_000
/** The interval of queries for locked rows, while calls wait for them and while none does. */
const poll_ms = { with_calls: 50, without_calls: 250 }

/** How often the calls of a batch are sent again if no blocked row was found: first together, then individually. */
const attempts_together = 2
const attempts_alone = 4

interface RetriedCall {
  /** The time at which the call is refused; unset until a lock blocks it. */
  refused_at?: number
}

export interface BlockedCallsOptions<Call> {
  locks: RowLocks
  keysOf(call: Call): string[]
  /** The maximum of held calls. Further calls are refused immediately. */
  calls_max: number
  /** Takes back the calls whose rows are no longer locked, in the order in which they were held. */
  release(calls: Call[]): void
  /** Sends calls immediately; `attempt` counts from 1. */
  send(calls: Call[], attempt: number): Promise<void>
  refuse(call: Call): void
  /** The number of held calls changed by this much. */
  held(by: number): void
}

/** Holds the calls that need a row that another transaction keeps locked, so that no batch waits for it. */
export class BlockedCalls<Call extends RetriedCall> {
  private readonly options: BlockedCallsOptions<Call>
  private readonly blocked_keys = new Set<string>()
  private held: Call[] = []
  private polling: Promise<void> | undefined

  constructor(options: BlockedCallsOptions<Call>) {
    this.options = options
  }

  /** If the call needs a blocked row, holds it, or refuses it if too many are held. Returns false if it may be sent. */
  holdIfBlocked(call: Call): boolean {
    if (this.blocked_keys.size === 0 || !this.options.keysOf(call).some((key) => this.blocked_keys.has(key)))
      return false
    if (this.held.length >= this.options.calls_max) this.options.refuse(call)
    else {
      call.refused_at ??= performance.now() + retry_ms
      this.held.push(call)
      this.options.held(1)
    }
    return true
  }

  /**
   * Retries a batch that a lock blocked: holds the calls that need a blocked row and sends the others again. If all
   * were sent before and no blocked row was found, sends them in halves.
   */
  async resend(batch: Call[], attempt: number): Promise<void> {
    const { send, refuse } = this.options
    const rest = await this.holdBlocked(batch)
    const [first, ...others] = rest
    if (first === undefined) return
    if (rest.length < batch.length || attempt < attempts_together) return send(rest, attempt + 1)
    if (others.length === 0) return attempt < attempts_alone ? send(rest, attempt + 1) : refuse(first)
    const middle = rest.length >> 1
    await send(rest.slice(0, middle), attempt)
    await send(rest.slice(middle), attempt)
  }

  /** Finds the rows that block a batch, holds the calls that need them, and returns the others. */
  private async holdBlocked(batch: Call[]): Promise<Call[]> {
    const in_time = batch.filter((call) => {
      call.refused_at ??= performance.now() + retry_ms
      return !this.refuseIfOverdue(call)
    })
    for (const key of await this.findBlocked(byDemand(in_time.flatMap(this.options.keysOf)))) this.blocked_keys.add(key)
    const rest = in_time.filter((call) => !this.holdIfBlocked(call))
    if (this.blocked_keys.size > 0) this.polling ??= this.poll()
    return rest
  }

  /** Resolves when no call is held. */
  async drain() {
    while (this.held.length > 0) await pause(poll_ms.with_calls)
    this.blocked_keys.clear()
    await this.polling
  }

  /** Checks which rows are still locked. Each check starts with a different row. */
  private async poll() {
    while (this.blocked_keys.size > 0) {
      await pause(this.held.length > 0 ? poll_ms.with_calls : poll_ms.without_calls)
      this.keepHeld((call) => !this.refuseIfOverdue(call))
      const [first, ...rest] = this.blocked_keys
      if (first === undefined) break
      const still_blocked = new Set(await this.findBlocked([...rest, first]))
      for (const key of [...rest, first]) {
        // `drain` may have removed the key, which must then stay removed.
        if (this.blocked_keys.delete(key) && still_blocked.has(key)) this.blocked_keys.add(key)
      }
      this.releaseFree()
    }
    this.releaseFree()
    this.polling = undefined
  }

  private releaseFree() {
    const { keysOf, release } = this.options
    const isBlocked = (call: Call) => keysOf(call).some((key) => this.blocked_keys.has(key))
    const free = this.held.filter((call) => !isBlocked(call))
    this.keepHeld(isBlocked)
    if (free.length > 0) release(free)
  }

  private keepHeld(isKept: (call: Call) => boolean) {
    const before = this.held.length
    this.held = this.held.filter(isKept)
    this.options.held(this.held.length - before)
  }

  private refuseIfOverdue(call: Call) {
    const is_overdue = performance.now() >= (call.refused_at ?? Infinity)
    if (is_overdue) this.options.refuse(call)
    return is_overdue
  }

  /** Returns no keys if the database cannot answer. The next batch then fails with the reason. */
  private findBlocked(keys: string[]) {
    return findBlockedKeys(this.options.locks, keys).catch(() => [])
  }
}

/** The distinct keys, starting with those that most calls need. */
function byDemand(keys: string[]) {
  const demand = new Map<string, number>()
  for (const key of keys) demand.set(key, (demand.get(key) ?? 0) + 1)
  return [...demand].sort(([, a], [, b]) => b - a).map(([key]) => key)
}
