import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/postgres/database.ts'
import type { Logger } from '../../../platform/log.ts'
import { EngineError, type Observed } from '../../engine/engine.ts'
import { withDeadline, type Host, type Hosts } from '../hosts/hosts.ts'
import { slotOf } from '../../measuring.rules.ts'
import { instancesToMeasure, replicaKey, usedBetween, type Measurement, type Sample } from './samples.rules.ts'
import { findServing, insertSamples } from './samples.store.ts'
import type { Timing } from '../timing.rules.ts'

export interface SamplerDeps {
  db: Database
  clock: Clock
  log: Logger
  hosts: Hosts
  timing: Timing
}

/** A low number, so that an engine has connections left for deployments. */
const usages_at_once = 4
const usage_seconds = 5

/**
 * Measures the resource use of the containers of each host every `sample_seconds` (D-104). Each host is measured
 * independently of the others and of the work on deployments. Failed measurements are left out.
 */
export function startSampler(deps: SamplerDeps) {
  const closing = new AbortController()
  const loops = deps.hosts.all.map((host) => startLoop(deps, host, closing.signal))
  return {
    async stop() {
      closing.abort()
      await Promise.all(loops.map((stop) => stop()))
    },
  }
}

/** Measures at the beginning of each period. A round that takes longer than a period skips the next one. */
function startLoop(deps: SamplerDeps, host: Host, closing: AbortSignal) {
  const { log, clock, timing } = deps
  const period_ms = timing.sample_seconds * 1000
  const measure = openMeasuring(deps, host, closing)
  let latest = Promise.resolve()
  let timer: NodeJS.Timeout
  const wait = () => {
    timer = setTimeout(run, period_ms - (clock().getTime() % period_ms))
  }
  const run = () => {
    latest = measure()
      .catch((error: Error) => {
        // The poll of the host logs an unreachable engine.
        if (!closing.aborted && !(error instanceof EngineError))
          log.warn({ host: host.name, error: error.message }, 'the resource use of containers was not saved')
      })
      .then(() => {
        if (!closing.aborted) wait()
      })
  }
  wait()
  return async () => {
    clearTimeout(timer)
    await latest
  }
}

/** Measures one host; keeps the last measurement of each instance. */
function openMeasuring({ db, clock }: SamplerDeps, host: Host, closing: AbortSignal) {
  let before: ReadonlyMap<string, Measurement> = new Map()
  return async function measure() {
    const at = slotOf(clock())
    const running = (await host.observe()).filter(({ phase }) => phase === 'running')
    if (running.length === 0) return
    const ids = [...new Set(running.map(({ id }) => id))]
    const serving = await findServing(db, host.name, ids)
    const instances = instancesToMeasure(
      running,
      new Map(serving.map((each) => [replicaKey(each), each.serving_generation])),
    )
    const now = await measureAll(host, instances, closing)
    const samples = instances.flatMap((instance): Sample[] => {
      const key = keyOf(instance)
      const measured = now.get(key)
      if (!measured) return []
      const { memory_bytes } = measured.usage
      return [
        {
          deployment_id: instance.id,
          replica: instance.replica,
          memory_bytes,
          ...usedBetween(before.get(key), measured),
        },
      ]
    })
    before = now
    if (samples.length > 0) await insertSamples(db, at, samples)
  }
}

const keyOf = ({ id, generation, replica }: Observed) => `${id} ${generation} ${replica}`

/**
 * Measures these instances, a few at a time, and returns the usage by key. Ends at the first call without an answer,
 * because the next ones would have none either.
 */
async function measureAll(host: Host, instances: readonly Observed[], closing: AbortSignal) {
  const measured = new Map<string, Measurement>()
  const queue = instances.values()
  let answers = true
  const worker = async () => {
    for (const instance of queue) {
      if (!answers) return
      const usage = await withDeadline(usage_seconds, closing, (signal) => host.engine.usage(instance, signal)).catch(
        (error: unknown) => {
          if (!(error instanceof EngineError)) throw error
          if (error.fault === 'timeout') answers = false
          return undefined
        },
      )
      if (usage) measured.set(keyOf(instance), { usage, measured_ms: performance.now() })
    }
  }
  await Promise.all(Array.from({ length: usages_at_once }, worker))
  return measured
}
