import { decisions } from '../../contract/decisions.ts'
import type { Receiver } from '../platform/safe-post.ts'
import type { ClaimedWebhook } from './dispatch.store.ts'

const { at_once } = decisions.webhooks

/** How long a webhook is served before the next one. */
export const turn_ms = 5_000

/** The turn of one webhook: it ends after a time, or when the address fails. */
export class Turn {
  readonly webhook_id: string
  readonly url: string
  readonly receiver: Receiver
  /** True until an attempt succeeds at a failing address; attempts are then made one at a time. */
  is_probing: boolean
  private readonly ends_ms = performance.now() + turn_ms
  private has_succeeded = false
  private failures_in_row = 0
  private error: Error | undefined

  constructor({ id, url, failing }: ClaimedWebhook, receiver: Receiver) {
    this.webhook_id = id
    this.url = url
    this.is_probing = failing
    this.receiver = receiver
  }

  note(success: boolean) {
    this.failures_in_row = success ? 0 : this.failures_in_row + 1
    this.has_succeeded ||= success
    this.is_probing &&= !success
  }

  /** Maximum concurrent requests. */
  width() {
    return this.is_probing ? 1 : at_once
  }

  /** Whether the address fails: no request succeeded, or as many failed in a row as run concurrently. */
  hasFailed() {
    return this.failures_in_row >= (this.has_succeeded ? at_once : 1)
  }

  /** Ends the turn: a result could not be written. */
  abandon(error: unknown) {
    this.error = error as Error
  }

  throwIfAbandoned() {
    if (this.error) throw this.error
  }

  goesOn(stopping: AbortSignal) {
    return !this.error && !stopping.aborted && performance.now() < this.ends_ms && !this.hasFailed()
  }
}
