import { CommanderError } from 'commander'
import { exit_codes, failureOf, usage } from './failures.ts'
import { readLoginFile } from './login-file.ts'
import { createProgram } from './program.ts'

/** Runs a command line and returns its exit code. */
export async function run(args: readonly string[], signal: AbortSignal): Promise<number> {
  const is_json = args.includes('--json')
  try {
    await createProgram(signal, is_json).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    const wrong_command = error instanceof CommanderError ? error : undefined
    if (wrong_command?.exitCode === 0) return 0
    // Its text is printed already.
    if (wrong_command && !is_json) return exit_codes.usage
    if (signal.aborted) return exit_codes.interrupted
    const failure = wrong_command
      ? usage(wrong_command.message.replace(/^error: /, ''))
      : failureOf(error, await urlOf())
    const { message, code, facts, exit_code } = failure
    process.stderr.write(`${is_json ? JSON.stringify({ error: code, message, ...facts }) : message}\n`)
    return exit_code
  }
}

const urlOf = async () => process.env.PLAZA_URL || (await readLoginFile().catch(() => undefined))?.url || 'Plaza'
