// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { CallOptions } from '../options.ts'
import type { AuthorizationCodeGrant, Introspection, ListedApp, MessageResponse, PasskeyAuthentication, PasskeyRequestOptions, PublicApp, PublicKey, RefreshTokenGrant, RegisteredUser, Revocation, ServerMetadata, SignedInUser, TokenResponse } from './resources.ts'

/** What anybody may call. */
export interface OpenCalls {
  /**
   * Create an account
   *
   * Signs nobody in: call the login next. The address counts as verified once a mailed code was sent back. Points
   * for a referral are paid then.
   *
   * `POST /api/auth/register`. Refuses with `email_taken`, `username_taken`.
   */
  readonly register: (input: {
    /**
     * The address, which a mailed code verifies, with at most 64 characters before the @; unique, whatever its case
     */
    email: string
    /** The new password: 8 characters or more, of any kind */
    password: string
    /** 3 to 32 ASCII letters, digits, dots, hyphens or underscores; unique, whatever their case */
    username: string
    /** The code of who brought the person here; an unknown one is 422 */
    referral_code?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The new account */
    user: RegisteredUser
  }>

  /**
   * Sign in and get a JWT
   *
   * Accounts with two-factor authentication send `totp_code` as well: six digits, or a recovery code; or `passkey`,
   * where the refusal has `passkey_options`. 10 failures in 15 minutes are 429 for that account and address.
   *
   * `POST /api/auth/login`. Refuses with `invalid_credentials`, `rate_limited`, `totp_required`,
   * `passkey_required`, `invalid_totp_code`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `account_suspended`.
   */
  readonly login: (input: {
    /** The address of the account, in any case; what is no address is as one without an account */
    email: string
    /** The password of the account */
    password: string
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<{
    /** A JWT, for `Authorization: Bearer`; it ends with its login session, 12 hours by default */
    token: string
    /** Who signed in */
    user: SignedInUser
  }>

  /**
   * Prove with the link of a mail that the address is yours, so that an admin can take a lost second factor away
   *
   * It can be repeated while the proof lasts. Nothing is taken away by it.
   *
   * `POST /api/auth/second-factor/proof`. Refuses with `invalid_code`.
   */
  readonly confirmAddress: (input: {
    /** The code in the link of the mail */
    code: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Take a change of the account back, with the code of the notice
   *
   * Restores address and name as they were before the change, sets a new password if one is sent, and ends every
   * login session, pending authorization code and app connection. A passkey or second factor that was added or
   * replaced since is gone; one from before stays. Signs nobody in: that takes the password and a second factor
   * from before. The code works once.
   *
   * `POST /api/auth/email/undo`. Refuses with `invalid_code`, `email_taken`, `username_taken`.
   */
  readonly undoChange: (input: {
    /** The code of the mail, which its link carries too */
    code: string
    /** The new password: 8 characters or more, of any kind */
    new_password?: string | undefined
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Start signing in with a passkey
   *
   * Names no account: the authenticator finds the passkeys of this Plaza. A browser may offer them while the
   * address is typed.
   *
   * `POST /api/auth/passkeys/login/options`. Refuses with `passkeys_unavailable`.
   */
  readonly passkeyLoginOptions: (input?: Record<string, never>, options?: CallOptions) => Promise<{ options: PasskeyRequestOptions }>

  /**
   * Sign in with a passkey and get a JWT
   *
   * The answer is that of the sign-in with a password. No second factor is asked: the authenticator has asked for a
   * PIN, a finger or a face itself, without which this is refused.
   *
   * `POST /api/auth/passkeys/login`. Refuses with `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `rate_limited`, `account_suspended`, `passkeys_unavailable`.
   */
  readonly passkeyLogin: (input: { response: PasskeyAuthentication }, options?: CallOptions) => Promise<{
    /** A JWT, for `Authorization: Bearer`; it ends with its login session, 12 hours by default */
    token: string
    /** Who signed in */
    user: SignedInUser
  }>

  /**
   * Mail a code that sets a new password
   *
   * Answers alike whether or not an account has the address. At most 5 codes an hour for one address.
   *
   * `POST /api/auth/password/forgot`. Refuses with `rate_limited`.
   */
  readonly forgotPassword: (input: {
    /** The address of the account, in any case; what is no address is as one without an account */
    email: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Set a new password with a mailed code
   *
   * Ends every login session, pending authorization code and app connection of the account, and passkeys,
   * authenticator apps and recovery codes that were added in the last 7 days. A mail lists the older ones, which
   * stay.
   *
   * `POST /api/auth/password/reset`. Refuses with `invalid_code`.
   */
  readonly resetPassword: (input: {
    /** The code of the mail, which its link carries too */
    code: string
    /** The new password: 8 characters or more, of any kind */
    new_password: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * What anybody may know of an app
   *
   * Also of one that is not approved. The secret, the scopes and the owner are not told.
   *
   * `GET /api/oauth/apps/{client_id}`. Refuses with `not_found`.
   */
  readonly getPublicApp: (input: {
    /** The `client_id` of the app */
    client_id: string
  }, options?: CallOptions) => Promise<PublicApp>

  /**
   * Where the person may take a refused authorization request back to; grants nothing
   *
   * For the consent page: once the client is known and the redirect URI is one of its own, the app may be told why
   * it was refused (RFC 6749 §4.1.2.1). In every other case nobody may be sent there.
   *
   * `GET /api/oauth/authorize/return`. Refuses with `invalid_client`, `invalid_request`.
   */
  readonly describeReturn: (input: {
    /** The `client_id` of the app */
    client_id: string
    /**
     * Where the answer goes: a registered address, character by character; without it, the first that is registered
     */
    redirect_uri?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The name of the app, as people see it */
    app_name: string
    /** Where the browser is to be sent */
    redirect_uri: string
    /** The host of that address, for people */
    redirect_host: string
    /** Whether the app is approved, so that the person may be sent there without a click */
    is_approved: boolean
    /** Who answers (RFC 9207): compare it with the issuer that was asked */
    iss: string
  }>

  /**
   * Exchange a code, or refresh
   *
   * One schema for each grant. As JSON the body carries the client; as a form HTTP Basic may. A code needs its
   * verifier, the secret of the app, or both; a refresh always needs the secret, and replaces the refresh token.
   *
   * `POST /api/oauth/token`. Refuses with `invalid_client`, `invalid_grant`, `invalid_request`,
   * `unsupported_grant_type`, `invalid_scope`.
   */
  readonly token: (input: AuthorizationCodeGrant | RefreshTokenGrant, options?: CallOptions) => Promise<TokenResponse>

  /**
   * Revoke an access, refresh or session token (RFC 7009)
   *
   * A refresh token takes its whole grant with it, a session token ends its session. Unknown tokens answer alike.
   *
   * `POST /api/oauth/revoke`. Refuses with `invalid_client`, `invalid_request`, `unsupported_token_type`.
   */
  readonly revoke: (input: Revocation, options?: CallOptions) => Promise<Record<string, never>>

  /**
   * Is this access token good, and for what?
   *
   * Always 200 for a token of any kind, and for none: read `active`.
   *
   * `POST /api/oauth/token/verify`. Refuses with `invalid_request`.
   */
  readonly verifyToken: (input: {
    /** Any text; only access tokens are ever active */
    token: string
  }, options?: CallOptions) => Promise<Introspection>

  /**
   * Renew the session token of an app session, which also counts as its heartbeat
   *
   * For a page of the app, which has no other token. The access token is not renewed by it.
   *
   * `POST /api/auth/session/refresh`. Refuses with `invalid_token`.
   */
  readonly refreshSession: (input: {
    /** The session token of the code exchange, or of the last refresh */
    token: string
  }, options?: CallOptions) => Promise<{
    /** The new session token; the one before stops working */
    session_token: string
    /** When it ends */
    expires_at: string
  }>

  /**
   * The public keys that verify identity tokens (RFC 7517)
   *
   * The next key is listed a day before it signs, and an old one until its last token has expired. Keep the answer
   * for as long as `Cache-Control` says, and read it again when a token names a `kid` that you do not know.
   *
   * `GET /.well-known/jwks.json`
   */
  readonly listPublicKeys: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The keys, in the order in which they sign */
    keys: PublicKey[]
  }>

  /**
   * What the page at the end_session_endpoint shows; ends nothing
   *
   * The checks of OpenID Connect RP-Initiated Logout: who asks, for whom, and where the person goes afterwards. An
   * expired identity token is good as a hint.
   *
   * `GET /api/oauth/logout/request`. Refuses with `invalid_client`, `invalid_request`.
   */
  readonly describeLogout: (input?: {
    /** An identity token of the person for this app, expired or not */
    id_token_hint?: string | undefined
    /** The `client_id` of the app, where no token names it */
    client_id?: string | undefined
    /** Where the person goes afterwards: an address with the origin of a redirect URI */
    post_logout_redirect_uri?: string | undefined
    /** Added to that address unchanged */
    state?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The name of the app that asks; null where none is named */
    app_name: string | null
    /** Where the person goes afterwards, with the state; null for nowhere */
    redirect_uri: string | null
    /** The person that the hint names; null without a hint */
    user_id: string | null
    /** Whether the app is approved, so that the person may be sent there without a click */
    is_approved: boolean
  }>

  /**
   * The directory: approved apps that an admin has listed
   *
   * Newest first. Apps of suspended owners are left out.
   *
   * `GET /api/public/operators`
   */
  readonly listPublicOperators: (input?: {
    /** Which page, counted from 1 */
    page?: number | undefined
    /** How many apps a page has at most */
    page_size?: number | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: ListedApp[]
    /** Which page this is */
    page: number
    /** How many apps a page has at most */
    page_size: number
    /** How many apps there are on all pages */
    total: number
  }>

  /**
   * Is the service up, and can it reach its database?
   *
   * Answers as `/readyz` does: 200, or 503 with the same body and another status word while the database cannot be
   * written to or the process is stopping.
   *
   * `GET /health`
   */
  readonly health: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** `ok`; else what is missing, such as `database_unavailable`, or `stopping` */
    status: string
    /** The version of the service, which is that of the API */
    version: string
    /** True in a sandbox, whose points and people are for trying out; else absent */
    sandbox?: boolean
  }>

  /**
   * Does the process run?
   *
   * Asks nothing else, so it is no reason to restart a process whose database is away.
   *
   * `GET /livez`
   */
  readonly livez: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** Always this word */
    status: 'ok'
  }>

  /**
   * Does this process take work?
   *
   * For load balancers. 503 with the same body while any check has failed: the database cannot be written to, or
   * the process is stopping. A check that is `degraded` says that a part does not work.
   *
   * `GET /readyz`
   */
  readonly readyz: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** Whether it takes work */
    status: 'ready' | 'not_ready'
    /** Each thing that was looked at */
    checks: {
      /** What was looked at, such as `database` */
      name: string
      /** `degraded` where a part does not work, `failed` where nothing does */
      status: 'ok' | 'degraded' | 'failed'
      /** Always null: the log of the process has the reason */
      reason: string | null
    }[]
  }>

  /**
   * Discovery of this API as an OAuth resource (RFC 9728)
   *
   * Every 401 names this address in `WWW-Authenticate`.
   *
   * `GET /.well-known/oauth-protected-resource`
   */
  readonly protectedResource: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The address of this API */
    resource: string
    /** Who issues tokens for it */
    authorization_servers: string[]
    /** The scopes that any person can grant */
    scopes_supported: string[]
    /** How a token is sent: in the Authorization header */
    bearer_methods_supported: string[]
  }>

  /**
   * Discovery of the authorization server (RFC 8414)
   *
   * All that an OAuth library needs to know: give it the issuer.
   *
   * `GET /.well-known/oauth-authorization-server`
   */
  readonly authorizationServer: (input?: Record<string, never>, options?: CallOptions) => Promise<ServerMetadata>

  /**
   * The same metadata where clients of OpenID Connect look first
   *
   * All that a library of OpenID Connect needs to know: give it the issuer.
   *
   * `GET /.well-known/openid-configuration`
   */
  readonly openidConfiguration: (input?: Record<string, never>, options?: CallOptions) => Promise<ServerMetadata>
}
