import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseUnavailable } from '../platform/postgres/database.ts'
import type { Logger } from '../platform/log.ts'
import type { Readiness } from '../platform/readiness.ts'

/** A server that accepts requests: the API's or the router's. */
export interface DrainableServer {
  /** Continues to serve, but every answer closes its connection. */
  drain(): void
  /** Accepts no new connection, finishes the requests in progress within this time, and ends. */
  close(finish_ms: number): Promise<void>
}

export interface DrainOptions {
  /** True if another process takes over on the same port. */
  is_replaced?: boolean
}

/** Collects, while a process starts, the steps of its drain and its stop. */
export class Shutdown {
  private readonly log: Logger
  private readonly readiness: Readiness
  private readonly stops: (() => Promise<void>)[] = []
  private readonly servers: DrainableServer[] = []
  private is_replaced = false

  constructor({ log, readiness }: { log: Logger; readiness: Readiness }) {
    this.log = log
    this.readiness = readiness
  }

  /** The part that was added last is stopped first. */
  add(stop: () => Promise<void>) {
    this.stops.push(stop)
  }

  addServer(server: DrainableServer) {
    this.servers.push(server)
  }

  /**
   * Announces the stop: from now on readyz is 503 and every answer closes its connection, but all requests are served. Resolves after
   * `drain_ms`, the time that balancers need to notice. A process that is replaced stays ready: the others on its port continue, and a
   * balancer must not remove all of them.
   */
  async drain(drain_ms: number, { is_replaced = false }: DrainOptions = {}) {
    this.is_replaced = is_replaced
    if (!is_replaced) this.readiness.stop()
    for (const server of this.servers) server.drain()
    await pause(drain_ms)
  }

  /** Closes all servers at the same time. */
  async closeServers(finish_ms: number) {
    await Promise.all(this.servers.map((server) => server.close(finish_ms)))
  }

  /**
   * Stops everything, even if some parts fail, then throws the first error. An unavailable database is only logged, because everything that
   * was acknowledged is stored in it.
   */
  async stop() {
    if (!this.is_replaced) this.readiness.stop()
    const errors: Error[] = []
    for (let last = this.stops.pop(); last; last = this.stops.pop())
      await last().catch((error: Error) => errors.push(error))
    for (const error of errors.filter(isDatabaseUnavailable))
      this.log.warn({ err: error }, 'the database was unavailable at the stop')
    const [first] = errors.filter((error) => !isDatabaseUnavailable(error))
    if (first) throw first
  }
}
