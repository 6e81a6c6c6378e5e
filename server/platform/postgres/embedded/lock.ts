import * as fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './error.ts'
import { isAlive } from './processes.ts'

const heartbeat_ms = 500
const silence_ms = 3_000

/** Runs `work` while no other process does. The lock of a process that was killed is taken over. */
export async function withStartLock<T>(lock_file: string, work: () => Promise<T>): Promise<T> {
  await takeLock(lock_file)
  const beat = () => fs.utimes(lock_file, new Date(), new Date()).catch(() => {})
  const heartbeat = setInterval(() => void beat(), heartbeat_ms)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    await fs.rm(lock_file, { force: true })
  }
}

/**
 * A lock whose process is gone is void at once; a lock whose process id another process has by now, as is usual in
 * containers, when it has shown no sign of life for a while. Should two processes ever void the same lock at the same
 * moment, PostgreSQL's own lock still lets one server in.
 */
async function takeLock(lock_file: string): Promise<void> {
  let seen: string | undefined
  let seen_since = performance.now()
  while (!(await createLock(lock_file))) {
    const lock = await readLock(lock_file)
    if (lock?.state !== seen) seen_since = performance.now()
    seen = lock?.state
    const is_silent = performance.now() - seen_since > silence_ms
    const is_void = lock !== undefined && (is_silent || (lock.pid > 0 && !isAlive(lock.pid)))
    if (is_void && (await readLock(lock_file))?.state === lock.state) await fs.rm(lock_file, { force: true })
    else await sleep(50)
  }
}

async function createLock(lock_file: string): Promise<boolean> {
  try {
    await fs.writeFile(lock_file, String(process.pid), { flag: 'wx', mode: 0o644 })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

async function readLock(lock_file: string): Promise<{ pid: number; state: string } | undefined> {
  try {
    const [content, { mtimeMs }] = await Promise.all([fs.readFile(lock_file, 'utf8'), fs.stat(lock_file)])
    return { pid: Number.parseInt(content, 10) || 0, state: `${content} ${mtimeMs}` }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}
