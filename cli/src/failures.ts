import { isPlazaError, type PlazaError } from '@plaza/client'

/** The exit codes of `plaza`, which its help lists. */
export const exit_codes = {
  failed: 1,
  usage: 2,
  not_signed_in: 3,
  refused: 4,
  unreachable: 5,
  unknown_outcome: 6,
  interrupted: 130,
} as const

/** A failure with a message for people and an exit code. */
export class CliError extends Error {
  readonly exit_code: number
  /** For programs. */
  readonly code: string
  readonly facts: object

  constructor(kind: keyof typeof exit_codes, message: string, { code = kind as string, ...facts } = {}) {
    super(message)
    this.exit_code = exit_codes[kind]
    this.code = code
    this.facts = facts
  }
}

export const usage = (message: string) => new CliError('usage', message)

/** Messages for refusals whose own message does not help in a terminal. */
const sentences: Readonly<Record<string, [kind: keyof typeof exit_codes, sentence: string]>> = {
  invalid_client: ['not_signed_in', 'The key is wrong, has expired, or was deleted. Run “plaza login” again.'],
  invalid_grant: ['not_signed_in', 'The sign-in took too long, or was used already. Run “plaza login” again.'],
  validation_failed: ['refused', 'Plaza refuses these values:'],
  app_not_approved: ['refused', 'An admin has not approved the app yet.'],
  insufficient_scope: ['refused', 'The app lacks the scope deploy:manage: request it in the console, under Scopes.'],
  aborted: ['interrupted', 'Interrupted.'],
}

const key_of_environment =
  'The key is wrong, has expired, or was deleted. Check PLAZA_URL, PLAZA_CLIENT_ID and PLAZA_CLIENT_SECRET.'

/** The failure of a call, for people. */
export function failureOf(error: unknown, url: string, env = process.env): CliError {
  if (error instanceof CliError) return error
  if (!isPlazaError(error)) return new CliError('failed', error instanceof Error ? error.message : String(error))
  const { code, request_id } = error
  const facts = { code, ...(request_id !== undefined && { request_id }) }
  if (code === 'no_answer' || code === 'timed_out')
    return new CliError('unreachable', `${url} does not answer: ${reasonOf(error)}.`, facts)
  if (code === 'not_understood' || code.startsWith('http_'))
    return new CliError('unreachable', `${url} does not answer as Plaza does. Check the address.`, facts)
  if (code === 'invalid_client' && env.PLAZA_CLIENT_ID) return new CliError('not_signed_in', key_of_environment, facts)
  const [kind, sentence] = sentences[code] ?? ['refused', error.detail]
  return new CliError(kind, [sentence, ...hintsOf(error)].join('\n'), facts)
}

function reasonOf({ code, cause, detail }: PlazaError) {
  if (code === 'timed_out') return 'no answer in time'
  const { cause: inner } = (cause ?? {}) as { cause?: { code?: string } }
  return inner?.code ?? detail
}

/** The further fields of a refusal. */
function hintsOf({ fields, body, retry_after }: PlazaError) {
  const { allowed, permission } = (body ?? {}) as { allowed?: string[]; permission?: string }
  return [
    ...fields.map(({ path, message }) => `${path} ${message}`),
    ...(allowed ? [`Images may come from: ${allowed.join(', ')}`] : []),
    ...(permission === undefined ? [] : [`The call needs the permission ${permission}.`]),
    ...(retry_after === undefined ? [] : [`Try again in ${retry_after} s.`]),
  ]
}
