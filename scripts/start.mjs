// Builds what is stale, then runs the built service in this very process, so that signals reach it.
import { join, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole, buildServer, endBuilds } from './build.mjs'

// Until the service hears them itself: process 1 of a container would ignore them.
function stopEarly() {
  endBuilds()
  process.exit(0)
}
process.on('SIGINT', stopEarly).on('SIGTERM', stopEarly)

const say = (line) => process.stderr.write(`${line}\n`)
try {
  await buildServer(say)
  if (process.argv[2] !== 'admin') await buildConsole(say)
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import(join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist/server/main.js'))
process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly)
