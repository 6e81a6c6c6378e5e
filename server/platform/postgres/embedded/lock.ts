import * as fs from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from './error.ts'
import { isAlive } from './processes.ts'

const heartbeat_ms = 500
const stale_ms = 3_000

/** Runs `work` under an exclusive lock. The lock of a killed process is taken over. */
export async function withStartLock<T>(lock_file: string, work: () => Promise<T>): Promise<T> {
  await acquireLock(lock_file)
  const touch = () => fs.utimes(lock_file, new Date(), new Date()).catch(() => {})
  const heartbeat = setInterval(() => void touch(), heartbeat_ms)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    await fs.rm(lock_file, { force: true })
  }
}

/**
 * A lock is stale if its process does not exist, or if its file was not touched for 3 s: in containers another process often has the same
 * id. If two processes remove the same stale lock at the same time, PostgreSQL's own lock admits only one server.
 */
async function acquireLock(lock_file: string): Promise<void> {
  let seen: string | undefined
  let seen_since = performance.now()
  while (!(await createLock(lock_file))) {
    const lock = await readLock(lock_file)
    if (lock?.state !== seen) seen_since = performance.now()
    seen = lock?.state
    const is_untouched = performance.now() - seen_since > stale_ms
    const is_stale = lock !== undefined && (is_untouched || (lock.pid > 0 && !isAlive(lock.pid)))
    if (is_stale && (await readLock(lock_file))?.state === lock.state) await fs.rm(lock_file, { force: true })
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
