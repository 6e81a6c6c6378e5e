import { execFile } from 'node:child_process'
import * as fs from 'node:fs/promises'
import { promisify } from 'node:util'
import { hasCode } from './error.ts'

export const run = promisify(execFile)

/** True for zombies and for the processes of others as well. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** A process that is gone already is no failure. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error
  }
}

/** Ends in a space, or is empty for a process that is gone. */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const content = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return content.replaceAll('\0', ' ')
  }
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.replaceAll('\n', ' ')
}

/** The last thing that a failed program said, without its name in front. */
export function lastLine(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  const lines = (said || String(error)).split('\n')
  const complaint = lines.findLast((line) => line.includes('error:') || line.includes('FATAL:')) ?? lines.at(-1) ?? ''
  return complaint.replace(/^(initdb|postgres): +|^.*?(error|FATAL): +/, '').trim()
}
