// npm run seed
import { onStopSignal } from '../../server/processes/stop-signals.ts'
import { fillDatabase } from './fill-database.ts'

const stop = new AbortController()
onStopSignal((signal) => stop.abort(signal), { hangup: true })
const print = (text: string) => void process.stdout.write(text)
const printError = (line: string) => void process.stderr.write(`${line}\n`)
fillDatabase(process.env, { signal: stop.signal, print, printError }).catch((error: Error) => {
  printError(stop.signal.aborted ? 'Interrupted: the example world is incomplete.' : error.message)
  process.exitCode = 1
})
