import { counter } from '../platform/metrics/metrics.ts'

const logins_total = counter({
  name: 'plaza_logins_total',
  help: 'Sign-ins with a password, by what became of them.',
  labels: {
    outcome:
      '`success`, or the code of the refusal: `invalid_credentials`, `totp_required`, `invalid_totp_code`, `totp_locked`, ' +
      '`too_many_failures`, `account_suspended`, `overloaded`; `error` for anything else',
  },
})

const outcomes = [
  'success',
  'invalid_credentials',
  'totp_required',
  'invalid_totp_code',
  'totp_locked',
  'too_many_failures',
  'account_suspended',
  'overloaded',
] as const

const counts = new Map<string, { add(): void }>(outcomes.map((outcome) => [outcome, logins_total.with({ outcome })]))
const others = logins_total.with({ outcome: 'error' })

/** Counts a sign-in: `success`, or the code of the failure. */
export const countLogin = (outcome: string) => (counts.get(outcome) ?? others).add()
