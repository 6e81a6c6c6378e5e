import { counter } from '../platform/metrics/metrics.ts'

const logins_total = counter({
  name: 'plaza_logins_total',
  help: 'Sign-ins with a password, by what became of them.',
  labels: {
    outcome:
      '`success`, or the code of the refusal: `invalid_credentials`, `totp_required`, `invalid_totp_code`, `totp_locked`, ' +
      '`passkey_required`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`, `too_many_failures`, `account_suspended`, ' +
      '`overloaded`; `error` for anything else',
  },
})

const outcomes = [
  'success',
  'invalid_credentials',
  'totp_required',
  'invalid_totp_code',
  'totp_locked',
  'passkey_required',
  'invalid_passkey',
  'passkey_copied',
  'passkey_challenge_over',
  'too_many_failures',
  'account_suspended',
  'overloaded',
] as const

const counts = new Map<string, { add(): void }>(outcomes.map((outcome) => [outcome, logins_total.with({ outcome })]))
const others = logins_total.with({ outcome: 'error' })

/** Counts a sign-in: `success`, or the code of the failure. */
export const countLogin = (outcome: string) => (counts.get(outcome) ?? others).add()

const passkey_logins_total = counter({
  name: 'plaza_passkey_logins_total',
  help: 'Sign-ins with a passkey and no password, by what became of them.',
  labels: {
    outcome:
      '`success`, or the code of the refusal: `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`, `passkeys_unavailable`, ' +
      '`too_many_failures`, `account_suspended`, `overloaded`; `error` for anything else',
  },
})

const passkey_outcomes = [
  'success',
  'invalid_passkey',
  'passkey_copied',
  'passkey_challenge_over',
  'passkeys_unavailable',
  'too_many_failures',
  'account_suspended',
  'overloaded',
] as const

const passkey_counts = new Map<string, { add(): void }>(
  passkey_outcomes.map((outcome) => [outcome, passkey_logins_total.with({ outcome })]),
)
const other_passkeys = passkey_logins_total.with({ outcome: 'error' })

/** Counts a sign-in with a passkey and no password: `success`, or the code of the failure. */
export const countPasskeyLogin = (outcome: string) => (passkey_counts.get(outcome) ?? other_passkeys).add()
