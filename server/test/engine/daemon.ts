import type { ChildProcess } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { endProgram, startProgram, until } from './shell.ts'

const restart_ms = 500
const log_tail_lines = 40

/** A supervised Docker daemon: if it ends unexpectedly, it is started again and the end of its log is printed. */
export interface Daemon {
  /** Starts it with its existing data. */
  start(): void
  /** Stops it and its containers. */
  stop(): Promise<void>
  /** Kills the daemon only; containers continue. */
  crash(): Promise<void>
  /** Ends the supervision: the daemon is no longer restarted. */
  unsupervise(): void
}

/** The daemon of a host with its files in `folder`, started by this command line. */
export function openDaemon(name: string, folder: string, command: readonly [string, ...string[]]): Daemon {
  const log_path = join(folder, 'log')
  let child: ChildProcess | undefined
  let supervised = false
  let restart: NodeJS.Timeout | undefined

  function start() {
    supervised = true
    const started = startProgram(log_path, ...command)
    child = started
    started.once('exit', (code, signal) => void onExit(`${code ?? signal}`))
  }

  async function onExit(status: string) {
    if (!supervised) return
    process.stderr.write(`The daemon of ${name} ended unexpectedly (${status}). Its log:\n${await logTail(log_path)}\n`)
    await removeContainerdPid()
    if (!supervised) return
    restart = setTimeout(start, restart_ms)
  }

  /** containerd ends with the daemon. If no init process reaps it, the next daemon would mistake the zombie for a running one. */
  const removeContainerdPid = () => rm(join(folder, 'exec/containerd/containerd.pid'), { force: true })

  function unsupervise() {
    supervised = false
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
      await until('the end of the daemon', async () => child?.signalCode === 'SIGKILL')
      await removeContainerdPid()
    },
  }
}

/** The log from a panic or fatal error on; else its last lines. */
async function logTail(log_path: string) {
  const lines = (await readFile(log_path, 'utf8').catch(() => '')).trimEnd().split('\n')
  const crash_line = lines.findLastIndex((line) => /^(panic|fatal error|SIG[A-Z]+):/.test(line))
  return (crash_line < 0 ? lines.slice(-log_tail_lines) : lines.slice(crash_line, crash_line + log_tail_lines)).join(
    '\n',
  )
}
