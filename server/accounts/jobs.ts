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
    run: ({ user_id }, job) => mailVerificationCode(deps, mailer.inJob(job), String(user_id)),
  },
  {
    name: 'accounts.mail_second_factor_proof',
    run: ({ user_id }, job) => mailSecondFactorProof(deps, mailer.inJob(job), String(user_id)),
  },
  {
    name: 'accounts.mail_second_factor_removed',
    run: ({ user_id }, job) => mailSecondFactorRemoved(deps, mailer.inJob(job), String(user_id)),
  },
  { name: 'accounts.mail_reset_code', run: ({ email }, job) => mailResetCode(deps, mailer.inJob(job), String(email)) },
  { name: farewell_job, run: ({ sealed }, job) => mailFarewell(deps, mailer.inJob(job), String(sealed)) },
  { name: notice_job, run: (payload, job) => mailNotice(deps, mailer.inJob(job), payload) },
  { name: undo_job, run: ({ undo_id }, job) => mailUndo(deps, mailer.inJob(job), { undo_id: String(undo_id) }) },
  {
    name: reset_job,
    run: ({ user_id, at, factors }, job) =>
      mailReset(deps, mailer.inJob(job), { user_id: String(user_id), at: String(at), factors: factors as Factors }),
  },
  { name: email_change_job, run: ({ user_id }, job) => mailEmailChange(deps, mailer.inJob(job), String(user_id)) },
  {
    name: 'accounts.mail_passkey_notice',
    run: ({ user_id, name, event, undo_id }, job) =>
      mailPasskeyEvent(deps, mailer.inJob(job), {
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
