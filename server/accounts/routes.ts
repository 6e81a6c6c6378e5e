import {
  changePassword,
  disableTotp,
  enableTotp,
  endLoginSession,
  endOtherLoginSessions,
  forgotPassword,
  listLoginSessions,
  login,
  logout,
  me,
  register,
  resetPassword,
  sendVerification,
  setLanguage,
  setupTotp,
  verifyEmail,
} from '../../contract/accounts.ts'
import {
  cancelEmailChange,
  changeEmail,
  changeUsername,
  confirmEmail,
  getEmailChange,
  renewRecoveryCodes,
  undoChange,
} from '../../contract/account-upkeep.ts'
import { confirmAddress } from '../../contract/admin-users.ts'
import { acceptedLanguage } from '../platform/texts.ts'
import { addressKey } from '../http/limits.ts'
import { mount, type Http } from '../http/mount.ts'
import * as emails from './email-change.service.ts'
import * as logins from './login.service.ts'
import { passkeyRoutes } from './passkeys.routes.ts'
import * as passwords from './password.service.ts'
import * as second_factors from './two-factor.service.ts'
import * as undos from './undo.service.ts'
import * as usernames from './usernames.service.ts'
import * as registrations from './registration.service.ts'
import { confirmLink } from './second-factor-proofs.service.ts'
import { setUserLanguage } from './store.ts'
import { endLogin, endOtherLogins, getProfile, listLogins, logOut, type AccountsDeps } from './service.ts'

export function accountsRoutes(http: Http, deps: AccountsDeps) {
  mount(http, register, async ({ body, headers }) => {
    const language = acceptedLanguage(headers['accept-language']) ?? null
    const { language: _chosen, ...user } = await registrations.register(deps, { ...body, language })
    const { points } = await getProfile(deps, user.id)
    return { user: { ...user, points } }
  })

  mount(http, login, async ({ caller, body, headers }) => {
    const origin = { address: addressKey(caller.address), user_agent: headers['user-agent'] }
    const { token, user } = await logins.logIn(deps, body, origin)
    const language = acceptedLanguage(headers['accept-language'])
    if (language !== undefined && user.language === null) await setUserLanguage(deps.db, user.id, language, true)
    return { token, user }
  })

  mount(http, logout, async ({ caller }) => {
    await logOut(deps, caller)
    return { message: 'You are signed out.' }
  })

  mount(http, me, async ({ caller }) => ({ user: await getProfile(deps, caller.user_id) }))

  mount(http, setLanguage, async ({ caller, body }) => {
    await setUserLanguage(deps.db, caller.user_id, body.language, false)
    return { message: 'Mails to you are in this language from now on.' }
  })

  mount(http, sendVerification, async ({ caller }) => {
    await registrations.requestVerification(deps, caller.user_id)
    return { message: await mailQueuedMessage(deps, 'A verification code is on its way to your e-mail address.') }
  })

  mount(http, verifyEmail, async ({ caller, body }) => {
    await registrations.verifyEmail(deps, caller, body.code)
    return { message: 'Your e-mail address is verified.' }
  })

  totpRoutes(http, deps)
  upkeepRoutes(http, deps)
  passkeyRoutes(http, deps)
  passwordRoutes(http, deps)
  sessionRoutes(http, deps)
}

/** The message of a call that queues a mail; the same whether an account has the address or not. */
async function mailQueuedMessage({ mailer }: AccountsDeps, message: string) {
  const { status } = await mailer.check()
  return status === 'ok' ? message : `${message} Mails are delayed at the moment: it comes as soon as they can be sent.`
}

function totpRoutes(http: Http, deps: AccountsDeps) {
  mount(http, setupTotp, ({ caller }) => second_factors.setUpTotp(deps, caller.user_id))

  mount(http, enableTotp, async ({ caller, body }) => ({
    message: 'Two-factor authentication is on. Keep the recovery codes: they are shown only now.',
    recovery_codes: await second_factors.enableTotp(deps, caller.user_id, body.code),
  }))

  mount(http, disableTotp, async ({ caller, body }) => {
    await second_factors.disableTotp(deps, caller.user_id, body)
    return { message: 'Two-factor authentication is off.' }
  })

  mount(http, renewRecoveryCodes, async ({ caller, body }) => ({
    message: 'These are your new recovery codes. They are shown only now; those from before are void.',
    recovery_codes: await second_factors.renewRecoveryCodes(deps, caller, body),
  }))

  mount(http, confirmAddress, async ({ body }) => {
    await confirmLink(deps, body.code)
    return { message: 'Thank you. An admin can take your second factor away now.' }
  })
}

function upkeepRoutes(http: Http, deps: AccountsDeps) {
  mount(http, changeEmail, async ({ caller, body }) => {
    await emails.requestEmailChange(deps, caller, body)
    return {
      message: await mailQueuedMessage(
        deps,
        'A code is on its way to the new address. Until it comes back, your address stays.',
      ),
    }
  })

  mount(http, getEmailChange, async ({ caller }) => {
    const change = await emails.pendingEmailChange(deps, caller.user_id)
    return { new_email: change?.new_email ?? null, expires_at: change?.expires_at ?? null }
  })

  mount(http, cancelEmailChange, async ({ caller }) => {
    await emails.cancelEmailChange(deps, caller.user_id)
    return { message: 'Your address stays as it is.' }
  })

  mount(http, confirmEmail, async ({ caller, body }) => {
    await emails.confirmEmailChange(deps, caller.user_id, body.code)
    return { message: 'Your address is changed, and verified.' }
  })

  mount(http, undoChange, async ({ body }) => {
    await undos.undoChange(deps, body)
    return {
      message:
        'Your account is as it was before the change, and everybody is signed out. Sign in with your new password.',
    }
  })

  mount(http, changeUsername, async ({ caller, body }) => {
    await usernames.changeUsername(deps, caller, body)
    return { message: 'Your name is changed.' }
  })
}

function passwordRoutes(http: Http, deps: AccountsDeps) {
  mount(http, changePassword, async ({ caller, body, headers }) => ({
    message: 'Your password is changed, and you are signed out everywhere else.',
    token: await passwords.changePassword(deps, caller.user_id, body, headers['user-agent']),
  }))

  mount(http, forgotPassword, async ({ body }) => {
    await passwords.requestReset(deps, body.email)
    return {
      message: await mailQueuedMessage(deps, 'If an account has this address, a mail with a code is on its way to it.'),
    }
  })

  mount(http, resetPassword, async ({ body }) => {
    await passwords.resetPassword(deps, body)
    return { message: 'Your new password is set. Sign in with it.' }
  })
}

function sessionRoutes(http: Http, deps: AccountsDeps) {
  mount(http, listLoginSessions, async ({ caller }) => ({ sessions: await listLogins(deps, caller) }))

  mount(http, endLoginSession, async ({ caller, params }) => {
    await endLogin(deps, caller, params.id)
    return { message: 'The session is over.' }
  })

  mount(http, endOtherLoginSessions, async ({ caller }) => {
    await endOtherLogins(deps, caller)
    return { message: 'All your other sessions are over.' }
  })
}
