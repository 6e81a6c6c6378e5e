import type { Command } from './command.ts'

const usual_exit_codes: Readonly<Record<number, string>> = { 0: 'done', 1: 'not done', 2: 'wrong usage' }

const database_sentence =
  'The command uses the database of the service: DATABASE_URL, or the embedded one in DATA_DIR. The service may be running.'

/** Two columns: names and their descriptions. */
function columns(rows: readonly (readonly [string, string])[]) {
  const width = Math.max(24, ...rows.map(([name]) => name.length + 4))
  return rows.map(([name, text]) => `  ${name}`.padEnd(width) + text)
}

const signature = (verb: string, { parameters = [] }: Command) => [verb, ...parameters].join(' ')

const exitCodes = (codes: Readonly<Record<number, string>>) =>
  `Exit code: ${Object.entries(codes)
    .map(([code, text]) => `${code} ${text}`)
    .join(', ')}.`

/** The output of `npm run admin -- --help`. */
export const usageOfAll = (commands: Readonly<Record<string, Command>>) =>
  [
    'Usage: npm run admin -- <command>',
    '',
    ...columns([
      ...Object.entries(commands).map(([verb, command]) => [signature(verb, command), command.summary] as const),
      ['--help', 'shows this; behind a command, what that takes'],
    ]),
    '',
    database_sentence,
    exitCodes(usual_exit_codes),
    '',
  ].join('\n')

/** The output of `npm run admin -- <verb> --help`. */
export function usageOf(verb: string, command: Command) {
  const options = Object.entries(command.options ?? {})
  return [
    `Usage: npm run admin -- ${signature(verb, command)}${options.length > 0 ? ' [options]' : ''}`,
    '',
    `${verb}: ${command.summary}`,
    ...(command.help ?? []).flatMap((paragraph) => ['', paragraph]),
    '',
    ...columns([
      ...options.map(
        ([name, { value, summary }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, summary] as const,
      ),
      ['--help', 'shows this'],
    ]),
    '',
    database_sentence,
    exitCodes({ ...usual_exit_codes, ...command.exit_codes }),
    '',
  ].join('\n')
}
