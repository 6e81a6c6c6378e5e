import { readFile, readdir } from 'node:fs/promises'
import type { Env } from '../platform/env-reader.ts'
import { atEnd } from './at-end.ts'
import { startMain, type Started } from './processes.ts'
import { waitUntil } from './wait.ts'

/** Long timeouts, because each process loads the service while other tests run. */
export const group_wait = { interval_ms: 20 }

/** A service with PROCESSES: the process that starts the others, and these. */
export interface ServiceGroup extends Started {
  pid: number
  /** The ids of the processes that serve, in the order in which they became ready. */
  servingPids(): number[]
  /** The messages of the log, oldest first. */
  messages(): string[]
  /** Waits until this many processes have become ready since the start. */
  ready(processes: number): Promise<void>
}

interface LogLine {
  msg: string
  pid?: number
}

/** Starts the built service with several processes. Its log level must be `info`. */
export function startGroup(env: Env): ServiceGroup {
  const started = startMain([], { LOG_LEVEL: 'info', DRAIN_SECONDS_API: '1', ...env })
  const pid = started.child.pid ?? 0
  atEnd(async () => {
    for (const id of [...(await childrenOf(pid)), pid]) signal(id, 'SIGKILL')
    await started.ended
  })
  const lines = () =>
    started
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogLine)
  const messages = () => lines().map(({ msg }) => msg)
  const servingPids = () => lines().flatMap((line) => (line.msg === 'a process is ready' ? [line.pid ?? 0] : []))
  return {
    ...started,
    pid,
    servingPids,
    messages,
    ready: (processes) =>
      waitUntil(
        () => servingPids().length >= processes && messages().includes('Plaza is ready'),
        () => `readiness (${started.stderr()} ${messages().slice(-10).join('; ')})`,
        group_wait,
      ),
  }
}

/** Sends a signal; does nothing if the process does not exist. */
export function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The ids of a process's children; empty if it does not exist. */
export async function childrenOf(pid: number) {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}
