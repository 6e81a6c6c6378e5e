import { decisions } from '../../../contract/decisions.ts'
import { getUser } from '../../accounts/service.ts'
import { wantsMail } from '../../notices/settings.service.ts'
import { getApp } from '../../oauth/apps.service.ts'
import type { JobMailer } from '../../platform/mail.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { mailIn, textIn } from '../../platform/texts.ts'
import { findDeployment } from './store.ts'
import type { Notice } from './watch.rules.ts'

export interface WatchMailDeps {
  db: Database
  /** The base of the links in mails. */
  issuer: string
}

export interface WatchMail {
  deployment_id: string
  what: Notice
  cause: string
  /** Since when it was down, as ISO 8601. */
  since: string
  /** Of the mails about it in this hour. */
  is_last: boolean
}

const { outage_seconds, mails_max } = decisions.deployment_upkeep

const reasons = {
  crash_loop: 'mail.watch-reason.crash-loop',
  oom_killed: 'mail.watch-reason.oom-killed',
  start_timeout: 'mail.watch-reason.start-timeout',
  start_failed: 'mail.watch-reason.start-failed',
  image_not_found: 'mail.watch-reason.image-not-found',
  registry_auth_failed: 'mail.watch-reason.registry-auth-failed',
} as const

function reasonIn(language: string | null, cause: string) {
  if (cause === 'unreachable')
    return textIn(language, 'mail.watch-reason.unreachable', { minutes: outage_seconds / 60 })
  return textIn(language, reasons[cause as keyof typeof reasons] ?? 'mail.watch-reason.other', {})
}

const mails = {
  down: 'mail.watch-down',
  back: 'mail.watch-back',
  recovered: 'mail.watch-recovered',
} as const satisfies Record<Notice, string>

/** Mails the owner of a deployment that it is down, or back. Nobody is mailed of a destroyed one, nor a suspended owner. */
export async function mailOwner({ db, issuer }: WatchMailDeps, mailer: JobMailer, mail: WatchMail) {
  const deployment = await findDeployment(db, mail.deployment_id)
  if (!deployment || deployment.status === 'destroyed') return
  const { id, app_id, owner_id, subdomain } = deployment
  const owner = await getUser(db, owner_id)
  if (owner.suspended || !(await wantsMail(db, owner_id, 'deployments'))) return
  const { app_name } = await getApp({ db }, app_id)
  const facts = {
    username: owner.username,
    subdomain,
    app: app_name,
    since: mail.since,
    reason: reasonIn(owner.language, mail.cause),
    link: `${issuer}/deployments/${id}?app=${app_id}`,
    issuer,
    is_last: mail.is_last,
    mails_max,
  }
  await mailer.send({ to: owner.email, ...mailIn(owner.language, mails[mail.what], facts) })
}
