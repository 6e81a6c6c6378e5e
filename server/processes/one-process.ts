import cluster from 'node:cluster'
import type { Config } from '../config.ts'
import type { Logger } from '../platform/log.ts'
import { onStopMessage, sendReady } from './child.ts'
import { end, finish_ms, greet, limitStop } from './ending.ts'
import { startService, type Service } from './start.ts'
import type { StopReason } from './stop-signals.ts'

interface ProcessOptions {
  config: Config
  log: Logger
  stop: AbortSignal
}

/** Runs the service in this process until it is to stop, then ends the process. Throws when it cannot start. */
export async function runProcess({ config, log, stop: signalled }: ProcessOptions): Promise<never> {
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
    return end(log, 0, 'stopped before the service was ready')
  }
  if (!stop.aborted) {
    announce(service, config, log)
    await new Promise((stopped) => stop.addEventListener('abort', stopped))
    const is_replaced = (stop.reason as StopReason) === 'replaced'
    // After Ctrl-C in a terminal there is no balancer to wait for.
    if (stop.reason !== 'SIGINT') await service.drain(config.drain_api_seconds * 1_000, { is_replaced })
  }
  try {
    await service.stop()
  } catch (error) {
    log.error({ err: error }, 'stopping failed')
    return end(log, 1)
  }
  return end(log, 0, 'stopped')
}

/** A child is also stopped by the process that started it. */
function stopOf(signalled: AbortSignal) {
  if (!cluster.isWorker) return signalled
  const asked = new AbortController()
  onStopMessage((reason) => asked.abort(reason))
  return AbortSignal.any([signalled, asked.signal])
}

function announce({ address, app }: Service, { public_url, roles }: Config, log: Logger) {
  if (cluster.isWorker) {
    sendReady(address)
    log.info({ pid: process.pid, roles }, 'a process is ready')
  } else {
    log.info({ address, public_url }, 'Plaza is ready')
    greet(public_url)
  }
  // After the start, so that it is not slower, and before the first request for it, which would hold up others.
  setImmediate(app.prepareReference)
}
