import { mailNotice } from '../notices/mails.service.ts'
import { decisions } from '../../contract/decisions.ts'
import type { Clock } from '../platform/clock.ts'
import type { JobMailer } from '../platform/mail.ts'
import { mailIn, oneLine, textIn } from '../platform/texts.ts'
import { findApp } from './apps.store.ts'
import type { MailDeps } from './review-mail.service.ts'
import { findInvitation } from './teams.store.ts'

export const invitation_job = 'teams.mail_invitation'
export const offer_job = 'teams.mail_offer'

const { invitation_days: days } = decisions.teams

/** Mails an invitation, if still valid, to its address, in the language of the address's owner. */
export async function mailInvitation(
  { db, clock, issuer }: MailDeps & { clock: Clock },
  mailer: JobMailer,
  id: string,
) {
  const found = await findInvitation(db, id, clock())
  if (!found) return
  const { team_name: team, language, invited_by_username: inviter, role, email } = found
  const values = {
    team,
    team_line: oneLine(team),
    inviter,
    role: roleIn(language, role),
    days,
    link: `${issuer}/invitations`,
  }
  await mailer.send({ to: email, ...mailIn(language, 'mail.team-invitation', values) })
}

const role_texts = {
  viewer: 'mail.team-role.viewer',
  developer: 'mail.team-role.developer',
  admin: 'mail.team-role.admin',
  owner: 'mail.team-role.owner',
} as const
const roleIn = (language: string | null, role: keyof typeof role_texts) => textIn(language, role_texts[role], {})

/** Mails a person that an app is offered to them. */
export async function mailOffer(
  deps: MailDeps,
  mailer: JobMailer,
  { app_id, user_id }: { app_id: string; user_id: string },
) {
  const app = await findApp(deps.db, app_id)
  if (!app) return
  await mailNotice(deps, mailer, {
    user_id,
    event: 'app_offered',
    name: 'mail.app-offered',
    path: '/invitations',
    values: () => ({ app: app.app_name, app_line: oneLine(app.app_name), days }),
  })
}
