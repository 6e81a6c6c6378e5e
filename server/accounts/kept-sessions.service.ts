import type { UserCaller } from '../../contract/caller.ts'
import { decisions } from '../../contract/decisions.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newSecret, sha256 } from '../platform/secrets.ts'
import type { AccountsDeps } from './service.ts'
import { sessionTag, signSession } from './sessions.service.ts'
import { keepSession, renewSession } from './sessions.store.ts'

const { admin_max_seconds, overlap_seconds } = decisions.kept_sessions

/** The request headers that decide whether a cookie is set. */
interface CookieHeaders {
  cookie?: string | undefined
  'sec-fetch-site'?: string | string[] | undefined
}

/** Cookies are not separated by port, so a sandbox on the same host has its own name. */
const cookieName = ({ is_sandbox }: Pick<AccountsDeps, 'is_sandbox'>) =>
  is_sandbox ? '__Host-plaza_sandbox_session' : '__Host-plaza_session'

const setCookie = (deps: AccountsDeps, secret: string) => ({
  'set-cookie': `${cookieName(deps)}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${deps.session_idle_seconds}`,
})

const lifetimesOf = ({ session_idle_seconds, session_max_seconds }: AccountsDeps, now: Date) => ({
  idle_until: secondsAfter(now, session_idle_seconds),
  max_seconds: session_max_seconds,
  admin_max_seconds: Math.min(admin_max_seconds, session_max_seconds),
})

/**
 * The headers of a response with a new JWT: for a sign-in by the console, a cookie that renews the session (D-166).
 * Browsers identify the console by headers that pages cannot set.
 */
export async function keepSignedIn(deps: AccountsDeps, token: string, headers: CookieHeaders) {
  if (headers['sec-fetch-site'] !== 'same-origin') return {}
  const now = deps.clock()
  const session_id = deps.jwt.verify(token, now)?.sid
  if (session_id === undefined) return {}
  const secret = newSecret('')
  await keepSession(deps.db, { session_id, renewal_hash: sha256(secret), ...lifetimesOf(deps, now) })
  return setCookie(deps, secret)
}

/**
 * Returns a new JWT of the caller's session, and the cookie again. The cookie authorizes it; the JWT alone renews
 * nothing. The previous JWT ends after 30 seconds. Fails with `invalid_token`.
 */
export async function renew(deps: AccountsDeps, { user_id, session_id }: UserCaller, headers: CookieHeaders) {
  const secret = cookieOf(headers.cookie, cookieName(deps))
  if (secret === undefined) throw new Failure('invalid_token', { user_id, why: 'no cookie to renew the session' })
  const now = deps.clock()
  const renewed = await deps.db.transaction(async (tx) => {
    const row = await renewSession(tx, {
      session_id,
      user_id,
      renewal_hash: sha256(secret),
      now,
      overlap_since: secondsAfter(now, -overlap_seconds),
      ...lifetimesOf(deps, now),
    })
    if (row) await deps.invalidations.publish(tx, [sessionTag(session_id)])
    return row
  })
  if (!renewed) throw new Failure('invalid_token', { user_id, why: 'its session cannot be renewed' })
  const { expires_at, renewals } = renewed
  const token = signSession(deps, { user_id, session_id, now, expires_at, seq: renewals })
  return { token, headers: setCookie(deps, secret) }
}

/** The value of a cookie in a `Cookie` header (RFC 6265 §4.2). */
const cookieOf = (header: string | undefined, name: string) =>
  header
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)
