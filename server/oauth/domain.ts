import type { AccountEvents, AccountsDeps } from '../accounts/service.ts'
import type { AppCaller } from '../../contract/caller.ts'
import type { Platform } from '../domain.ts'
import type { Http } from '../http/mount.ts'
import { appAddressPolicy } from '../platform/address-policy.ts'
import { isPublicAddress } from '../platform/public-address.ts'
import { openSafeFetch } from '../platform/safe-fetch.ts'
import { createAuthorizationCodes } from './authorization-codes.service.ts'
import {
  authenticateClientCall,
  createClientCache,
  createClientGuard,
  type ClientGuard,
} from './client-authentication.service.ts'
import { document_bounds, openClientDocuments } from './client-documents.service.ts'
import { reinstateAppsOfOwner, revokeAllAccess, suspendAppsOfOwner, voidPendingCodes } from './connections.service.ts'
import { oauthJobs } from './jobs.ts'
import { openDpopProofs } from './dpop/service.ts'
import { createLastUseRecorder, startFlushing } from './last-use.service.ts'
import { requireRole, requireRoleOfToken } from './members.service.ts'
import { oauthRoutes } from './routes.ts'
import { authenticateApp, createTokenCache, type OAuthDeps, type OAuthEvents } from './service.ts'
import type { OAuthSettings } from './settings.ts'
import { openSigningKeys, signingKeySealing } from './signing-keys.service.ts'
import { afterSuspension } from './teams.service.ts'
import { tokenStanding } from './standing.service.ts'

interface OAuthParts {
  accounts: AccountsDeps
  events: OAuthEvents
}

/** Apps, their credentials, connections and tokens. */
export function oauthDomain(
  platform: Platform,
  settings: OAuthSettings & { limits: { token: ClientGuard['limit'] }; webhook_addresses: 'public' | 'any' },
  { accounts, events }: OAuthParts,
) {
  const { db, clock, log, mailer, counter, invalidations, secrets, public_url, is_sandbox } = platform
  const { lifetimes, session_heartbeat_seconds: heartbeat_seconds } = settings
  const last_uses = createLastUseRecorder(db, clock)
  const signing = { db, clock, keys: signingKeySealing(secrets) }
  const deps: OAuthDeps = {
    db,
    documents: openDocuments(platform, settings, accounts),
    clock,
    issuer: public_url,
    lifetimes,
    events,
    heartbeat_seconds,
    codes: createAuthorizationCodes(db, clock, lifetimes),
    last_uses,
    invalidations,
    signing_keys: openSigningKeys(signing),
    policy: appAddressPolicy(settings.webhook_addresses, platform),
    proofs: openDpopProofs(db, clock, { secrets, public_url }),
    is_sandbox,
    tokens: createTokenCache(db, invalidations),
  }
  const clients = createClientCache(db, invalidations)
  const client_guard = createClientGuard({ db, clients, clock, counter, limit: settings.limits.token })
  const authenticate: Pick<Http['authenticate'], 'app' | 'client' | 'nonce' | 'recordAppUse' | 'role'> = {
    app: (token, reading, proof, resource) => authenticateApp(deps, token, reading, proof, resource),
    nonce: deps.proofs.nonce,
    client: (authorization, use, reading) => authenticateClientCall(client_guard, authorization, use, reading),
    async role(caller, needed, place, allows_one_factor) {
      if ('grant_id' in caller) await requireRoleOfToken(db, caller, needed)
      else await requireRole(db, caller, needed, place, allows_one_factor)
    },
    recordAppUse: (caller) => last_uses.record(caller),
  }
  return {
    deps,
    last_uses,
    client_guard,
    authenticate,
    standingOf: (caller: AppCaller, mayRead: () => Promise<boolean>) => tokenStanding(deps, caller, mayRead),
    account_events: accountEvents(invalidations),
    mount: (http: Http) => oauthRoutes(http, deps, accounts),
    jobs: oauthJobs(deps, signing, mailer),
    start: () => startFlushing(last_uses, { log, heartbeat_seconds }),
    drain: () => Promise.all([deps.codes.drain(), deps.proofs.drain(), last_uses.flush()]),
    caches: { tokens: deps.tokens },
  }
}

/** Changes of an account that also affect its apps and connections. */
const accountEvents = (invalidations: OAuthDeps['invalidations']): Partial<AccountEvents> => ({
  access_revoked: (tx, { user_id, now }) => revokeAllAccess(invalidations, tx, user_id, now),
  suspended: async (tx, { user_id, now }) => {
    await afterSuspension(invalidations, tx, user_id)
    await suspendAppsOfOwner(invalidations, tx, user_id, now)
  },
  reactivated: async (tx, { user_id }) => {
    await afterSuspension(invalidations, tx, user_id)
    await reinstateAppsOfOwner(invalidations, tx, user_id)
  },
  password_changed: (tx, { user_id }) => voidPendingCodes(tx, user_id),
})

/** Client documents are fetched without following redirects. */
function openDocuments(
  { db, clock, log, counter, dns_servers }: Platform,
  { client_documents: addresses }: OAuthSettings,
  accounts: AccountsDeps,
) {
  const fetch = openSafeFetch({
    ...document_bounds,
    accept: 'application/json',
    media_type: 'application/json',
    dns_servers,
    ...(addresses === 'public' && { isAllowed: isPublicAddress }),
  })
  return openClientDocuments({ db, clock, log, counter, accounts, addresses, fetch })
}
