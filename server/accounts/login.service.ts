import { Failure } from '../platform/failure.ts'
import { countFailure, refuseTooManyFailures } from './login-throttle.service.ts'
import { countLogin } from './metrics.ts'
import { noteSignIn } from './notices.service.ts'
import { requireSecondFactor } from './second-factor.service.ts'
import type { AccountsDeps } from './service.ts'
import { beginSession } from './sessions.service.ts'
import { findUserByEmail, setUserLanguage } from './store.ts'
import type { PasskeyAnswer } from './webauthn.service.ts'

export interface Login {
  email: string
  password: string
  totp_code?: string
  /** The passkey's answer to the options in a refusal (D-108). */
  passkey?: PasskeyAnswer
}

export interface LoginOrigin {
  /** The network address; for IPv6 its /64. */
  address: string
  user_agent: string | undefined
}

/** With the language that the client accepts; it becomes the language of mails if the person has none (D-125). */
type LanguageOrigin = LoginOrigin & { language: string | undefined }

/**
 * Signs a user in (D-13, D-14). An unknown address and a wrong password get the same response in about the same time,
 * also beyond the failure limits (D-91). The second factor is checked only after a right password, so that strangers
 * cannot use up its attempts. Fails with `invalid_credentials`, `too_many_failures`, `account_suspended`, or as
 * `requireSecondFactor` does.
 */
export async function logIn(deps: AccountsDeps, login: Login, origin: LanguageOrigin) {
  try {
    const signed_in = await checkCredentials(deps, login, origin)
    countLogin('success')
    return signed_in
  } catch (error) {
    countLogin(error instanceof Failure ? error.code : 'error')
    throw error
  }
}

/** The checks of a login, in order. */
async function checkCredentials(
  deps: AccountsDeps,
  { email, password, ...second_factor }: Login,
  { address, user_agent, language }: LanguageOrigin,
) {
  const user = await findUserByEmail(deps.db, email)
  const attempt = { user_id: user?.id ?? null, email, address }
  await refuseTooManyFailures(deps, attempt)
  const matches = await deps.passwords.matches(user?.password_hash, password)
  if (!user || !matches) {
    await countFailure(deps, attempt)
    throw new Failure('invalid_credentials', { user_id: user?.id })
  }
  await refuseTooManyFailures(deps, attempt)
  if (user.suspended) throw new Failure('account_suspended', { user_id: user.id })
  await requireSecondFactor(deps, user, second_factor)
  const token = await beginSession(deps, deps.db, { user_id: user.id, password_hash: user.password_hash, user_agent })
  await noteSignIn(deps, { user_id: user.id, address, user_agent })
  if (language !== undefined && user.language === null) await setUserLanguage(deps.db, user.id, language, true)
  return { token, user }
}
