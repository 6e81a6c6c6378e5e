import cluster from 'node:cluster'
import type { Config } from '../config.ts'
import type { Logger } from '../platform/log.ts'
import { onStopMessage, sendReady } from './child.ts'
import { end, finish_ms, limitStop } from './ending.ts'
import type { People } from './people.ts'
import { startService, type Service } from './start.ts'
import type { StopReason } from './stop-signals.ts'

interface ProcessOptions {
  config: Config
  log: Logger
  stop: AbortSignal
  people: People
}

/** Runs the service in this process until it must stop, then ends the process. Throws if it cannot start. */
export async function runProcess({ config, log, stop: signalled, people }: ProcessOptions): Promise<never> {
  const stop = stopOf(signalled)
  if (!cluster.isWorker) for (const note of config.ignored) log.warn(note)
  stop.addEventListener('abort', () => {
    log.info({ signal: stop.reason }, 'stopping: requests in flight are finished first')
    limitStop(log, finish_ms(config))
  })
  let service: Service
  try {
    service = await startService({ config, log, abort: stop })
  } catch (error) {
    if (!stop.aborted) throw error
    people.hasStopped()
    return end(log, 0, 'stopped before the service was ready')
  }
  if (!stop.aborted) {
    announce(service, config, log)
    people.isReady(service)
    await new Promise((stopped) => stop.addEventListener('abort', stopped))
    const is_replaced = (stop.reason as StopReason) === 'replaced'
    // After Ctrl-C in a terminal, no balancer needs time to notice.
    if (stop.reason !== 'SIGINT') await service.drain(config.drain_api_seconds * 1_000, { is_replaced })
  }
  try {
    await service.stop()
  } catch (error) {
    log.error({ err: error }, 'stopping failed')
    return end(log, 1)
  }
  people.hasStopped()
  return end(log, 0, 'stopped')
}

/** The process that started a child can also stop it. */
function stopOf(signalled: AbortSignal) {
  if (!cluster.isWorker) return signalled
  const asked = new AbortController()
  onStopMessage((reason) => asked.abort(reason))
  return AbortSignal.any([signalled, asked.signal])
}

const prepare_docs_ms = 60_000

function announce({ address, app }: Service, config: Config, log: Logger) {
  const { public_url, roles } = config
  if (cluster.isWorker) {
    sendReady(address)
    log.info({ pid: process.pid, roles }, 'a process is ready')
  } else {
    log.info({ address, public_url }, 'Plaza is ready')
  }
  // Before the first request needs it and would delay others. Not immediately, because it takes two seconds of processor time, which a
  // process that ends soon, and the other processes of this start, need.
  const prepare = () =>
    void app.prepareDocs().catch((error: unknown) => log.error({ err: error }, 'the documentation could not be made'))
  setTimeout(prepare, prepare_docs_ms).unref()
}
