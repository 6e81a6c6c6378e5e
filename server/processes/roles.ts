import type { Config, Role } from '../config.ts'

/** A process routes if it has container hosts or an explicit port; with a port only, workers run on other machines. */
export const isRouter = ({ roles, router, containers }: Config) =>
  roles.includes('router') && (router.port_given || containers.hosts.length > 0)

/** A process without container hosts has no work as a worker. */
export const isWorker = ({ roles, containers }: Config) => roles.includes('worker') && containers.hosts.length > 0

/** The hosting roles that this installation needs. */
export const hostingRoles = (config: Config): Role[] => [
  ...(isWorker(config) ? (['worker'] as const) : []),
  ...(isRouter(config) ? (['router'] as const) : []),
]
