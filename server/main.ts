import cluster from 'node:cluster'
import { refusalText } from './processes/refusal-text.ts'
import { onStopSignal, type StopSignal } from './processes/stop-signals.ts'

// The signal handlers are installed first, and the other modules imported afterwards, because loading them takes time.
const stop = new AbortController()
const state = { is_starting: false }
const [command, ...args] = process.argv.slice(2)
const is_command = command === 'admin'
/** Set by `npm start` and `npm run dev`, whose output people read. */
const for_people = command === '--summary'

// With PROCESSES, SIGHUP replaces the processes; the process that started the others handles it.
const has_processes = !is_command && Boolean(process.env.PROCESSES?.trim())
onStopSignal(
  (signal: StopSignal) => {
    if (!state.is_starting) process.exit(0)
    stop.abort(signal)
  },
  { hangup: !has_processes && !cluster.isWorker },
)
if (cluster.isWorker) process.on('SIGHUP', () => {})
// The reader of the pipe may be gone.
process.stderr.on('error', () => {})

async function main() {
  if (is_command) {
    const { runCommand } = await import('./commands/run.ts')
    state.is_starting = true
    process.exitCode = await runCommand(process.env, args, {
      stdout: process.stdout,
      stderr: process.stderr,
      signal: stop.signal,
    })
    return
  }
  // The processes of PROCESSES inherit it.
  if (for_people) process.env.LOG_LEVEL ||= 'warn'
  const { serve } = await import('./processes/serve.ts')
  state.is_starting = true
  await serve(process.env, stop.signal, { for_people })
}

/** Prints why the service cannot start, without a stack trace. */
function refuse(error: Error): never {
  process.stderr.write(refusalText(is_command ? 'do this' : 'start', error))
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${error.stack}\n`)
  process.exit(1)
}

main().catch(refuse)
