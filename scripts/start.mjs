// Builds what is stale, then runs the built service in this process, so that it receives signals. In production, where the tools
// of a build are not installed, nothing is built.
import { join, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole, buildServer, endBuilds, requireBuild } from './build.mjs'

// Until the service installs its own handlers: the kernel ignores signals for process 1 without a handler.
function stopEarly() {
  endBuilds()
  process.exit(0)
}
process.on('SIGINT', stopEarly).on('SIGTERM', stopEarly)

const log = (line) => process.stderr.write(`${line}\n`)
try {
  await buildServer(log)
  if (process.argv[2] !== 'admin') await buildConsole(log)
  requireBuild()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import(join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist/server/main.js'))
process.off('SIGINT', stopEarly).off('SIGTERM', stopEarly)
