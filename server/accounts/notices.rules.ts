import { decisions } from '../../contract/decisions.ts'
import { utcTime } from '../platform/clock.ts'
import { mailIn } from '../platform/texts.ts'

/** The changes that a mail can undo. */
export type UndoKind = 'email' | 'totp' | 'passkey'

export type NoticeKind = 'sign_in' | 'password' | 'username' | 'totp_off' | 'recovery_codes' | 'wrong_second_factors'

export interface NoticeFacts {
  language: string | null
  username: string
  at: Date
  public_url: string
  /** Only for a sign-in. */
  place?: string | undefined
  device?: string | undefined
}

const { mailed_after } = decisions.code_tries
const { recent_days } = decisions.account_recovery

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
    username,
    public_url,
    place,
    device,
    when: utcTime(at),
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
  /** Only for an added passkey. */
  name?: string
}

const undo_mails = {
  email: 'mail.undo-email',
  totp: 'mail.undo-totp',
  passkey: 'mail.undo-passkey',
} as const satisfies Record<UndoKind, string>

/** Subject and text of the mail that can undo a change (D-107). */
export const undoText = (kind: UndoKind, { language, at, until, name = '', ...facts }: UndoFacts) =>
  mailIn(language, undo_mails[kind], {
    ...facts,
    name: oneLine(name),
    at: utcTime(at),
    until: utcTime(until),
  })

/** A person's factors besides the password. */
export interface Factors {
  passkeys: { name: string; day: string }[]
  has_totp: boolean
  recovery_codes: number
}

export interface ResetFacts {
  language: string | null
  username: string
  at: Date
  public_url: string
  /** The factors that the reset keeps, because they are older. */
  factors: Factors
}

/** Subject and text of the mail about a reset password (D-122). */
export const resetText = ({ language, username, at, public_url, factors }: ResetFacts) => {
  const { passkeys, has_totp, recovery_codes } = factors
  return mailIn(language, 'mail.password-reset', {
    username,
    public_url,
    has_totp,
    recovery_codes,
    days: recent_days,
    when: utcTime(at),
    has_factors: passkeys.length > 0 || has_totp,
    passkeys: passkeys.map(({ name, day }) => `- ${oneLine(name)} (${day})\n`).join(''),
  })
}

const oneLine = (name: string) => name.replace(/\s+/g, ' ')

/** The prefix of network addresses in one neighbourhood: IPv4 /24, IPv6 /64. */
export const neighbourhood = (address: string) =>
  /^\d+\.\d+\.\d+\.\d+$/.test(address) ? address.slice(0, address.lastIndexOf('.') + 1) : address
