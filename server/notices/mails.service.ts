import { decisions } from '../../contract/decisions.ts'
import { notices as events, type GatheredKind, type MailedEvent } from '../../contract/kinds/notices.ts'
import { findPerson } from '../accounts/service.ts'
import { inBatches } from '../platform/in-batches.ts'
import type { JobMailer } from '../platform/mail.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { enqueue } from '../platform/queue.ts'
import { anyMailIn, textIn, type MailName, type MailValues } from '../platform/texts.ts'
import { noticesText } from './mails.rules.ts'
import type { NoticesDeps } from './service.ts'
import { wantsMail } from './settings.service.ts'
import { claimMails, listUnmailed, setMailed } from './settings.store.ts'

export const mail_job = 'notices.mail'

const { mailed_max } = decisions.notices

/** Queues due gathered mails, each in one transaction with its claim, so that parallel runs queue each mail once. */
export const queueMails = ({ db, clock }: NoticesDeps, { rows_max }: { rows_max: number }) =>
  inBatches(rows_max, () =>
    db.transaction(async (tx) => {
      const due = await claimMails(tx, { now: clock(), rows_max })
      for (const { user_id, kind } of due) await enqueue(tx, mail_job, { user_id, kind }, { priority: 'mail' })
      return due.length
    }),
  )

export interface NoticesMailDeps extends NoticesDeps {
  /** The base of the links in mails. */
  issuer: string
}

/** The person, if they can get mails about notices: still there, not suspended, with a verified address. */
async function findReceiver(db: Sql, user_id: string) {
  const user = await findPerson(db, user_id)
  return user && !user.suspended && user.email_verified ? user : undefined
}

/** Every mail about notices ends with the page that turns it off. */
const withFooter = ({ text, ...mail }: ReturnType<typeof anyMailIn>, language: string | null, issuer: string) => ({
  ...mail,
  text: `${text.trimEnd()}\n\n${textIn(language, 'mail.notices.off', { link: `${issuer}/account/notices` })}\n`,
})

export interface NoticeMail<Name extends MailName> {
  user_id: string
  event: MailedEvent
  name: Name
  /** The console page that the mail links to. */
  path: string
  values: (language: string | null) => MailValues<Name, 'username' | 'link'>
}

/** Mails one event immediately, unless the person turned off mails of its kind. */
export async function mailNotice<Name extends MailName>(
  { db, issuer }: { db: Sql; issuer: string },
  mailer: JobMailer,
  { user_id, event, name, path, values }: NoticeMail<Name>,
) {
  const user = await findReceiver(db, user_id)
  if (!user || !(await wantsMail(db, user_id, events[event].kind))) return
  const { username, language, email } = user
  const mail = anyMailIn(language, name, { ...values(language), username, link: issuer + path })
  await mailer.send({ to: email, ...withFooter(mail, language, issuer) })
}

/** Mails the notices of a kind that the person has neither read nor been mailed. */
export async function mailNotices(
  { db, clock, issuer }: NoticesMailDeps,
  mailer: JobMailer,
  { user_id, kind }: { user_id: string; kind: GatheredKind },
) {
  const user = await findReceiver(db, user_id)
  if (!user) return
  const unread = await listUnmailed(db, { user_id, kind, rows_max: mailed_max + 1 })
  const [newest] = unread
  if (!newest) return
  const shown = unread.slice(0, mailed_max)
  const { username, language } = user
  const facts = { username, language, kind, has_more: unread.length > mailed_max, issuer }
  await mailer.send({ to: user.email, ...withFooter(noticesText(shown, facts), language, issuer) })
  await setMailed(db, { user_id, kind, id: newest.id, now: clock() })
}
