import { decisions } from '../../../contract/decisions.ts'
import type { deploy_actions } from '../../../contract/deployment-fields.ts'
import {
  deployment_may,
  mayDeployment,
  type DeploymentOperation,
  type DeploymentStatus,
} from '../../../contract/states.ts'
import { secondsAfter } from '../../platform/clock.ts'
import { Failure } from '../../platform/failure.ts'

const { kept_days, reserved } = decisions.subdomains
const { cycle_days, early_days } = decisions.hosting_charges
const day_seconds = 86_400

export type DeployAction = (typeof deploy_actions)[number]
export type Desired = 'running' | 'stopped' | 'destroyed'

interface ObservedState {
  status: DeploymentStatus
  is_stopping: boolean
  is_being_removed: boolean
}

// Names (D-55)

/** True for names reserved for the platform and for names with `--` at positions 3 and 4 (`xn--…`), as in IDNA. */
export const isReserved = (subdomain: string) => reserved.includes(subdomain) || subdomain.slice(2, 4) === '--'

/** The name of a deployment destroyed after this time is reserved for its owner. */
export const reservedSince = (now: Date) => secondsAfter(now, -kept_days * day_seconds)

// Operations (D-57)

/** The desired state that each operation sets, and the statuses that allow it. */
export const operations = {
  restart: { desired: 'running', statuses: deployment_may.restart },
  stop: { desired: 'stopped', statuses: deployment_may.stop },
  destroy: { desired: 'destroyed', statuses: deployment_may.destroy },
} as const satisfies Record<
  Exclude<DeploymentOperation, 'change'>,
  { desired: Desired; statuses: readonly DeploymentStatus[] }
>

/** A `not_allowed_now` failure that names the state that prevents the operation. */
export const notAllowedNow = (
  { status, is_stopping, is_being_removed }: ObservedState,
  why: Record<string, unknown> = { status },
) => new Failure('not_allowed_now', why, { body: { status, is_stopping, is_being_removed } })

/** True if a deployment in this status may be changed (D-104). */
export const mayChange = (status: DeploymentStatus) => mayDeployment('change', status)

/** The message of a log entry, for the owner. */
export const log_messages = {
  create: 'The deployment was accepted.',
  change: 'A change was asked for.',
  roll_back: 'A roll back was asked for.',
  roll_back_by_platform: 'The platform went back to an earlier release.',
  restart: 'A restart was asked for.',
  stop: 'A stop was asked for.',
  destroy: 'The destruction was asked for.',
} as const

// Billing (D-62)

export const cycle_seconds = cycle_days * day_seconds

export const cycleAfter = (start: Date) => secondsAfter(start, cycle_seconds)

/** True if the cycle that begins at `paid_until` can be paid now. */
export const isPayableEarly = (paid_until: Date, now: Date) => paid_until <= secondsAfter(now, early_days * day_seconds)
