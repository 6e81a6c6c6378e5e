import { CommanderError } from 'commander'
import { exit_codes, failureOf } from './failures.ts'
import { readLoginFile } from './login-file.ts'
import { createProgram } from './program.ts'

/** Runs a command line and returns its exit code. */
export async function run(args: readonly string[], signal: AbortSignal): Promise<number> {
  try {
    await createProgram(signal).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exit_codes.usage
    if (signal.aborted) return exit_codes.interrupted
    const failure = failureOf(error, await urlOf())
    const { message, code, facts, exit_code } = failure
    const text = args.includes('--json') ? JSON.stringify({ error: code, message, ...facts }) : message
    process.stderr.write(`${text}\n`)
    return exit_code
  }
}

const urlOf = async () => process.env.PLAZA_URL || (await readLoginFile().catch(() => undefined))?.url || 'Plaza'
