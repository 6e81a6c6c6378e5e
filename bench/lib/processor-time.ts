import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ticks_per_second = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Seconds of processor time that a process has used so far. */
async function secondsOf(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticks_per_second
}

/** A process and its children, as they are now. */
export async function familyOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  return [pid, ...lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))]
}

/** Seconds of processor time of a process and its children that still run. */
export async function processorSeconds(pid: number) {
  const each = await Promise.all((await familyOf(pid)).map(secondsOf))
  return each.reduce((sum, seconds) => sum + seconds, 0)
}

/** The main process of a PostgreSQL whose data is in this folder. */
export async function postmasterOf(folder: string) {
  return Number((await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
}

/** The resident memory of a process, in bytes. */
export async function memoryOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}
