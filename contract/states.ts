/** The observed states of a deployment (D-56). */
export const deployment_statuses = ['pending', 'deploying', 'running', 'stopped', 'destroyed'] as const
export type DeploymentStatus = (typeof deployment_statuses)[number]

/** The statuses that allow each operation of an owner (D-57). */
export const deployment_may = {
  change: ['pending', 'deploying', 'running', 'stopped'],
  restart: ['running', 'stopped'],
  stop: ['pending', 'deploying', 'running'],
  destroy: ['pending', 'deploying', 'running', 'stopped', 'destroyed'],
} as const satisfies Record<string, readonly DeploymentStatus[]>
export type DeploymentOperation = keyof typeof deployment_may

export function mayDeployment(operation: DeploymentOperation, status: DeploymentStatus) {
  const statuses: readonly DeploymentStatus[] = deployment_may[operation]
  return statuses.includes(status)
}

/** The values of `health_status` (D-56): the health of a deployment, or why it stopped. */
export type HealthStatus =
  | 'healthy'
  | 'unhealthy'
  | 'starting'
  | 'restarting'
  | 'unknown'
  | 'crash_loop'
  | 'oom_killed'
  | 'image_not_found'
  | 'registry_auth_failed'
  | 'start_timeout'

/** The states of a hold, and the reasons of a release (D-97). */
export const hold_statuses = ['open', 'captured', 'released'] as const
export type HoldStatus = (typeof hold_statuses)[number]
export const release_reasons = ['voided', 'expired', 'disconnected', 'approval_withdrawn'] as const
export type ReleaseReason = (typeof release_reasons)[number]

/** The states of a request for points (D-137). */
export const point_request_statuses = ['open', 'paid', 'declined', 'cancelled', 'expired'] as const
export type PointRequestStatus = (typeof point_request_statuses)[number]

export const friendship_statuses = ['pending', 'accepted', 'rejected', 'removed'] as const
export type FriendshipStatus = (typeof friendship_statuses)[number]

/** The statuses that allow a friendship to be answered, removed or requested again (D-70). */
export const friendship_may = {
  answer: ['pending'],
  remove: ['pending', 'accepted', 'rejected', 'removed'],
  ask_again: ['rejected', 'removed'],
} as const satisfies Record<string, readonly FriendshipStatus[]>
export type FriendshipOperation = keyof typeof friendship_may

export function mayFriendship(operation: FriendshipOperation, status: FriendshipStatus) {
  const statuses: readonly FriendshipStatus[] = friendship_may[operation]
  return statuses.includes(status)
}
