import cluster from 'node:cluster'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../platform/log.ts'
import { main_file } from '../platform/package.ts'
import { openDatabase } from '../platform/postgres/database.ts'
import { singleFlight } from '../platform/single-flight.ts'
import type { Env } from '../platform/env-reader.ts'
import { forkChild } from './child.ts'
import { connectionsOfAll } from './connection-budget.ts'
import { refuseLosingData } from './data-volume.ts'
import { openMetricsOfCluster } from './metrics-server.ts'
import { openDatabaseSource, superviseEmbeddedPostgres } from './database-source.ts'
import { end, finish_ms, limitStop } from './ending.ts'
import type { People } from './people.ts'
import { hostingRoles } from './roles.ts'
import { Slot } from './slot.ts'
import type { StopSignal } from './stop-signals.ts'

/** A child has its own limits for its stop. If it exceeds them, it is stuck. */
const kill_margin_ms = 5_000

interface Primary {
  /** The number of API processes. */
  processes: number
  config: Config
  log: Logger
  stop: AbortSignal
  people: People
}

/**
 * Runs the API in several processes on one port, and the hosting roles in one more (PROCESSES). This process serves nothing: it owns the
 * port and the embedded database, and starts, restarts and replaces the others. Ends the process.
 */
export async function runProcesses(primary: Primary): Promise<never> {
  const { config, log, stop, processes, people } = primary
  const reloads = reloadOnSignal(log, stop)
  stop.addEventListener('abort', () => {
    log.info({ signal: stop.reason }, 'stopping: every process finishes its requests first')
    limitStop(log, finish_ms(config) + 2 * kill_margin_ms)
  })
  cluster.setupPrimary({ exec: main_file, args: [] })
  const closeMetrics = await openMetricsOfCluster({ config, log })
  const closeDatabase = await openOwnDatabase(config, log)
  const slots: Slot[] = []
  const started = await startSlots(primary, slots)
  if (started !== undefined && !stop.aborted) {
    log.info({ address: started, public_url: config.public_url, processes }, 'Plaza is ready')
    people.isReady()
    reloads.start(slots)
    await new Promise((aborted) => stop.addEventListener('abort', aborted))
  }
  const reason = stop.aborted ? (stop.reason as StopSignal) : 'SIGTERM'
  const codes = await Promise.all(slots.map((slot) => slot.stop(reason)))
  await closeDatabase()
  await closeMetrics()
  if (started === undefined && !stop.aborted) return end(log, 1)
  people.hasStopped()
  return end(log, Math.max(0, ...codes), 'stopped')
}

/**
 * Starts the first API process, then the others, so that one-time work such as migrations is done by then. Resolves with the address, or
 * with undefined if one of them cannot start; that one has reported why.
 */
async function startSlots({ config, log, stop, processes }: Primary, slots: Slot[]): Promise<string | undefined> {
  const kill_ms = finish_ms(config) + kill_margin_ms
  const open = (name: string, env: Env) => {
    const slot = new Slot({ name, log, kill_ms, fork: () => forkChild(env) })
    slots.push(slot)
    return slot
  }
  const api_env: Env = { ROLES: 'api', ...routerAddress(config) }
  const address = await open('api 1', api_env).start()
  if (address === undefined || stop.aborted) return undefined
  for (let number = 2; number <= processes; number++) open(`api ${number}`, api_env)
  const hosting = hostingRoles(config)
  if (hosting.length > 0) open(hosting.join(' and '), { ROLES: hosting.join(','), PROCESSES: '' })
  const others = await Promise.all(slots.slice(1).map((slot) => slot.start()))
  return others.includes(undefined) ? undefined : address
}

/** The API needs the address of the router, which runs in another process, for the console. */
const routerAddress = (config: Config): Env =>
  hostingRoles(config).includes('router') ? { ROUTER_PORT: String(config.router.port) } : {}

/** Starts and supervises the embedded database, which outlives every child. Returns a function that stops it. */
async function openOwnDatabase(config: Config, log: Logger) {
  if (config.database_url !== undefined) return async () => {}
  await refuseLosingData(config)
  const connections = connectionsOfAll(config)
  const source = await openDatabaseSource(config, resolve(config.data_dir), log, { connections })
  const db = openDatabase({ connection: source.connection, log, pipelines: 1 })
  // An open connection tells ending children that the server is in use.
  await db.sql`select 1`
  const endSupervision = source.embedded && superviseEmbeddedPostgres(db, source.embedded, log)
  return async () => {
    await endSupervision?.()
    await db.close()
    await source.stop()
  }
}

/**
 * Replaces the processes one by one on SIGHUP. Signals that arrive meanwhile cause one more round. In a terminal, SIGHUP means that the
 * terminal was closed.
 */
function reloadOnSignal(log: Logger, stop: AbortSignal) {
  let slots: readonly Slot[] | undefined
  let is_asked_again = false
  const replaceAll = singleFlight(async () => {
    do {
      is_asked_again = false
      log.info('SIGHUP: the processes are replaced one by one')
      const replaced = await replaceInTurn(slots ?? [])
      if (stop.aborted) return
      if (replaced) log.info('every process was replaced')
      else log.error('the replacement was given up: the other processes are the old ones')
    } while (is_asked_again)
  })
  process.on('SIGHUP', () => {
    if (process.stdout.isTTY) return void process.kill(process.pid, 'SIGTERM')
    is_asked_again = true
    if (slots) void replaceAll()
  })
  return {
    /** Handles signals from now on, including an earlier one. */
    start(ready: readonly Slot[]) {
      slots = ready
      if (is_asked_again) void replaceAll()
    },
  }
}

/** Continues with the next process only if one was replaced, so that a fault of the new version affects at most one. */
async function replaceInTurn(slots: readonly Slot[]) {
  for (const slot of slots) if (!(await slot.replace())) return false
  return true
}
