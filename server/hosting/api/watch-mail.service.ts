import { decisions } from '../../../contract/decisions.ts'
import { mailNotice } from '../../notices/mails.service.ts'
import { getApp } from '../../oauth/apps.service.ts'
import type { JobMailer } from '../../platform/mail.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { textIn } from '../../platform/texts.ts'
import { findDeployment } from './store.ts'
import type { Notice } from './watch.rules.ts'

export const watch_job = 'deployments.mail_owner'

export interface WatchMailDeps {
  db: Database
  /** The base of the links in mails. */
  issuer: string
}

export interface WatchMail {
  deployment_id: string
  /** The recipient. Jobs of versions before 0.3 have none and are for the owner of the app. */
  user_id?: string
  what: Notice
  cause: string
  /** The start of the outage, as ISO 8601. */
  since: string
  /** True for the last mail about this deployment within the hour. */
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

/** Mails a person of the app that a deployment is down or has recovered, unless it is destroyed. */
export async function mailOwner(deps: WatchMailDeps, mailer: JobMailer, mail: WatchMail) {
  const deployment = await findDeployment(deps.db, mail.deployment_id)
  if (!deployment || deployment.status === 'destroyed') return
  const { id, app_id, owner_id, subdomain } = deployment
  const { app_name: app } = await getApp(deps, app_id)
  const { what, since, cause, is_last } = mail
  await mailNotice(deps, mailer, {
    user_id: mail.user_id ?? owner_id,
    event: what === 'down' ? 'deployment_down' : 'deployment_back',
    name: mails[what],
    path: `/deployments/${id}?app=${app_id}`,
    values: (language) => ({ subdomain, app, since, reason: reasonIn(language, cause), is_last, mails_max }),
  })
}
