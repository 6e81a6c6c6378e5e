import type { Scope } from '../../contract/kinds/scopes.ts'
import type { SomeApp, SomeUser } from './world.ts'

// The reference model of tokens for the model-based test: the required behaviour of the service, without concurrency.

const access_seconds = 3600
export const refresh_seconds = 7200
const code_seconds = 600
const replay_seconds = 30

export interface App extends SomeApp {
  approved: boolean
  /** Incremented when an approval is withdrawn; grants of earlier epochs are invalid. */
  epoch: number
  old_secret: string
}
export interface Grant {
  app: App
  scopes: Scope[]
  epoch: number
  revoked: boolean
}
export interface Code {
  app: App
  scopes: Scope[]
  epoch: number
  issued_at: number
  is_void: boolean
  proof: { code: string; code_verifier: string }
  grant?: Grant
  pairs: number
}
export interface Access {
  token: string
  grant: Grant
  scopes: Scope[]
  expires_at: number
  revoked: boolean
  /** True if all tokens of (user, app) were invalidated after this one was issued. */
  ended: boolean
  /** True if it was inactive at the last check. The end of the run checks that it stays inactive. */
  seen_inactive?: boolean
}
export interface Refresh {
  token: string
  grant: Grant
  expires_at: number
  used?: { at: number; access_token: string; refresh_token: string }
}
export interface ModelState {
  user: SomeUser
  suspended: boolean
  connected: Set<App>
  codes: Code[]
  access: Access[]
  refresh: Refresh[]
}

export const isLive = ({ suspended }: ModelState, { app, epoch, revoked }: Grant) =>
  !suspended && !revoked && app.approved && app.epoch === epoch

export const isActive = (run: ModelState, { grant, revoked, expires_at }: Access, now: number) =>
  !revoked && now < expires_at && isLive(run, grant)

export const isRedeemable = (run: ModelState, { app, scopes, epoch, issued_at, is_void, grant }: Code, now: number) =>
  !is_void && !grant && now < issued_at + code_seconds && isLive(run, { app, scopes, epoch, revoked: false })

/** True if a used refresh token still returns the pair that it was exchanged for. */
export const isReplayable = ({ used }: Refresh, now: number) => used !== undefined && now < used.at + replay_seconds

type Pair = Pick<NonNullable<Refresh['used']>, 'access_token' | 'refresh_token'>

export function addTokenPair(run: ModelState, grant: Grant, scopes: Scope[], pair: Pair, now: number) {
  const expires_at = now + access_seconds
  run.access.push({ token: pair.access_token, grant, scopes, expires_at, revoked: false, ended: false })
  run.refresh.push({ token: pair.refresh_token, grant, expires_at: now + refresh_seconds })
}

/** Applies a disconnect from these apps, or a suspension. */
export function invalidateAll(run: ModelState, ended: readonly App[]) {
  for (const app of ended) run.connected.delete(app)
  for (const code of run.codes) if (ended.includes(code.app) && !code.grant) code.is_void = true
  for (const { grant } of run.refresh) if (ended.includes(grant.app)) grant.revoked = true
  for (const access of run.access) access.ended ||= ended.includes(access.grant.app)
}

/** Applies the withdrawal of an app's approval. */
export function withdrawApproval(run: ModelState, app: App) {
  app.approved = false
  app.epoch++
  for (const access of run.access) access.ended ||= access.grant.app === app
}
