import type { Platform } from '../domain.ts'
import type { Http } from '../http/mount.ts'
import { fieldsOf } from '../platform/failure.ts'
import { openJwtKeyRing } from '../platform/jwt.ts'
import type { Passwords } from '../platform/passwords.ts'
import { accountsJobs } from './jobs.ts'
import { requireRecentProof, type Proof } from './proof.service.ts'
import { accountsRoutes } from './routes.ts'
import { requireAdminRole } from './admin-roles.service.ts'
import { requireAdminSecondFactor } from './second-factor.service.ts'
import { accountKeys, type AccountEvents, type AccountsDeps } from './service.ts'
import { authenticateUser, createSessionCache } from './sessions.service.ts'
import type { AccountsSettings } from './settings.ts'
import { staffNames } from './staff-names.rules.ts'

interface AccountsParts {
  passwords: Passwords
  events: AccountEvents
  /** Keys of retired secrets that still verify codes. */
  kept_keys: readonly Buffer[] | undefined
}

/** People: their accounts, sign-in, second factors and sessions. */
export function accountsDomain(
  { db, clock, mailer, counter, invalidations, secrets, public_url, is_sandbox }: Platform,
  settings: AccountsSettings,
  { passwords, events, kept_keys }: AccountsParts,
) {
  const deps: AccountsDeps = {
    db,
    clock,
    jwt: openJwtKeyRing(secrets, public_url),
    jwt_seconds: settings.jwt_seconds,
    session_idle_seconds: settings.session_idle_seconds,
    session_max_seconds: settings.session_max_seconds,
    is_sandbox,
    public_url,
    keys: accountKeys(secrets, kept_keys),
    passwords,
    mailer,
    tiers: settings.tiers,
    isStaffName: staffNames(settings.reserved_usernames),
    counter,
    events,
    invalidations,
    sessions: createSessionCache(db, invalidations),
  }
  const authenticate: Pick<Http['authenticate'], 'user' | 'admin' | 'proof'> = {
    user: (token, reading, accepts_expired) => authenticateUser(deps, token, reading, accepts_expired),
    admin: async (caller, allowed) => {
      requireAdminRole(caller.admin_roles, allowed)
      await requireAdminSecondFactor(deps, caller, settings.admin_second_factor)
    },
    proof: (caller, sent) => requireRecentProof(deps, caller, fieldsOf(sent) as Proof),
  }
  return {
    deps,
    authenticate,
    mount: (http: Http) => accountsRoutes(http, deps),
    jobs: accountsJobs(deps, mailer),
    caches: { sessions: deps.sessions },
  }
}
