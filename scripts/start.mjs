// `npm start` and `npm run admin`: builds what is stale, then runs the built service in this process, so that it receives signals. In
// production, where build tools are not installed, nothing is built.
import { join, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll, buildServer, endBuilds, requireBuild } from './build.mjs'

const say = (line) => process.stderr.write(`${line}\n`)
const is_command = process.argv[2] === 'admin'

// Until the service installs its own handlers: the kernel ignores signals for process 1 without a handler.
function stopEarly() {
  endBuilds()
  say('Stopped before Plaza had started.')
  process.exit(0)
}
const early = ['SIGINT', 'SIGTERM', 'SIGHUP']
for (const signal of early) process.on(signal, stopEarly)

try {
  await (is_command ? buildServer() : buildAll(say))
  requireBuild()
} catch (error) {
  endBuilds()
  say(error.message)
  process.exit(1)
}
// Makes the service write a summary for people.
if (!is_command) process.argv.splice(2, 0, '--summary')
await import(join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist/server/main.js'))
for (const signal of early) process.off(signal, stopEarly)
