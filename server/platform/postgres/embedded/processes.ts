import { execFile } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { promisify } from 'node:util'
import { hasCode } from './error.ts'

export const run = promisify(execFile)

/** True if the process exists, including zombies and other users' processes. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** Sends a signal; does nothing if the process does not exist. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** The command line, ending in a space; empty for a process that does not exist. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const content = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return content.replaceAll('\0', ' ')
  }
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.replaceAll('\n', ' ')
}

/** The last error line of a failed program, without its name as a prefix. */
export function lastLine(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  const lines = (stderr || String(error)).split('\n')
  const message = lines.findLast((line) => line.includes('error:') || line.includes('FATAL:')) ?? lines.at(-1) ?? ''
  return message.replace(/^(initdb|postgres): +|^.*?(error|FATAL): +/, '').trim()
}
