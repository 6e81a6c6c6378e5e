/**
 * The NOTIFY channels of hosting. The payload is a deployment's id. PostgreSQL delivers notifications after the commit.
 * Nothing else names these channels.
 */

/** The desired state of a deployment changed: workers claim it, and routers read its route again. */
export const intents_channel = 'plaza_deployments'

/** The address or a name of a deployment changed: routers read its route again. */
export const routes_channel = 'plaza_routes'
