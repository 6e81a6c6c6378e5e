import type { Env } from '../platform/env-reader.ts'

/** Exit codes of every command. A command may declare more. */
export const exit_codes = { done: 0, not_done: 1, wrong_usage: 2, interrupted: 130 } as const

/** One option of a command. `value` names its value in the help; without it the option is a switch. */
export interface CommandOption {
  value?: string
  summary: string
}

type Options = Readonly<Record<string, CommandOption>>

/** The given options: texts for those with a value, true for switches. */
export type OptionValues<Of extends Options> = {
  readonly [Name in keyof Of]?: CommandOption extends Of[Name]
    ? string | true
    : Of[Name] extends { value: string }
      ? string
      : true
}

/** One execution of a command. */
export interface Invocation<Of extends Options = Options> {
  env: Env
  /** The values of the parameters in order; an optional one may be missing. */
  parameters: readonly string[]
  options: OptionValues<Of>
  /** Aborted by SIGINT or SIGTERM. A long operation must leave nothing half done and end within 10 s. */
  signal: AbortSignal
  /** Writes a line to the standard output. */
  print(line: string): void
  /** Writes a line of data to the standard output; resolves when it accepts more. */
  write(line: string): Promise<void>
  /** Writes a line to the standard error. Progress goes there if the output is data. */
  printError(line: string): void
}

/** A verb of `npm run admin`. */
export interface Command<Of extends Options = Options> {
  /** The parameters after the verb: `<file>` is required, `[id]` is optional and last. */
  parameters?: readonly string[]
  options?: Of
  /** One line, for the list of commands. */
  summary: string
  /** Additional text for `--help`: paragraphs of complete sentences. */
  help?: readonly string[]
  /** The meaning of exit codes other than 0 done, 1 not done, 2 wrong usage. */
  exit_codes?: Readonly<Record<number, string>>
  /**
   * Returns the exit code. A failure is printed with `printError`, or thrown as an error with a message of complete sentences; the exit
   * code is then 1. Throws a `WrongUsage` for an invalid value.
   */
  run(invocation: Invocation<Of>): Promise<number>
}

/** Declares a command, so that the compiler checks the names of its options. */
export const defineCommand = <const Of extends Options>(command: Command<Of>): Command => command

/** An invalid parameter or option. The message is one sentence; usage and exit code 2 follow. */
export class WrongUsage extends Error {}
