import { readConfig } from '../config.ts'
import type { Env } from '../platform/env-reader.ts'
import { openLog, standardOutputLog, type Logger } from '../platform/log.ts'
import { startService, type Service } from './start.ts'

/** How long the process waits for its last log lines. */
const last_lines_ms = 2_000
/** Time for queued writes, after the time for requests in flight. */
const last_writes_ms = 10_000

/** Runs the service until `stop` is given, then ends the process. Throws when it cannot start. */
export async function serve(env: Env, stop: AbortSignal) {
  const config = readConfig(env)
  const log = openLog(config.log_level)
  for (const note of config.ignored) log.warn(note)
  const { shutdown_seconds, drain_api_seconds } = config
  stop.addEventListener('abort', () => {
    log.info({ signal: stop.reason }, 'stopping: requests in flight are finished first')
    setTimeout(
      () => {
        log.error('the stop took too long')
        process.exit(1)
      },
      (drain_api_seconds + shutdown_seconds) * 1_000 + last_writes_ms,
    ).unref()
  })
  let service: Service
  try {
    service = await startService({ config, log, abort: stop })
  } catch (error) {
    if (!stop.aborted) throw error
    return end(log, 0, 'stopped before the service was ready')
  }
  if (!stop.aborted) {
    log.info({ address: service.address, public_url: config.public_url }, 'Plaza is ready')
    // After the start, so that it is not slower, and before the first request for it, which would hold up others.
    setImmediate(service.app.prepareReference)
    if (process.stdout.isTTY)
      process.stdout.write(`\n  Plaza is ready at ${config.public_url}\n  API reference: ${config.public_url}/docs\n\n`)
    await new Promise((stopped) => stop.addEventListener('abort', stopped))
    // After Ctrl-C in a terminal there is no balancer to wait for.
    if (stop.reason !== 'SIGINT') await service.drain(drain_api_seconds * 1_000)
  }
  try {
    await service.stop()
  } catch (error) {
    log.error({ err: error }, 'stopping failed')
    return end(log, 1)
  }
  return end(log, 0, 'stopped')
}

async function end(log: Logger, code: number, message?: string) {
  if (message !== undefined) log.info(message)
  await standardOutputLog().drain(last_lines_ms)
  process.exit(code)
}
