import type { Mailer } from '../platform/mail.ts'
import type { Job } from '../jobs/runner.ts'
import { email_change_job, mailEmailChange } from './email-change.service.ts'
import { farewell_job, mailFarewell } from './leaving.service.ts'
import { mailNotice, mailReset, mailUndo, notice_job, reset_job, undo_job } from './notices.service.ts'
import type { PasskeyEvent } from './passkey-answers.service.ts'
import { mailPasskeyEvent } from './passkey-mails.service.ts'
import { mailResetCode } from './password.service.ts'
import { mailVerificationCode } from './registration.service.ts'
import type { Factors } from './notices.rules.ts'
import { mailSecondFactorProof, mailSecondFactorRemoved } from './second-factor-proofs.service.ts'
import { recordTotpKeyIds } from './totp-secrets.service.ts'
import { purgeExpiredLogins, type AccountsDeps } from './service.ts'

export const accountsJobs = (deps: AccountsDeps, mailer: Mailer): Job[] => [
  {
    name: 'accounts.mail_verification_code',
    run: ({ user_id }) => mailVerificationCode(deps, mailer, String(user_id)),
  },
  {
    name: 'accounts.mail_second_factor_proof',
    run: ({ user_id }) => mailSecondFactorProof(deps, mailer, String(user_id)),
  },
  {
    name: 'accounts.mail_second_factor_removed',
    run: ({ user_id }) => mailSecondFactorRemoved(deps, mailer, String(user_id)),
  },
  { name: 'accounts.mail_reset_code', run: ({ email }) => mailResetCode(deps, mailer, String(email)) },
  { name: farewell_job, run: ({ sealed }) => mailFarewell(deps, mailer, String(sealed)) },
  { name: notice_job, run: (payload) => mailNotice(deps, mailer, payload) },
  { name: undo_job, run: ({ undo_id }) => mailUndo(deps, mailer, { undo_id: String(undo_id) }) },
  {
    name: reset_job,
    run: ({ user_id, at, factors }) =>
      mailReset(deps, mailer, { user_id: String(user_id), at: String(at), factors: factors as Factors }),
  },
  { name: email_change_job, run: ({ user_id }) => mailEmailChange(deps, mailer, String(user_id)) },
  {
    name: 'accounts.mail_passkey_notice',
    run: ({ user_id, name, event, undo_id }) =>
      mailPasskeyEvent(deps, mailer, {
        user_id: String(user_id),
        name: String(name),
        event: event as PasskeyEvent,
        ...(typeof undo_id === 'string' && { undo_id }),
      }),
  },
  {
    name: 'accounts.forget_old_logins',
    cron: '17 * * * *',
    run: () => purgeExpiredLogins(deps, { rows_max: 10_000 }),
  },
  {
    name: 'accounts.name_totp_keys',
    cron: '*/10 * * * *',
    run: async () => void (await recordTotpKeyIds(deps)),
  },
]
