import { mails_delayed, success_messages } from '../../contract/success-messages.ts'
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
  proveOwner,
  register,
  renewSession,
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
import { addressKey } from '../platform/networks.ts'
import { removePicture, setPicture, updateProfile } from '../../contract/profiles.ts'
import { answer, mount, type Http } from '../http/mount.ts'
import * as emails from './email-change.service.ts'
import { keepSignedIn, renew } from './kept-sessions.service.ts'
import * as logins from './login.service.ts'
import { passkeyRoutes } from './passkeys.routes.ts'
import * as passwords from './password.service.ts'
import * as profiles from './profiles.service.ts'
import { prove } from './proof.service.ts'
import * as second_factors from './two-factor.service.ts'
import * as undos from './undo.service.ts'
import * as usernames from './usernames.service.ts'
import * as registrations from './registration.service.ts'
import { confirmLink } from './second-factor-proofs.service.ts'
import { chooseLanguage, getProfile, type AccountsDeps } from './service.ts'
import { endLogin, endOtherLogins, listLogins, logOut } from './sessions.service.ts'

export function accountsRoutes(http: Http, deps: AccountsDeps) {
  mount(http, register, async ({ body, headers }) => {
    const language = acceptedLanguage(headers['accept-language']) ?? null
    const { language: _chosen, ...user } = await registrations.register(deps, { ...body, language })
    const { points } = await getProfile(deps, user.id)
    return { user: { ...user, points } }
  })

  mount(http, login, async ({ caller, body, headers, note }) => {
    note({ address: caller.address })
    const language = acceptedLanguage(headers['accept-language'])
    const origin = { address: addressKey(caller.address), user_agent: headers['user-agent'], language }
    const { token, user } = await logins.logIn(deps, body, origin)
    note({ user_id: user.id })
    return answer({ token, user }, { headers: await keepSignedIn(deps, token, headers) })
  })

  mount(http, renewSession, async ({ caller, headers }) => {
    const { token, headers: cookie } = await renew(deps, caller, headers)
    return answer({ token }, { headers: cookie })
  })

  mount(http, logout, async ({ caller }) => {
    await logOut(deps, caller)
    return { message: success_messages.signed_out }
  })

  mount(http, me, async ({ caller }) => ({ user: await getProfile(deps, caller.user_id) }))

  mount(http, updateProfile, async ({ caller, body }) => ({
    user: await profiles.updateProfile(deps, caller, body),
  }))

  mount(http, setPicture, async ({ caller, body }) => ({
    user: await profiles.setPicture(deps, caller, body.picture),
  }))

  mount(http, removePicture, async ({ caller }) => ({ user: await profiles.removePicture(deps, caller) }))

  mount(http, setLanguage, async ({ caller, body }) => {
    await chooseLanguage(deps, caller.user_id, body.language)
    return { message: success_messages.language_set }
  })

  mount(http, sendVerification, async ({ caller }) => {
    await registrations.requestVerification(deps, caller.user_id)
    return { message: await mailQueuedMessage(deps, success_messages.code_mailed) }
  })

  mount(http, verifyEmail, async ({ caller, body }) => {
    await registrations.verifyEmail(deps, caller, body.code)
    return { message: success_messages.address_verified }
  })

  totpRoutes(http, deps)
  upkeepRoutes(http, deps)
  passkeyRoutes(http, deps)
  passwordRoutes(http, deps)
  sessionRoutes(http, deps)
}

/** The message of a call that queues a mail; the same whether an account has the address or not. */
async function mailQueuedMessage<Message extends string>({ mailer }: AccountsDeps, message: Message) {
  const { status } = await mailer.check()
  return status === 'ok' ? message : (`${message} ${mails_delayed}` as const)
}

function totpRoutes(http: Http, deps: AccountsDeps) {
  mount(http, setupTotp, ({ caller }) => second_factors.setUpTotp(deps, caller.user_id))

  mount(http, enableTotp, async ({ caller, body }) => ({
    message: success_messages.totp_on,
    recovery_codes: await second_factors.enableTotp(deps, caller, body),
  }))

  mount(
    http,
    disableTotp,
    async ({ caller, body }) => {
      await second_factors.disableTotp(deps, caller, body)
      return { message: success_messages.totp_off }
    },
    { rules: second_factors.disableErrors },
  )

  mount(http, renewRecoveryCodes, async ({ caller, body }) => ({
    message: success_messages.recovery_codes_new,
    recovery_codes: await second_factors.renewRecoveryCodes(deps, caller, body),
  }))

  mount(http, confirmAddress, async ({ body }) => {
    await confirmLink(deps, body.code)
    return { message: success_messages.address_proved }
  })
}

function upkeepRoutes(http: Http, deps: AccountsDeps) {
  mount(http, changeEmail, async ({ caller, body }) => {
    await emails.requestEmailChange(deps, caller, body)
    return {
      message: await mailQueuedMessage(deps, success_messages.address_code_mailed),
    }
  })

  mount(http, getEmailChange, async ({ caller }) => {
    const change = await emails.pendingEmailChange(deps, caller.user_id)
    return { new_email: change?.new_email ?? null, expires_at: change?.expires_at ?? null }
  })

  mount(http, cancelEmailChange, async ({ caller }) => {
    await emails.cancelEmailChange(deps, caller.user_id)
    return { message: success_messages.address_kept }
  })

  mount(http, confirmEmail, async ({ caller, body }) => {
    await emails.confirmEmailChange(deps, caller, body.code)
    return { message: success_messages.address_changed }
  })

  mount(http, undoChange, async ({ body }) => {
    await undos.undoChange(deps, body)
    return {
      message: body.new_password === undefined ? success_messages.change_taken_back : success_messages.change_undone,
    }
  })

  mount(http, changeUsername, async ({ caller, body }) => {
    await usernames.changeUsername(deps, caller, body)
    return { message: success_messages.name_changed }
  })
}

function passwordRoutes(http: Http, deps: AccountsDeps) {
  mount(
    http,
    changePassword,
    async ({ caller, body, headers }) => {
      const token = await passwords.changePassword(deps, caller, body, headers['user-agent'])
      const message = success_messages.password_changed
      return answer({ message, token }, { headers: await keepSignedIn(deps, token, headers) })
    },
    { rules: passwords.changeErrors },
  )

  mount(http, forgotPassword, async ({ body }) => {
    await passwords.requestReset(deps, body.email)
    return {
      message: await mailQueuedMessage(deps, success_messages.reset_mailed),
    }
  })

  mount(http, resetPassword, async ({ body }) => {
    await passwords.resetPassword(deps, body)
    return { message: success_messages.password_reset }
  })
}

function sessionRoutes(http: Http, deps: AccountsDeps) {
  mount(http, listLoginSessions, async ({ caller }) => ({ sessions: await listLogins(deps, caller) }))

  mount(http, endLoginSession, async ({ caller, params }) => {
    await endLogin(deps, caller, params.id)
    return { message: success_messages.session_over }
  })

  mount(http, proveOwner, async ({ caller, body }) => ({ proved_until: await prove(deps, caller, body) }))

  mount(http, endOtherLoginSessions, async ({ caller }) => {
    await endOtherLogins(deps, caller)
    return { message: success_messages.sessions_over }
  })
}
