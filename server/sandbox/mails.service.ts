import { decisions } from '../../contract/decisions.ts'
import { secondsAfter, type Clock } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import { inBatches } from '../platform/in-batches.ts'
import type { Mail, Mailer } from '../platform/mail.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import type { Database } from '../platform/postgres/database.ts'
import { openSealed, seal, sealingKeys, type SealingKeys } from '../platform/secrets.ts'
import { insertMail, listMailsOf, purgeMails, type SealedMail } from './mails.store.ts'

export interface MailsDeps {
  db: Database
  clock: Clock
  /** Mails contain codes, which must not be stored in clear. */
  keys: SealingKeys
}

/** The keys that encrypt mails, derived from the service's secrets. */
export const mailKeys = (secrets: readonly [string, ...string[]]) => sealingKeys(secrets, 'sandbox mails')

const { mails_kept_days, test_person_domain } = decisions.sandbox

/**
 * Stores every mail for the console and passes it to the usual mailer: the mail server, or else the outbox folder.
 * Mails to test persons are only stored. A mail that the usual mailer rejects is also stored, and retried as usual.
 */
export function keepMails({ db, clock, keys }: MailsDeps, usual: Mailer): Mailer {
  const keep = ({ to, subject, text }: Mail) => {
    const id = newId()
    return insertMail(db, {
      id,
      address: to,
      sealed: seal(keys, JSON.stringify({ subject, text }), id),
      sent_at: clock(),
    })
  }
  return {
    ...usual,
    inJob: (job) => ({
      job,
      async send(mail) {
        await keep(mail)
        if (!mail.to.endsWith(`@${test_person_domain}`)) await usual.inJob(job).send(mail)
      },
    }),
  }
}

/** The mails to the caller's address, newest first. */
export async function listMails({ db, keys }: MailsDeps, user_id: string, query: PageQuery) {
  const size = pageSize(query)
  const rows = await listMailsOf(db, { user_id, before_id: cursorId(query), rows_max: size + 1 })
  const { data, next_cursor } = toPage(rows, size, ({ id }) => id)
  return { data: data.flatMap((row) => openMail(keys, row)), next_cursor }
}

/** Skips a mail if its key is lost; it is deleted within days anyway. */
function openMail(keys: SealingKeys, { id, sealed, sent_at }: SealedMail) {
  try {
    return [{ id, ...(JSON.parse(openSealed(keys, sealed, id)) as Pick<Mail, 'subject' | 'text'>), sent_at }]
  } catch {
    return []
  }
}

/** Deletes expired mails, in batches. */
export const purgeOldMails = ({ db, clock }: Pick<MailsDeps, 'db' | 'clock'>, { rows_max }: { rows_max: number }) =>
  inBatches(rows_max, () =>
    purgeMails(db.adHoc, { before: secondsAfter(clock(), -mails_kept_days * 86_400), rows_max }),
  )
