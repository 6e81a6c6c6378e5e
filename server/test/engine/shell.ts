import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, openSync, closeSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program to its end; fails with what it said. */
export async function run(program: string, ...args: string[]) {
  const { stdout } = await execute(program, args, { maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

/** Runs it, and does not mind if it fails: for taking away what may be gone. */
export const tryRun = (program: string, ...args: string[]) => run(program, ...args).catch(() => '')

/** Starts a program that stays, with its output in a file. */
export function startProgram(log_path: string, program: string, ...args: string[]): ChildProcess {
  const log = openSync(log_path, 'a')
  const child = spawn(program, args, { stdio: ['ignore', log, log] })
  child.on('error', () => {})
  closeSync(log)
  return child
}

/** Ends a program by its own child handle and waits until it is gone; SIGKILL after the time is up. */
export async function endProgram(child: ChildProcess, seconds = 15) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), seconds * 1000)
  await gone
  clearTimeout(timer)
}

/** Asking costs the daemons as much as it costs the asker: what takes seconds is not asked for every few milliseconds. */
const poll_ms_max = 150

/** Asks until the answer is something, or fails with the name of what did not come. */
export async function until<Answer>(what: string, seconds: number, ask: () => Promise<Answer | undefined | false>) {
  const deadline = Date.now() + seconds * 1000
  for (let pause = 10; ; pause = Math.min(pause * 1.5, poll_ms_max)) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s`)
    await new Promise((next) => setTimeout(next, pause))
  }
}

export const isInstalled = (program: string) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'].some((folder) =>
    existsSync(join(folder, program)),
  )
