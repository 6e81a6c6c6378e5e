import type { Job } from '../jobs/runner.ts'
import type { Mailer } from '../platform/mail.ts'
import {
  app_decision_job,
  mailAppDecision,
  mailScopeDecision,
  scope_decision_job,
  type AppMail,
  type ScopeMail,
} from './review-mail.service.ts'
import { purgeExpired, purgeSuccessors, purgeUsedProofs } from './purge.service.ts'
import { expiry_mail_job, mailSecretExpiry, noticeExpiringSecrets, type ExpiryMail } from './client-secrets.service.ts'
import { lateHoldsJob } from './connections.service.ts'
import type { OAuthDeps } from './service.ts'
import { invitation_job, mailInvitation, mailOffer, offer_job } from './team-mails.service.ts'
import { rotateSigningKeys, type SigningKeysDeps } from './signing-keys.service.ts'

export const oauthJobs = (deps: OAuthDeps, signing: SigningKeysDeps, mailer: Mailer): Job[] => [
  {
    name: app_decision_job,
    run: (payload, job) => mailAppDecision(deps, mailer.inJob(job), payload as unknown as AppMail),
  },
  {
    name: scope_decision_job,
    run: (payload, job) => mailScopeDecision(deps, mailer.inJob(job), payload as unknown as ScopeMail),
  },
  {
    name: invitation_job,
    run: ({ invitation_id }, job) => mailInvitation(deps, mailer.inJob(job), String(invitation_id)),
  },
  {
    name: offer_job,
    run: ({ app_id, user_id }, job) =>
      mailOffer(deps, mailer.inJob(job), { app_id: String(app_id), user_id: String(user_id) }),
  },
  {
    name: expiry_mail_job,
    run: (payload, job) => mailSecretExpiry(deps, mailer.inJob(job), payload as unknown as ExpiryMail),
  },
  {
    name: 'oauth.notice_expiring_secrets',
    cron: '41 * * * *',
    run: () => noticeExpiringSecrets(deps, { rows_max: 100 }),
  },
  lateHoldsJob(deps),
  { name: 'oauth.rotate_signing_keys', cron: '23 * * * *', run: () => rotateSigningKeys(signing) },
  { name: 'oauth.wipe_successors', cron: '* * * * *', run: () => purgeSuccessors(deps, { rows_max: 10_000 }) },
  { name: 'oauth.purge_dpop_proofs', cron: '* * * * *', run: () => purgeUsedProofs(deps, { rows_max: 10_000 }) },
  { name: 'oauth.forget_what_is_over', cron: '*/10 * * * *', run: () => purgeExpired(deps, { rows_max: 10_000 }) },
]
