// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { DeploymentStatus, ReleaseReason } from './resources.ts'

/** The data of each event that Plaza sends to webhooks. */
export interface WebhookPayloads {
  /** A person connected the app, or did so again after a disconnect */
  'connection.created': {
    /** The id of the person */
    user_id: string
    /** What the person granted */
    scopes: string[]
  }

  /** A person disconnected the app, or lost all connections by a suspension */
  'connection.ended': {
    /** The id of the person */
    user_id: string
  }

  /** A person spent points in the app, in one step; a captured hold is `hold.captured` */
  'points.spent': {
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points moved */
    amount: number
    /** What was said of it at the time; null where nothing was */
    description: string | null
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }

  /** The app returned points of a spend */
  'points.refunded': {
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the spend that it returns */
    refunded_transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points moved */
    amount: number
    /** Why, as the app said; null where it said nothing */
    reason: string | null
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }

  /** A person got points for the app from the platform */
  'points.awarded': {
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points moved */
    amount: number
    /** What was said of it at the time; null where nothing was */
    description: string | null
  }

  /** The app took held points: `amount` of `held_amount`; the rest was freed */
  'hold.captured': {
    /** The id of the hold */
    hold_id: string
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points the app took */
    amount: number
    /** How many were set aside */
    held_amount: number
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }

  /** Held points were freed without being taken */
  'hold.released': {
    /** The id of the hold */
    hold_id: string
    /** The id of the person */
    user_id: string
    /** How many points were freed */
    amount: number
    reason: ReleaseReason
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }

  /** The observed status or health of a deployment of the app changed */
  'deployment.changed': {
    /** The id of the deployment */
    deployment_id: string
    /** The name under which it is reached */
    subdomain: string
    status: DeploymentStatus
    /** What it was before; null for a new deployment */
    previous_status: DeploymentStatus | null
    /**
     * `healthy`, `unhealthy`, `restarting`, `unknown`, or why it stopped for good: `crash_loop`, `oom_killed`, …
     */
    health_status: string | null
  }

  /** The owner asked for a test */
  'webhook.test': {
    /** The id of the webhook */
    webhook_id: string
  }
}
