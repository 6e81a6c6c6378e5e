import { decisions } from '../../contract/decisions.ts'
import type { GatheredKind } from '../../contract/kinds/notices.ts'
import { findPerson } from '../accounts/service.ts'
import { inBatches } from '../platform/in-batches.ts'
import type { JobMailer } from '../platform/mail.ts'
import { enqueue } from '../platform/queue.ts'
import { noticesText } from './mails.rules.ts'
import type { NoticesDeps } from './service.ts'
import { claimMails, listUnmailed, setMailed } from './settings.store.ts'

export const mail_job = 'notices.mail'

const { mailed_max } = decisions.notices

/** Queues the gathered mails that are due, each with its claim in one transaction: any number of runs at once queue each once. */
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

/**
 * Mails what a person has not read of a kind, nor been mailed before. Who left, is suspended or never verified the address gets no mail.
 */
export async function mailNotices(
  { db, clock, issuer }: NoticesMailDeps,
  mailer: JobMailer,
  { user_id, kind }: { user_id: string; kind: GatheredKind },
) {
  const user = await findPerson(db, user_id)
  if (!user || user.suspended || !user.email_verified) return
  const unread = await listUnmailed(db, { user_id, kind, rows_max: mailed_max + 1 })
  const [newest] = unread
  if (!newest) return
  const shown = unread.slice(0, mailed_max)
  const { username, language } = user
  const facts = { username, language, kind, has_more: unread.length > mailed_max, issuer }
  await mailer.send({ to: user.email, ...noticesText(shown, facts) })
  await setMailed(db, { user_id, kind, id: newest.id, now: clock() })
}
