import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'

export interface Step {
  name: string
  /** A program of node_modules and its arguments. */
  command: readonly [string, ...string[]]
  env?: Record<string, string>
}

interface Result extends Step {
  good: boolean
  output: string
  seconds: number
}

function run(step: Step): Promise<Result> {
  const started_at = performance.now()
  const [program, ...args] = step.command
  return new Promise((done) => {
    const child = spawn(join(package_root, 'node_modules/.bin', program), args, {
      cwd: package_root,
      env: { ...process.env, ...step.env },
    })
    let output = ''
    const collect = (chunk: Buffer) => void (output += chunk.toString())
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const finish = (good: boolean) => done({ ...step, good, output, seconds: (performance.now() - started_at) / 1000 })
    child.on('error', (error) => {
      output += error.message
      finish(false)
    })
    child.on('close', (code) => finish(code === 0))
  })
}

/** Runs the steps two at a time; prints the result of each, and the output of those that failed. Sets the exit code. */
export async function runSteps(steps: readonly Step[]) {
  const waiting = [...steps]
  const results: Result[] = []
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next))
  }
  await Promise.all([work(), work()])
  const failed = results.filter(({ good }) => !good)
  for (const { name, output } of failed) process.stdout.write(`\n── ${name} ──\n${output.trim()}\n`)
  if (failed.length > 0) process.stdout.write('\n')
  const width = Math.max(...steps.map(({ name }) => name.length)) + 2
  for (const { name, good, seconds } of results)
    process.stdout.write(`${good ? '✓' : '✗'} ${name.padEnd(width)}${seconds.toFixed(1).padStart(5)} s\n`)
  process.exitCode = failed.length > 0 ? 1 : 0
}
