// Builds what is stale, then runs the built service in this very process, so that signals reach it.
import { join, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole, buildServer } from './build.mjs'

try {
  await buildServer()
  await buildConsole()
} catch (error) {
  console.error(error.message)
  process.exit(1)
}
await import(join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist/server/main.js'))
