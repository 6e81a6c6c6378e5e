import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ticks_per_second = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

interface Used {
  own: number
  /** Of children that have ended. */
  ended_children: number
}

/** Seconds of processor time that a process has used so far. */
async function usedBy(pid: number): Promise<Used> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program, in parentheses, may contain spaces.
  const [user = 0, system = 0, user_children = 0, system_children = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) / ticks_per_second)
  return { own: user + system, ended_children: user_children + system_children }
}

/** A process and its current children. */
export async function familyOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  return [pid, ...lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))]
}

/** Seconds of processor time of a process and its children, including ended ones. */
export async function processorSeconds(pid: number) {
  const [parent, ...children] = await Promise.all((await familyOf(pid)).map(usedBy))
  const of_parent = parent ? parent.own + parent.ended_children : 0
  return children.reduce((sum, { own }) => sum + own, of_parent)
}

/** Seconds of processor time that all processes of the machine have used so far, including time that the hypervisor took away. */
export async function machineSeconds() {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n')
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft_interrupts = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + interrupts + soft_interrupts + stolen) / ticks_per_second
}

/** The main process of a PostgreSQL with its data in this folder. */
export async function postmasterOf(folder: string) {
  return Number((await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])
}

/** The resident memory of a process, in bytes. */
export async function memoryOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}
