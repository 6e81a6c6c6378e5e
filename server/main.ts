import { onStopSignal, type StopSignal } from './processes/stop-signals.ts'

// Imports what is needed only once signals are heard: loading it takes a moment.
const stop = new AbortController()
const begun = { starting: false }

onStopSignal((signal: StopSignal) => {
  if (!begun.starting) process.exit(0)
  stop.abort(signal)
})
// Nobody may be there to read what is said.
process.stderr.on('error', () => {})

const [command, ...words] = process.argv.slice(2)
const is_command = command === 'admin'

async function main() {
  if (is_command) {
    const { runCommand } = await import('./commands.ts')
    process.exitCode = await runCommand(process.env, words)
    return
  }
  const { serve } = await import('./processes/serve.ts')
  begun.starting = true
  await serve(process.env, stop.signal)
}

/** Says why it cannot be done, without a stack that a newcomer would have to read. */
function refuse(error: Error): never {
  process.stderr.write(`Plaza cannot ${is_command ? 'do this' : 'start'}. ${error.message}\n`)
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${error.stack}\n`)
  process.exit(1)
}

main().catch(refuse)
