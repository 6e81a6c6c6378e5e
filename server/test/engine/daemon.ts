import type { ChildProcess } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endProgram, startProgram, until } from './shell.ts'

const restart_ms = 500
const log_tail_lines = 40

/** A Docker daemon as a service manager keeps it: one that ends by itself is started again, and its last words are told. */
export interface Daemon {
  /** Starts it, with all that it had. */
  start(): void
  /** Ends it and with it its containers. */
  stop(): Promise<void>
  /** Kills it alone; containers go on. */
  crash(): Promise<void>
  /** Leaves it as it is: whatever ends it now is meant to. */
  unsupervise(): void
}

/** The daemon of a host whose files lie in `folder`, started by this command line. */
export function openDaemon(name: string, folder: string, command: readonly [string, ...string[]]): Daemon {
  const log_path = join(folder, 'log')
  let child: ChildProcess | undefined
  let kept = false
  let restart: NodeJS.Timeout | undefined

  function start() {
    kept = true
    const started = startProgram(log_path, ...command)
    child = started
    started.once('exit', (code, signal) => void ended(`${code ?? signal}`))
  }

  async function ended(how: string) {
    if (!kept) return
    process.stderr.write(
      `The daemon of ${name} ended by itself (${how}). Its last words:\n${await logTail(log_path)}\n`,
    )
    await forgetContainerd()
    if (!kept) return
    restart = setTimeout(start, restart_ms)
  }

  /** containerd goes with the daemon; where nobody collects the dead, the next daemon would take it for alive. */
  const forgetContainerd = () => rm(join(folder, 'exec/containerd/containerd.pid'), { force: true })

  function unsupervise() {
    kept = false
    clearTimeout(restart)
  }

  return {
    start,
    unsupervise,
    async stop() {
      unsupervise()
      if (child) await endProgram(child, 30)
    },
    async crash() {
      unsupervise()
      child?.kill('SIGKILL')
      await until('the end of the daemon', 5, async () => child?.signalCode === 'SIGKILL')
      await forgetContainerd()
    },
  }
}

/** Where a daemon says why it fell, what it said from there on; else the end of its log. */
async function logTail(log_path: string) {
  const lines = (await readFile(log_path, 'utf8').catch(() => '')).trimEnd().split('\n')
  const fell = lines.findLastIndex((line) => /^(panic|fatal error|SIG[A-Z]+):/.test(line))
  return (fell < 0 ? lines.slice(-log_tail_lines) : lines.slice(fell, fell + log_tail_lines)).join('\n')
}
