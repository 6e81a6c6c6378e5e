import type { Http } from './http/mount.ts'
import type { Job } from './jobs/runner.ts'
import type { InvalidationBus } from './platform/batching/invalidation-bus.ts'
import type { Clock } from './platform/clock.ts'
import type { Logger } from './platform/log.ts'
import type { Mailer } from './platform/mail.ts'
import type { Database } from './platform/postgres/database.ts'
import type { Reads } from './platform/postgres/reads.ts'
import type { RateCounter } from './platform/rate-limit.ts'

/** The shared parts that every domain opens with. */
export interface Platform {
  db: Database
  clock: Clock
  log: Logger
  mailer: Mailer
  reads: Reads
  counter: RateCounter
  invalidations: InvalidationBus
  /** The secrets that all keys derive from; the first is the newest. */
  secrets: readonly [string, ...string[]]
  public_url: string
  is_sandbox: boolean
  /** DNS servers for foreign addresses; the system's if empty. */
  dns_servers: readonly string[]
}

/** An open domain: its contribution to the service. */
export interface Domain {
  /** Mounts its endpoints. */
  mount?(http: Http): void
  jobs?: readonly Job[]
  /**
   * Starts background work besides requests and jobs, in processes with the role `api`. Returns a function that stops
   * it.
   */
  start?(): () => Promise<void>
  /** Handles a notification from any process. Without a payload, notifications may have been missed. */
  notified?(payload: string | undefined): void
  /** Writes data queued in memory; called when no request is in flight. */
  drain?(): Promise<unknown>
  /** Its caches and its number of open streams, for the metrics. */
  caches?: Readonly<Record<string, { size(): number }>>
  streams?(): number
}

/** The parts of all domains, in order. */
export const joined = (domains: readonly Domain[]) => ({
  jobs: domains.flatMap(({ jobs = [] }) => jobs),
  caches: Object.fromEntries(domains.flatMap(({ caches = {} }) => Object.entries(caches))),
  /** Returns the functions that stop them. */
  start: () => domains.flatMap((domain) => domain.start?.() ?? []),
  notified: (payload?: string) => domains.forEach((domain) => domain.notified?.(payload)),
  streams: () => domains.reduce((sum, domain) => sum + (domain.streams?.() ?? 0), 0),
  drain: async () => void (await Promise.all(domains.flatMap((domain) => domain.drain?.() ?? []))),
})
