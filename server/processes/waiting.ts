import type { Config } from '../config.ts'
import { listen } from '../http/listen.ts'
import { renderFrameworkFailure } from '../http/render-failure.ts'
import { newServer } from '../http/server.ts'
import { systemClock } from '../platform/clock.ts'
import type { Database } from '../platform/postgres/database.ts'
import { Failure } from '../platform/failure.ts'
import type { Logger } from '../platform/log.ts'
import { package_version } from '../platform/package.ts'
import { openRateCounter } from '../platform/rate-limit.ts'
import type { Readiness } from '../platform/readiness.ts'
import { probeRoutes } from '../system/routes.ts'

export interface Closing {
  close(): Promise<unknown>
}

interface Waiting {
  db: Database
  config: Config
  log: Logger
  readiness: Readiness
}

const finish_ms = 1_000

/** The probes are open to anybody, and nothing else is mounted. */
const notYet = () => Promise.reject(new Failure('overloaded', {}, { retry_after_seconds: 1 }))
const nobody = { user: notYet, app: notYet, appServed: () => {} }

/** Answers in the place of the service while that cannot start yet: the probes as they are (D-93), all else with 503. */
export async function answerWhileWaiting({ db, config, log, readiness }: Waiting): Promise<Closing | undefined> {
  const { roles, host, port, public_url, trusted_proxies } = config
  if (!roles.includes('api')) return undefined
  const fastify = newServer({ log, public_url, trusted_proxies, endpoints: [] })
  const limits = { counter: openRateCounter(db, systemClock), settings: config.limits, clock: systemClock }
  probeRoutes({ fastify, endpoints: [], authenticate: nobody, limits }, { readiness, version: package_version })
  fastify.all('/*', (request, reply) => renderFrameworkFailure(503, request, reply.header('retry-after', '1')))
  const front = await listen(fastify, { host, port })
  return { close: () => front.close(finish_ms) }
}
