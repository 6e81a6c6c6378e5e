import { runCommand } from './commands.ts'
import { readConfig, type Config } from './config.ts'
import { openLog } from './kit/log.ts'
import { startService, type Service } from './service.ts'

/** Says why it cannot be done, without a stack that a newcomer would have to read. */
function refuse(what: string, error: unknown): never {
  const { message, code } = error as NodeJS.ErrnoException
  const hint =
    code === 'EADDRINUSE'
      ? '\nAnother program uses this port: stop it, or set PORT (of the router: ROUTER_PORT) to another one.'
      : ''
  process.stderr.write(`${what} ${message}${hint}\n`)
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${(error as Error).stack}\n`)
  process.exit(1)
}

async function serve(config: Config) {
  const log = openLog(config.log_level)
  const service = await startService({ config, log })
  log.info({ address: service.address, public_url: config.public_url }, 'Plaza is ready')
  if (process.stdout.isTTY)
    process.stdout.write(`\n  Plaza is ready at ${config.public_url}\n  API reference: ${config.public_url}/docs\n\n`)
  stopOnSignals(service, config, log)
}

function stopOnSignals(service: Service, { shutdown_seconds }: Config, log: ReturnType<typeof openLog>) {
  let stopping = false
  const stop = (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping: requests in flight are finished first')
    setTimeout(() => {
      log.error('requests did not end in time')
      process.exit(1)
    }, shutdown_seconds * 1000).unref()
    service.stop().then(
      () => {
        log.info('stopped')
        log.flush()
        process.exit(0)
      },
      (error: Error) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}

const [command, ...words] = process.argv.slice(2)
const is_command = command === 'admin'
try {
  if (is_command) process.exitCode = await runCommand(process.env, words)
  else await serve(readConfig(process.env))
} catch (error) {
  refuse(is_command ? 'Plaza cannot do this.' : 'Plaza cannot start.', error)
}
