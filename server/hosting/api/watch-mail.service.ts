import { decisions } from '../../../contract/decisions.ts'
import { getUser } from '../../accounts/service.ts'
import { wantsMail } from '../../notices/settings.service.ts'
import { getApp } from '../../oauth/apps.service.ts'
import type { Mailer } from '../../platform/mail.ts'
import type { Database } from '../../platform/postgres/database.ts'
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

const { outage_seconds, mails_max } = decisions['D-104'].value

const reasons: Record<string, string> = {
  crash_loop: 'Its program ended again and again.',
  oom_killed: 'It needed more memory than its tier allows.',
  start_timeout: 'Its port did not answer in time after it was started.',
  start_failed: 'It could not be started.',
  image_not_found: 'Its image was not found in the registry.',
  registry_auth_failed: 'The registry refused its image.',
  unreachable: `Its port has not answered for ${outage_seconds / 60} minutes.`,
}

const subjects: Record<Notice, (name: string) => string> = {
  down: (name) => `${name} is down`,
  back: (name) => `${name} is back`,
  recovered: (name) => `${name} was down and is back`,
}

/** Mails the owner of a deployment that it is down, or back. Nobody is mailed of a destroyed one, nor a suspended owner. */
export async function mailOwner({ db, issuer }: WatchMailDeps, mailer: Mailer, mail: WatchMail) {
  const deployment = await findDeployment(db, mail.deployment_id)
  if (!deployment || deployment.status === 'destroyed') return
  const { id, app_id, owner_id, subdomain } = deployment
  const owner = await getUser(db, owner_id)
  if (owner.suspended || !(await wantsMail(db, owner_id, 'deployments'))) return
  const { app_name } = await getApp({ db }, app_id)
  const reason = reasons[mail.cause] ?? 'It could not be run.'
  const text = {
    down: `${subdomain} of ${app_name} has been down since ${mail.since}.\n\n${reason}\n\nIts state, its releases and its output:`,
    back: `${subdomain} of ${app_name} answers again. It had been down since ${mail.since}.\n\nIts state:`,
    recovered: `${subdomain} of ${app_name} was down from ${mail.since} on, and answers again.\n\n${reason}\n\nIts releases say what serves now:`,
  }[mail.what]
  const note = mail.is_last
    ? `\nThis was mail ${mails_max} about it within an hour. The next one comes when the hour is over, if there is something to tell.\n`
    : ''
  await mailer.send({
    to: owner.email,
    subject: subjects[mail.what](subdomain),
    text: `Hello ${owner.username},\n\n${text}\n\n${issuer}/deployments/${id}?app=${app_id}\n${note}`,
  })
}
