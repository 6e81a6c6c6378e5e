import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, openSync, closeSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program to its end; returns its output. Fails with its exit code and error output. */
export async function run(program: string, ...args: string[]) {
  const { stdout } = await execute(program, args, { maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

/** Runs a program and ignores a failure, to remove objects that may not exist. */
export const tryRun = (program: string, ...args: string[]) => run(program, ...args).catch(() => '')

/** Starts a program in the background, with its output in a file. */
export function startProgram(log_path: string, program: string, ...args: string[]): ChildProcess {
  const log = openSync(log_path, 'a')
  const child = spawn(program, args, { stdio: ['ignore', log, log] })
  child.on('error', () => {})
  closeSync(log)
  return child
}

/** Ends a program and waits for its exit; SIGKILL after the given time. */
export async function endProgram(child: ChildProcess, seconds = 15) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000)
  await exited
  clearTimeout(timer)
}

/** Polling loads the daemons, so the interval grows from 10 ms to this. */
const poll_ms_max = 150

/** For a slow or loaded machine: ends what hangs, and asserts nothing. */
const limit_seconds = 200

/** Polls until the answer is neither undefined nor false, and returns it; fails with `what` after minutes. */
export async function until<Answer>(what: string, poll: () => Promise<Answer | undefined | false>) {
  const deadline = Date.now() + limit_seconds * 1000
  for (let pause = 10; ; pause = Math.min(pause * 1.5, poll_ms_max)) {
    const answer = await poll()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limit_seconds} s`)
    await new Promise((next) => setTimeout(next, pause))
  }
}

export const isInstalled = (program: string) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'].some((folder) =>
    existsSync(join(folder, program)),
  )
