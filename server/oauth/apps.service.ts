import { randomBytes } from 'node:crypto'
import type { AppActor, AppCaller, UserCaller } from '../../contract/caller.ts'
import type { BodyOf } from '../../contract/endpoint.ts'
import type * as contract from '../../contract/oauth-apps.ts'
import { isScope, requestable_scopes, type Scope } from '../../contract/kinds/scopes.ts'
import { putPicture, readPicture } from '../accounts/pictures.service.ts'
import { getUser } from '../accounts/service.ts'
import { requireSession } from '../accounts/sessions.service.ts'
import type { Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, invalidField, orFail, refuseFieldErrors } from '../platform/failure.ts'
import { requireAddress } from '../platform/address-policy.ts'
import { isId, newId } from '../platform/ids.ts'
import { openAppAccount } from '../points/issuing.service.ts'
import {
  changeApp,
  countUsersOfApp,
  findApp,
  findAppByClientId,
  insertApp,
  listDirectory,
  lockApp,
  listAppsOfMember,
  resubmitApp,
  type AppUpdate,
} from './apps.store.ts'
import { addSecret, type Making } from './client-secrets.service.ts'
import type { SecretRequest } from './client-secrets.rules.ts'
import { deleteAppSecret, listAppSecrets } from './client-secrets.store.ts'
import { approveInSandbox, grantInSandbox } from './review.service.ts'
import { appErrors, reviewedOf, scopeErrors, sortScopes, splitRequestedScopes, withReview } from './rules.ts'
import { lockGrant } from './grants.store.ts'
import { requireMember, requireMemberByToken, requireRoleOfToken } from './members.service.ts'
import { lockMembership } from './members.store.ts'
import { insertScopeRequest, listScopeRequestsOfApp } from './scope-requests.store.ts'
import { appTag, type OAuthDeps } from './service.ts'

/**
 * Registers an app with its first secret and its points account (D-28, D-31). Fails with `email_not_verified`, or
 * `validation_failed` for an invalid redirect URI, link or scope.
 */
export async function createApp(deps: OAuthDeps, caller: UserCaller, registration: BodyOf<typeof contract.createApp>) {
  const { db, clock } = deps
  const { user_id: owner_id } = caller
  const owner = await getUser(db, owner_id)
  if (!owner.email_verified) throw new Failure('email_not_verified', { user_id: owner_id })
  refuseFieldErrors([...appErrors(registration), ...scopeErrors(registration)])
  const requested = sortScopes(registration.requested_scopes ?? ['profile:read'])
  const { granted, needs_review } = splitRequestedScopes(requested)
  const { app_name, redirect_uris, require_pkce } = registration
  const now = clock()
  return db.transaction(async (tx) => {
    await requireSession(deps, tx, caller)
    const inserted = (await insertApp(tx, {
      id: newId(),
      client_id: randomBytes(16).toString('hex'),
      owner_id,
      app_name,
      app_description: registration.app_description || null,
      logo_url: registration.logo_url || null,
      website_url: registration.website_url || null,
      redirect_uris,
      allowed_scopes: granted,
      require_pkce: require_pkce ?? false,
      now,
    }))!
    await openAppAccount(tx, inserted.id)
    const { client_secret } = await addSecret(tx, { app_id: inserted.id, maker_id: owner_id, now })
    if (needs_review.length > 0) await requestScopesOf(deps, tx, inserted.id, needs_review, now)
    const app = (await approveInSandbox(deps, tx, inserted.id, now)) ?? inserted
    return { ...withReview(app), client_secret }
  })
}

/** The apps in which a person has a role, with the role. */
export const listMyApps = async ({ db }: OAuthDeps, user_id: string) =>
  (await listAppsOfMember(db, user_id)).map(withReview)

/** An app by its internal id. Fails with `not_found`. */
export const getApp = ({ db }: { db: Sql }, app_id: string) => orFail(findApp(db, app_id), 'not_found', { app_id })

/** An app whose owner and other fields cannot change before the transaction ends. Fails with `not_found`. */
export const getAppUntilCommit = (tx: Tx, app_id: string) => orFail(lockApp(tx, app_id), 'not_found', { app_id })

/**
 * The same for an app that the caller acts for. Fails with `not_app_owner` if the person no longer has the role of the
 * call.
 */
export async function getAppOfActor(tx: Tx, actor: AppActor) {
  const app = await getAppUntilCommit(tx, actor.app_id)
  await requireMemberByToken(tx, actor)
  return app
}

/**
 * The account that pays for an app's hosting, fixed until the transaction ends: the owner's, or the app's own if a team
 * owns it (D-134). A move locks the app before its deployments, so callers must not lock a deployment before this.
 */
export async function payerOf(tx: Tx, app_id: string) {
  const { id, owner_id, team_id } = await getAppUntilCommit(tx, app_id)
  return team_id === null ? owner_id : id
}

/** The logo of an app by the app's id or client_id; undefined if there is no such app. */
export async function findLogo({ db }: Pick<OAuthDeps, 'db'>, app: string): Promise<AppLogo | undefined> {
  if (isId(app)) return findApp(db, app)
  return /^[0-9a-f]{32}$/.test(app) ? findAppByClientId(db, app) : undefined
}

export interface AppLogo {
  id: string
  owner_id: string
  is_approved: boolean
  logo_url: string | null
}

/** The number of users who ever connected to an app, including disconnected ones (D-49). */
export const totalUsers = (db: Sql, app_id: string) => countUsersOfApp(db, app_id)

/** A page of the directory: approved and listed apps, newest first, with the total. */
export async function listPublicApps({ db }: { db: Sql }, { page, page_size }: { page: number; page_size: number }) {
  const { data, total } = await listDirectory(db, { offset: (page - 1) * page_size, rows_max: page_size })
  return { data: data.map((app) => ({ ...app, reviewed: reviewedOf(app) })), total }
}

/** The public fields of an app, approved or not. Fails with `not_found`. */
export async function getPublicApp({ db }: OAuthDeps, client_id: string) {
  const app = await orFail(findAppByClientId(db, client_id), 'not_found', { client_id })
  const { app_name, app_description } = app
  return { name: app_name, client_id, ...(app_description !== null && { description: app_description }) }
}

/** The name of an app; empty if there is none with this id. */
export const nameOfApp = async (db: Sql, app_id: string) => (await findApp(db, app_id))?.app_name ?? ''

/** Errors in the name, redirect URIs and links of a body of any shape, for operators' endpoints. */
export const errorsInAppFields = (body: unknown) => appErrors(body)

/**
 * Changes an app of the caller. Scopes can only narrow (D-31), which takes effect immediately for codes and tokens
 * issued before (D-87). Fails with `not_found`, `scope_not_allowed` or `validation_failed`.
 */
export const updateMyApp = (deps: OAuthDeps, caller: UserCaller, app_id: string, update: AppUpdate) =>
  changeAppBy(deps, app_id, update, { requireCredential: (tx) => requireMember(deps, tx, caller, app_id) })

/**
 * Sets the logo of the caller's app to a picture in base64, which `/logos/{app}` serves; null removes it (D-165). Fails
 * with `not_found` or `validation_failed`.
 */
export async function setLogo(deps: OAuthDeps, caller: UserCaller, app_id: string, picture: string | null) {
  const content = picture === null ? undefined : await readPicture(picture, 'contain')
  const id = newId()
  const logo_url = content ? `${deps.issuer}/logos/${app_id}?${id}` : null
  return changeAppBy(
    deps,
    app_id,
    { logo_url },
    {
      requireCredential: (tx) => requireMember(deps, tx, caller, app_id),
      ...(content && { also: (tx) => putPicture(tx, { id, owner_id: app_id, content, now: deps.clock() }) }),
    },
  )
}

/**
 * Like `updateMyApp`, for an access token of the owner. Also fails with `invalid_token` if the connection has ended.
 */
export const updateAppByToken = (deps: OAuthDeps, caller: AppCaller, update: AppUpdate) =>
  changeAppBy(deps, caller.app_id, update, {
    requireCredential: async (tx) => {
      const { grant_id, app_id, user_id, team_role } = caller
      if (!(await lockGrant(tx, grant_id))) throw new Failure('invalid_token', { grant_id, why: 'revoked meanwhile' })
      await lockMembership(tx, app_id, user_id)
      await requireRoleOfToken(tx, caller, team_role ?? 'owner')
    },
  })

type Step = (tx: Tx) => Promise<unknown>

async function changeAppBy(
  deps: OAuthDeps,
  app_id: string,
  update: AppUpdate,
  { requireCredential, also }: Record<'requireCredential', Step> & Partial<Record<'also', Step>>,
) {
  const { db, clock, invalidations } = deps
  refuseFieldErrors(appErrors(update))
  if (update.backchannel_logout_uri)
    await requireAddress(deps.policy, update.backchannel_logout_uri, 'backchannel_logout_uri')
  const allowed_scopes = update.allowed_scopes?.every(isScope) ? sortScopes(update.allowed_scopes) : undefined
  if (update.allowed_scopes && !allowed_scopes) throw new Failure('scope_not_allowed', { app_id, why: 'unknown scope' })
  return db.transaction(async (tx) => {
    await requireCredential(tx)
    const app = await changeApp(tx, app_id, { ...update, ...(allowed_scopes && { allowed_scopes }) }, clock())
    if (!app) throw new Failure('scope_not_allowed', { app_id, allowed_scopes })
    await also?.(tx)
    await invalidations.publish(tx, [appTag(app_id)])
    return withReview(app)
  })
}

/**
 * Resubmits the caller's rejected app for review; it keeps the reason of the rejection until the next decision (D-81).
 * Fails with `not_found` or `app_not_rejected`.
 */
export async function submitMyApp(
  deps: OAuthDeps,
  caller: UserCaller,
  app_id: string,
  { note = null }: { note?: string | null },
) {
  const { db, clock, events } = deps
  const now = clock()
  return db.transaction(async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    const app = await orFail(resubmitApp(tx, { app_id, note, now }), 'app_not_rejected', { app_id })
    const details = { rejected_because: app.decision_reason }
    await events.acted(tx, { actor_id: caller.user_id, action: 'app.resubmit', target_id: app_id, details, now })
    return (await approveInSandbox(deps, tx, app_id, now)) ?? withReview(app)
  })
}

/** Requests scopes from an admin (D-32). Fails with `not_found`, or `validation_failed` for scopes that cannot be requested. */
export async function requestScopes(deps: OAuthDeps, caller: UserCaller, app_id: string, scopes: string[]) {
  refuseFieldErrors(scopeErrors({ requested_scopes: scopes }))
  const requested_scopes = sortScopes(scopes)
  if (!requested_scopes.every((scope) => requestable_scopes.includes(scope)))
    throw invalidField('requested_scopes', 'scope_deprecated')
  return deps.db.transaction(async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    return requestScopesOf(deps, tx, app_id, requested_scopes, deps.clock())
  })
}

async function requestScopesOf(deps: OAuthDeps, tx: Tx, app_id: string, requested_scopes: Scope[], now: Date) {
  const request = await insertScopeRequest(tx, { id: newId(), app_id, requested_scopes, now })
  return (await grantInSandbox(deps, tx, request.id, now)) ?? request
}

export const listScopeRequests = ({ db }: OAuthDeps, app_id: string) => listScopeRequestsOfApp(db, app_id)

// Secrets (D-39, D-133)

/**
 * Adds a secret, to replace another without downtime, or to give a server fewer permissions than the app (D-39, D-133).
 * Fails with `too_many_secrets` or `validation_failed`.
 */
export async function createSecret(deps: OAuthDeps, caller: UserCaller, app_id: string, request: SecretRequest) {
  const making = { app_id, maker_id: caller.user_id, now: deps.clock() }
  return deps.db.transaction(async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    return makeSecret(deps, tx, making, request)
  })
}

/** Adds a secret for a person whose role was checked. Fails as `createSecret` does. */
export async function makeSecret({ events }: OAuthDeps, tx: Tx, making: Making, request: SecretRequest) {
  const { app_id: target_id, maker_id: actor_id, now } = making
  const secret = await addSecret(tx, making, request)
  const { hint, name, permissions, expires_at, allowed_addresses } = secret
  const details = { hint, name, permissions, expires_at, allowed_addresses }
  await events.acted(tx, { actor_id, action: 'secret.create', target_id, details, now })
  return secret
}

export const listSecrets = ({ db }: OAuthDeps, app_id: string) => listAppSecrets(db, app_id)

/** Deletes a secret; calls with it are refused from the next one on. Fails with `not_found`. */
export async function deleteSecret(deps: OAuthDeps, caller: UserCaller, app_id: string, secret_id: string) {
  await deps.db.transaction(async (tx) => {
    await requireMember(deps, tx, caller, app_id)
    if (!(await deleteSecretIn(deps, tx, { app_id, secret_id, actor_id: caller.user_id })))
      throw new Failure('not_found', { secret_id })
  })
}

/** Deletes a secret for a person whose right was checked; false if there is none. */
export async function deleteSecretIn(
  { clock, invalidations, events }: OAuthDeps,
  tx: Tx,
  { app_id, secret_id, actor_id }: { app_id: string; secret_id: string; actor_id: string },
) {
  const details = await deleteAppSecret(tx, app_id, secret_id)
  if (!details) return false
  const act = { actor_id, action: 'secret.delete', target_id: app_id, details: { ...details }, now: clock() } as const
  await events.acted(tx, act)
  await invalidations.publish(tx, [appTag(app_id)])
  return true
}
