// `npm run dev`: the service from its sources, restarted after each change, and the console with hot reload, which calls it, on port 5173
// or the port of `npm run dev -- PORT`. Both end with this process, and when one of them ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const console_port = process.argv[2] ?? '5173'
const env = { DRAIN_SECONDS_API: '0', PUBLIC_URL: `http://localhost:${console_port}`, ...process.env }

const start = (program, ...args) =>
  spawn(process.execPath, [`${root}/node_modules/${program}`, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    // Not in the terminal's group: tsx kills the service at a second Ctrl-C, and the terminal and npm each send one.
    detached: true,
  })
const programs = [
  start('tsx/dist/cli.mjs', 'watch', '--clear-screen=false', 'server/main.ts', '--summary'),
  start(
    'vite/bin/vite.js',
    '--config',
    'web/vite.config.ts',
    '--port',
    console_port,
    '--strictPort',
    '--logLevel',
    'warn',
  ),
]

const ended = programs.map((program) => once(program, 'exit'))
const asked = new Promise((stop) => process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop))
const [code] = await Promise.race([asked.then(() => [0]), ...ended])
for (const program of programs) program.kill('SIGINT')
await Promise.all(ended)
process.exitCode = code ?? 1
