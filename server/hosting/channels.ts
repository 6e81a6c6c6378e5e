/**
 * The NOTIFY channels of hosting. The payload is a deployment's id; a transaction sends it, so listeners get it after the
 * commit. Nothing else names these channels.
 */

/** The desired state of a deployment changed: workers claim it, routers read its route again. */
export const intents_channel = 'plaza_deployments'

/** Where a deployment answers, or under which names, changed: routers read its route again. */
export const routes_channel = 'plaza_routes'
