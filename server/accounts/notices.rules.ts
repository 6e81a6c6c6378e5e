import { decisions } from '../../contract/decisions.ts'
import { mailIn } from '../platform/texts.ts'

export type NoticeKind = 'sign_in' | 'password' | 'username' | 'totp_off' | 'recovery_codes' | 'wrong_second_factors'

export interface NoticeFacts {
  language: string | null
  username: string
  at: Date
  public_url: string
  /** Of a sign-in. */
  place?: string | undefined
  device?: string | undefined
}

const { mailed_after } = decisions['D-121'].value

const timeText = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const notice_mails = {
  sign_in: 'mail.sign-in',
  password: 'mail.password-changed',
  username: 'mail.username-changed',
  totp_off: 'mail.totp-off',
  recovery_codes: 'mail.recovery-codes',
  wrong_second_factors: 'mail.wrong-second-factors',
} as const satisfies Record<NoticeKind, string>

/** Subject and text of the mail about a change or sign-in (D-107). */
export const noticeText = (
  kind: NoticeKind,
  { language, username, at, public_url, place = '', device = '' }: NoticeFacts,
) =>
  mailIn(language, notice_mails[kind], {
    ...{ username, public_url, place, device },
    when: timeText(at),
    has_device: device !== '',
    tries: mailed_after,
  })

export interface UndoFacts {
  language: string | null
  username: string
  at: Date
  until: Date
  link: string
  code: string
}

/** Subject and text of the mail that can take a change back (D-107). */
export const undoText = (kind: 'email' | 'totp', { language, at, until, ...facts }: UndoFacts) =>
  mailIn(language, kind === 'email' ? 'mail.undo-email' : 'mail.undo-totp', {
    ...facts,
    at: timeText(at),
    until: timeText(until),
  })

/** The beginning that network addresses of one neighbourhood have in common: IPv4 /24, IPv6 /64. */
export const neighbourhood = (address: string) =>
  /^\d+\.\d+\.\d+\.\d+$/.test(address) ? address.slice(0, address.lastIndexOf('.') + 1) : address
