#!/usr/bin/env node
import { exit_codes } from './failures.ts'
import { run } from './run.ts'

const interrupted = new AbortController()
process.once('SIGINT', () => {
  interrupted.abort()
  process.exitCode = exit_codes.interrupted
  process.once('SIGINT', () => process.exit(exit_codes.interrupted))
})
// The command ends when its reader does, such as `head`.
process.stdout.on('error', () => process.exit(0))
process.exit(await run(process.argv.slice(2), interrupted.signal))
