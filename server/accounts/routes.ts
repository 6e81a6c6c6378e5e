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
  setupTotp,
  verifyEmail,
} from '../../contract/accounts.ts'
import { addressKey } from '../http/limits.ts'
import { mount, type Http } from '../http/mount.ts'
import * as logins from './login.service.ts'
import * as passwords from './password.service.ts'
import * as registrations from './registration.service.ts'
import { endLogin, endOtherLogins, getProfile, listLogins, logOut, type AccountsDeps } from './service.ts'

export function accountsRoutes(http: Http, deps: AccountsDeps) {
  mount(http, register, async ({ body }) => {
    const user = await registrations.register(deps, body)
    const { points } = await getProfile(deps, user.id)
    return { user: { ...user, points } }
  })

  mount(http, login, async ({ caller, body, headers }) => {
    const origin = { address: addressKey(caller.address), user_agent: headers['user-agent'] }
    const { token, user } = await logins.logIn(deps, body, origin)
    return { token, user }
  })

  mount(http, logout, async ({ caller }) => {
    await logOut(deps, caller)
    return { message: 'You are signed out.' }
  })

  mount(http, me, async ({ caller }) => ({ user: await getProfile(deps, caller.user_id) }))

  mount(http, sendVerification, async ({ caller }) => {
    await registrations.requestVerification(deps, caller.user_id)
    return { message: await mailQueuedMessage(deps, 'A verification code is on its way to your e-mail address.') }
  })

  mount(http, verifyEmail, async ({ caller, body }) => {
    await registrations.verifyEmail(deps, caller, body.code)
    return { message: 'Your e-mail address is verified.' }
  })

  totpRoutes(http, deps)
  passwordRoutes(http, deps)
  sessionRoutes(http, deps)
}

/** The message of a call that queues a mail; the same whether an account has the address or not. */
async function mailQueuedMessage({ mailer }: AccountsDeps, message: string) {
  const { status } = await mailer.check()
  return status === 'ok' ? message : `${message} Mails are delayed at the moment: it comes as soon as they can be sent.`
}

function totpRoutes(http: Http, deps: AccountsDeps) {
  mount(http, setupTotp, ({ caller }) => logins.setUpTotp(deps, caller.user_id))

  mount(http, enableTotp, async ({ caller, body }) => ({
    message: 'Two-factor authentication is on. Keep the recovery codes: they are shown only now.',
    recovery_codes: await logins.enableTotp(deps, caller.user_id, body.code),
  }))

  mount(http, disableTotp, async ({ caller, body }) => {
    await logins.disableTotp(deps, caller.user_id, body)
    return { message: 'Two-factor authentication is off.' }
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
