export type NoticeKind = 'sign_in' | 'password' | 'username' | 'totp_off' | 'recovery_codes'

export interface NoticeFacts {
  username: string
  at: Date
  public_url: string
  /** Of a sign-in. */
  place?: string | undefined
  device?: string | undefined
}

const timeText = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const not_you = (public_url: string) =>
  `If this was not you, set a new password at ${public_url}/forgot-password and look through your sign-ins at ` +
  `${public_url}/account/sessions.`

/** Subject and text of the mail about a change or sign-in (D-107). */
export function noticeText(kind: NoticeKind, { username, at, public_url, place, device }: NoticeFacts) {
  const hello = `Hello ${username},\n\n`
  const end = `\n\n${not_you(public_url)}\n`
  const when = timeText(at)
  switch (kind) {
    case 'sign_in':
      return {
        subject: 'A sign-in to Plaza from a new place',
        text: `${hello}your account was signed in to at ${when} from the network address ${place}, with ${device ?? 'an unknown program'}.${end}`,
      }
    case 'password':
      return { subject: 'Your Plaza password was changed', text: `${hello}your password was changed at ${when}.${end}` }
    case 'username':
      return {
        subject: 'Your Plaza name was changed',
        text: `${hello}this is your name since ${when}. The one before stays reserved for you for some weeks.${end}`,
      }
    case 'totp_off':
      return {
        subject: 'Two-factor authentication was turned off',
        text: `${hello}signing in to your account takes no second factor any more, since ${when}.${end}`,
      }
    case 'recovery_codes':
      return {
        subject: 'New recovery codes for your Plaza account',
        text: `${hello}new recovery codes were made at ${when}. The ones from before do not work any more.${end}`,
      }
  }
}

export interface UndoFacts {
  username: string
  at: Date
  until: Date
  link: string
  code: string
}

/** Subject and text of the mail that can take a change back (D-107). */
export function undoText(kind: 'email' | 'totp', { username, at, until, link, code }: UndoFacts) {
  const what =
    kind === 'email'
      ? `your account has another e-mail address since ${timeText(at)}. Mails go there from now on.`
      : `signing in to your account takes a second factor since ${timeText(at)}.`
  return {
    subject: kind === 'email' ? 'Your Plaza address was changed' : 'Two-factor authentication was turned on',
    text:
      `Hello ${username},\n\n${what}\n\nIf this was you, there is nothing to do. If it was not, take it back until ${timeText(until)}:\n\n` +
      `${link}\n\nor enter this code there:\n\n${code}\n\n` +
      'That sets a new password and signs everybody out of the account.\n',
  }
}

/** The beginning that network addresses of one neighbourhood have in common: IPv4 /24, IPv6 /64. */
export const neighbourhood = (address: string) =>
  /^\d+\.\d+\.\d+\.\d+$/.test(address) ? address.slice(0, address.lastIndexOf('.') + 1) : address
