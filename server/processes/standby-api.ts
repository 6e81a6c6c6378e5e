import type { Config } from '../config.ts'
import { listen } from '../http/listen.ts'
import { renderFrameworkFailure } from '../http/render-failure.ts'
import { createHttpServer } from '../http/server.ts'
import { systemClock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import type { Logger } from '../platform/log.ts'
import { package_version } from '../platform/package.ts'
import { openRateCounter } from '../platform/rate-limit.ts'
import type { Readiness } from '../platform/readiness.ts'
import { probeRoutes } from '../system/routes.ts'

export interface StandbyApi {
  close(): Promise<unknown>
}

interface StandbyApiOptions {
  db: Database
  config: Config
  log: Logger
  readiness: Readiness
}

const finish_ms = 1_000

/** The probes need no credentials, and no other endpoint is mounted. */
const notReady = () => Promise.reject(new Failure('overloaded', {}, { retry_after_seconds: 1 }))
const no_authentication = {
  user: notReady,
  app: notReady,
  client: notReady,
  admin: notReady,
  proof: notReady,
  nonce: () => '',
  role: notReady,
  recordAppUse: () => {},
}

/** Listens instead of the API until the database takes writes: answers the probes (D-93), and 503 to everything else. */
export async function startStandbyApi({
  db,
  config,
  log,
  readiness,
}: StandbyApiOptions): Promise<StandbyApi | undefined> {
  const { roles, host, port, public_url, trusted_proxies, is_sandbox } = config
  if (!roles.includes('api')) return undefined
  const fastify = createHttpServer({ log, public_url, trusted_proxies, endpoints: [] })
  const limits = { counter: openRateCounter(db, systemClock), settings: config.limits, clock: systemClock }
  probeRoutes(
    { fastify, endpoints: [], authenticate: no_authentication, limits },
    { readiness, version: package_version, is_sandbox },
  )
  fastify.all('/*', (request, reply) => renderFrameworkFailure(503, request, reply.header('retry-after', '1')))
  const server = await listen(fastify, { host, port })
  return { close: () => server.close(finish_ms) }
}
