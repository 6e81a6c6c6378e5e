import { setMaxListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import { isDatabaseUnavailable } from '../platform/postgres/database.ts'
import { openReceiver } from '../platform/safe-post.ts'
import type { AddressPolicy } from '../platform/address-policy.ts'
import { openAttempts, type Attempts } from './attempts.service.ts'
import {
  bringForward,
  claimWebhooks,
  endAnew,
  hasUnpublished,
  listDue,
  publishEvents,
  releaseWebhook,
  type ClaimedWebhook,
} from './dispatch.store.ts'
import { requestsTo, type RequestsDeps } from './requests.service.ts'
import { holdersThatWait } from './rules.ts'
import { Turn, turn_ms } from './turn.service.ts'

/** An attempt that a turn makes as soon as there is room. */
interface Attempt {
  delivery_id: string
  make(): Promise<void>
}

interface DispatcherDeps extends RequestsDeps {
  policy: AddressPolicy
  random: () => number
}

const { answer_bytes_max, at_once } = decisions.webhooks
const timeout_seconds = {
  events: decisions.webhooks.timeout_seconds,
  logout: decisions.backchannel_logout.timeout_seconds,
}

const poll_ms = 1_000
/** Delay before the next try if another process is publishing. */
const publish_again_ms = 50
/** Rows of the outbox per batch; one row may hold the events of a whole ledger batch. */
const publish_rows = 100
/** Batches of events published before the next check for deliveries. */
const publish_batches = 4
/** Minimum time between checks: a busy ledger wakes the dispatchers of all processes hundreds of times a second. */
const look_pause_ms = 50
/** Webhooks served concurrently. Failing ones have separate slots, so that they do not block others. */
const served_max = { healthy: 200, failing: 50 }
type Kind = keyof typeof served_max
/** Webhooks claimed by one statement. */
const page_size = 20
/** Longer than a turn plus an attempt that began at its end and the writing of its result. */
const lease_seconds = 30
const due_rows = 200
/** Deliveries made due per transaction. */
const brought_rows = 1_000
/** How often to check for new deliveries while requests are in progress. */
const look_again_ms = 250
/** Between attempts at an address that fails. */
const failing_pause_seconds = 1
const stop_ms = 5_000

/** Publishes recorded events, and delivers them. */
export class Dispatcher {
  private readonly deps: DispatcherDeps
  private readonly owner = newId()
  private readonly attempts: Attempts
  private readonly serving = new Map<string, { kind: Kind; holder_id: string; served: Promise<void> }>()
  private readonly stopping = new AbortController()
  private readonly abandoned = new AbortController()
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> | undefined
  private look_again = false

  constructor(deps: DispatcherDeps) {
    this.deps = deps
    // Every request in progress adds a listener.
    setMaxListeners(0, this.abandoned.signal)
    this.attempts = openAttempts(deps, this.abandoned.signal)
  }

  /** Starts checking, when woken and every second. */
  start() {
    this.timer = setInterval(() => this.wake(), poll_ms)
    this.wake()
  }

  /** Checks for due events and deliveries immediately. */
  wake() {
    if (!this.timer || this.stopping.signal.aborted) return
    this.look_again = true
    this.looking ??= this.look().finally(() => {
      this.looking = undefined
      if (this.look_again) this.wake()
    })
  }

  /** Starts no new attempts, gives those in progress a few seconds, and releases the rest to other processes. */
  async stop() {
    this.stopping.abort()
    clearInterval(this.timer)
    const late = setTimeout(() => this.abandoned.abort(), stop_ms)
    await this.looking
    await Promise.all([...this.serving.values()].map(({ served }) => served))
    clearTimeout(late)
    await this.attempts.drain()
  }

  private async look() {
    try {
      while (this.look_again && !this.stopping.signal.aborted) {
        this.look_again = false
        await this.publish()
        await this.claim('healthy')
        await this.claim('failing')
        await pause(look_pause_ms)
      }
    } catch (error) {
      this.look_again = false
      // The next check is a second away; the connection layer logs an outage of the database.
      if (!isDatabaseUnavailable(error)) this.deps.log.error({ err: error }, 'webhooks could not be looked for')
    }
  }

  private async publish() {
    const { db, clock } = this.deps
    if (!(await hasUnpublished(db))) return
    for (let batches_left = publish_batches; batches_left > 0; batches_left--) {
      // In a transaction, so that statements on the shared connections do not wait behind it.
      const published = await db.transaction((tx) => publishEvents(tx, clock(), publish_rows))
      if (published < 0) setTimeout(() => this.wake(), publish_again_ms).unref()
      // Also if nothing is left: the ledger sends no notification while earlier events wait.
      else if (published > 0) this.look_again = true
      if (published < publish_rows) return
    }
  }

  private async claim(kind: Kind) {
    const { db, clock } = this.deps
    let claimed: ClaimedWebhook[]
    do {
      const served = [...this.serving.values()].filter((one) => one.kind === kind)
      const rows_max = Math.min(served_max[kind] - served.length, page_size)
      if (rows_max === 0) return
      const except_of = holdersThatWait(served, served_max[kind])
      const now = clock()
      const lease = { owner: this.owner, now, lease_until: secondsAfter(now, lease_seconds) }
      claimed = await claimWebhooks(db, { ...lease, failing: kind === 'failing', except_of, rows_max })
      for (const webhook of claimed) this.begin(kind, webhook)
    } while (claimed.length === page_size && !this.stopping.signal.aborted)
  }

  private begin(kind: Kind, webhook: ClaimedWebhook) {
    const { id, holder_id } = webhook
    // After a clock jump, this process may lease a webhook that it is still serving; it keeps serving it.
    if (this.serving.has(id)) return
    const served = this.serve(webhook).finally(() => {
      this.serving.delete(id)
      this.wake()
    })
    this.serving.set(id, { kind, holder_id, served })
  }

  /** Sends the due deliveries of one webhook, for one turn. */
  private async serve(webhook: ClaimedWebhook) {
    const { db, clock, log, policy } = this.deps
    const url = new URL(webhook.url)
    const receiver = openReceiver(webhook.url, {
      rule: policy.ruleOf(url),
      timeout_ms: timeout_seconds[webhook.purpose] * 1_000,
      bytes_max: answer_bytes_max,
      connections_max: at_once,
    })
    let has_failed = false
    try {
      await this.bringForward(webhook)
      const turn = new Turn(webhook, receiver)
      await this.deliverDue(turn, webhook)
      has_failed = turn.hasFailed()
    } catch (error) {
      has_failed = true
      if (!isDatabaseUnavailable(error))
        log.error({ err: error, webhook_id: webhook.id }, 'a webhook could not be served')
    } finally {
      receiver.close()
    }
    const not_before = has_failed ? secondsAfter(clock(), failing_pause_seconds) : clock()
    // Without the release, the lease expires.
    await releaseWebhook(db, { id: webhook.id, owner: this.owner, not_before }).catch((error: Error) =>
      log.warn({ error: error.message, webhook_id: webhook.id }, 'the lease of a webhook was not returned'),
    )
  }

  /** Makes waiting retries due after the owner changed the webhook. The next turn continues if this one is too short. */
  private async bringForward({ id: webhook_id, anew_since }: ClaimedWebhook) {
    if (anew_since === null) return
    const { db, clock } = this.deps
    const ends_ms = performance.now() + turn_ms
    const round = { webhook_id, now: clock(), rows_max: brought_rows }
    while (performance.now() < ends_ms && !this.stopping.signal.aborted)
      if ((await db.transaction((tx) => bringForward(tx, round))) < brought_rows) {
        await endAnew(db, webhook_id, anew_since)
        return
      }
  }

  /** Sends due deliveries, as many concurrently as the turn allows, and checks for more while requests are in progress. */
  private async deliverDue(turn: Turn, webhook: ClaimedWebhook) {
    const in_flight = new Map<string, Promise<void>>()
    let waiting: Attempt[] = []
    while (turn.goesOn(this.stopping.signal)) {
      const free = turn.width() - in_flight.size
      if (waiting.length === 0 && free > 0) {
        waiting = await this.nextAttempts(turn, webhook, [...in_flight.keys()])
        if (waiting.length === 0 && in_flight.size === 0) return
      }
      for (const { delivery_id, make } of waiting.splice(0, Math.max(free, 0)))
        in_flight.set(
          delivery_id,
          make()
            .catch((error: unknown) => turn.abandon(error))
            .finally(() => in_flight.delete(delivery_id)),
        )
      await Promise.race([...in_flight.values(), pause(look_again_ms)])
    }
    await Promise.all(in_flight.values())
    turn.throwIfAbandoned()
  }

  /** Attempts at a page of due deliveries. The secrets are read after the page: one may have been rotated since the turn began. */
  private async nextAttempts(turn: Turn, webhook: ClaimedWebhook, under_way: string[]): Promise<Attempt[]> {
    const { db, clock } = this.deps
    const { webhook_id, url } = turn
    const due = await listDue(
      db,
      { webhook_id, url, now: clock(), rows_max: turn.is_probing ? 1 : due_rows },
      under_way,
    )
    if (due.length === 0) return []
    const requestOf = await requestsTo(this.deps, webhook)
    return due.map((delivery) => ({
      delivery_id: delivery.id,
      make: () => this.attempts.make(turn, delivery, requestOf),
    }))
  }
}
