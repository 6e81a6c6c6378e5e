import { notice_kinds, noticeKindsOf, type NoticeKind } from '../../contract/kinds/notices.ts'
import { getUser } from '../accounts/service.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { isMailedAtFirst } from './rules.ts'
import { findSetting, listSettings, putSetting } from './settings.store.ts'

/** The kinds that a person gets in the console and by mail, in the order of the contract. */
export async function settingsOf({ db }: { db: Sql }, user_id: string) {
  const [user, chosen] = await Promise.all([getUser(db, user_id), listSettings(db, user_id)])
  const by_kind = new Map(chosen.map((setting) => [setting.kind, setting]))
  return noticeKindsOf(user).map((kind) => by_kind.get(kind) ?? { kind, console: true, mail: isMailedAtFirst(kind) })
}

/**
 * Changes whether a kind is muted or mailed. Fails with `not_found` for a kind that the person cannot get, and with
 * `validation_failed` without a change.
 */
export async function changeSetting(
  { db }: { db: Sql },
  user_id: string,
  { kind, console, mail }: { kind: NoticeKind; console?: boolean; mail?: boolean },
) {
  if (console === undefined && mail === undefined) throw invalidField('console', 'or_mail')
  if (!noticeKindsOf(await getUser(db, user_id)).includes(kind)) throw new Failure('not_found', { kind })
  return putSetting(db, {
    user_id,
    kind,
    console: console ?? null,
    mail: mail ?? null,
    mail_default: isMailedAtFirst(kind),
  })
}

/** Whether a person wants mails of a kind that is mailed immediately. */
export const wantsMail = async (db: Sql, user_id: string, kind: NoticeKind) =>
  (await findSetting(db, user_id, kind))?.mail ?? isMailedAtFirst(kind)

/** All settings of a person, unprocessed, for the export. */
export const exportSettings = async (db: Sql, user_id: string) => {
  const chosen = new Map((await listSettings(db, user_id)).map((setting) => [setting.kind, setting]))
  return notice_kinds.flatMap((kind) => chosen.get(kind) ?? [])
}
