// All static checks: types, lint, format, import layers, stale printed files and unused code. Runs two at a time, the longest
// first; prints the result of each, and the output of failed ones.
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const checks = [
  { name: 'lint', command: 'oxlint', args: ['--type-aware'] },
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json', '--noEmit'] },
  { name: 'web types', command: 'tsc', args: ['-p', 'web/tsconfig.json', '--noEmit'] },
  { name: 'unused', command: 'knip', args: ['--no-progress'] },
  { name: 'layers', command: 'tsx', args: ['scripts/check-layers.ts'] },
  { name: 'printed', command: 'tsx', args: ['scripts/print.ts', '--check'] },
  { name: 'format', command: 'oxfmt', args: ['--check', '.'] },
]

function run({ name, command, args }) {
  const started_at = performance.now()
  return new Promise((done) => {
    const child = spawn(join(root, 'node_modules/.bin', command), args, { cwd: root })
    let output = ''
    const collect = (chunk) => {
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const finish = (good) => done({ name, good, output, seconds: (performance.now() - started_at) / 1000 })
    child.on('error', (error) => {
      output += error.message
      finish(false)
    })
    child.on('close', (code) => finish(code === 0))
  })
}

const waiting = [...checks]
const results = []
async function work() {
  for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next))
}
await Promise.all([work(), work()])

const failed = results.filter(({ good }) => !good)
for (const { name, output } of failed) console.log(`\n── ${name} ──\n${output.trim()}`)
if (failed.length > 0) console.log()
for (const { name } of checks) {
  const { good, seconds } = results.find((result) => result.name === name)
  console.log(`${good ? '✓' : '✗'} ${name.padEnd(10)}${seconds.toFixed(1).padStart(5)} s`)
}
process.exitCode = failed.length > 0 ? 1 : 0
