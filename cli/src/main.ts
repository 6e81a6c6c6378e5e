#!/usr/bin/env node
import { exit_codes } from './failures.ts'
import { run } from './run.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => {
  interrupted.abort()
  process.exitCode = exit_codes.interrupted
  process.once('SIGINT', () => process.exit(exit_codes.interrupted))
})
// A reader that has gone, such as `head`, ends the command.
process.stdout.on('error', () => process.exit(0))
process.exit(await run(process.argv.slice(2), interrupted.signal))
