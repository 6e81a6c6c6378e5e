import { setTimeout as pause } from 'node:timers/promises'
import { findBlockedKeys, type RowLocks } from './row-locks.ts'

/** For so long after it first met a lock is a call tried again. */
const patience_ms = 1_000
/** Between two questions whether a lock is gone, while calls wait for it and while none does. */
const ask_again_ms = { awaited: 50, unawaited: 250 }

/** How often calls that met a lock are sent again when nobody knows whose: together, and then, divided, each by itself. */
const sent_together = 2
const sent_alone = 4

interface Retried {
  /** When the call is refused; unset while it has not met a lock. */
  refused_at?: number
}

export interface BlockedCallsOptions<Call> {
  locks: RowLocks
  keysOf(call: Call): string[]
  /** Calls that may be put aside; one more is refused at once. */
  calls_max: number
  /** Takes calls back whose rows are free again, in the order in which they were put aside. */
  release(calls: Call[]): void
  /** Sends calls at once, for the how-manieth time. */
  send(calls: Call[], times_sent: number): Promise<void>
  refuse(call: Call): void
}

/** Calls that need a row which another transaction keeps: they wait here, so that no batch waits with them. */
export class BlockedCalls<Call extends Retried> {
  private readonly options: BlockedCallsOptions<Call>
  private readonly stuck = new Set<string>()
  private calls: Call[] = []
  private watching: Promise<void> | undefined

  constructor(options: BlockedCallsOptions<Call>) {
    this.options = options
  }

  /** Whether the call needs a row that is known to be stuck; then it is kept here. */
  holdIfBlocked(call: Call): boolean {
    if (this.stuck.size === 0 || !this.options.keysOf(call).some((key) => this.stuck.has(key))) return false
    if (this.calls.length >= this.options.calls_max) this.options.refuse(call)
    else {
      call.refused_at ??= performance.now() + patience_ms
      this.calls.push(call)
    }
    return true
  }

  /**
   * Keeps those calls of a batch that need a stuck row, and sends the others again; in halves, where all were sent before
   * and nothing stuck was found.
   */
  async resend(batch: Call[], times_sent: number): Promise<void> {
    const { send, refuse } = this.options
    const left = await this.sortOut(batch)
    const [first, ...others] = left
    if (first === undefined) return
    if (left.length < batch.length || times_sent < sent_together) return send(left, times_sent + 1)
    if (others.length === 0) return times_sent < sent_alone ? send(left, times_sent + 1) : refuse(first)
    const middle = left.length >> 1
    await send(left.slice(0, middle), times_sent)
    await send(left.slice(middle), times_sent)
  }

  /** Finds out which rows hold up a batch, keeps the calls that need them, and answers the others. */
  private async sortOut(batch: Call[]): Promise<Call[]> {
    const in_time = batch.filter((call) => {
      call.refused_at ??= performance.now() + patience_ms
      return !this.refusesLate(call)
    })
    for (const key of await this.ask(byDemand(in_time.flatMap(this.options.keysOf)))) this.stuck.add(key)
    const rest = in_time.filter((call) => !this.holdIfBlocked(call))
    if (this.stuck.size > 0) this.watching ??= this.watch()
    return rest
  }

  /** Resolves when no call is kept any more, and forgets which rows are stuck. */
  async drain() {
    while (this.calls.length > 0) await pause(ask_again_ms.awaited)
    this.stuck.clear()
    await this.watching
  }

  /** Asks again and again which rows are still stuck, beginning with another one each time. */
  private async watch() {
    while (this.stuck.size > 0) {
      await pause(this.calls.length > 0 ? ask_again_ms.awaited : ask_again_ms.unawaited)
      this.calls = this.calls.filter((call) => !this.refusesLate(call))
      const [first, ...rest] = this.stuck
      if (first === undefined) break
      const still = new Set(await this.ask([...rest, first]))
      for (const key of [...rest, first]) {
        // What `drain` has forgotten meanwhile stays forgotten.
        if (this.stuck.delete(key) && still.has(key)) this.stuck.add(key)
      }
      this.releaseFree()
    }
    this.releaseFree()
    this.watching = undefined
  }

  private releaseFree() {
    const { keysOf, release } = this.options
    const needsStuck = (call: Call) => keysOf(call).some((key) => this.stuck.has(key))
    const free = this.calls.filter((call) => !needsStuck(call))
    this.calls = this.calls.filter(needsStuck)
    if (free.length > 0) release(free)
  }

  private refusesLate(call: Call) {
    const is_late = performance.now() >= (call.refused_at ?? Infinity)
    if (is_late) this.options.refuse(call)
    return is_late
  }

  /** None where the database cannot say: then the next batch tells what is the matter. */
  private ask(keys: string[]) {
    return findBlockedKeys(this.options.locks, keys).catch(() => [])
  }
}

/** The different keys, those that most calls need first. */
function byDemand(keys: string[]) {
  const demand = new Map<string, number>()
  for (const key of keys) demand.set(key, (demand.get(key) ?? 0) + 1)
  return [...demand].sort(([, a], [, b]) => b - a).map(([key]) => key)
}
