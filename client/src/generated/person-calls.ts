// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { EventStream } from '../event-stream.ts'
import type { CallOptions, KeyedOptions, StreamOptions } from '../options.ts'
import type { AppBalance, AppEventType, AppTransfer, Authorization, AuthorizationRequest, BalanceSeries, BlockedUser, ChannelType, ChatChannel, ChatMessage, ClientSecret, ConnectedApp, DayOfPoints, DeliveryStatus, DeploymentStatus, FoundUser, Friend, FriendRequest, Friendship, FriendshipStatus, HistoryEntry, Hold, HoldStatus, LearningModule, LearningPath, LoggedDelivery, LoginSession, MessageResponse, ModuleStatus, NewApp, NewClientSecret, Notice, NoticeKind, NoticeSetting, OwnHold, OwnedApp, OwnedAppWithUsers, OwnerHold, OwnerTransfer, Passkey, PasskeyAuthentication, PasskeyCreationOptions, PasskeyRegistration, PasskeyRequestOptions, PresenceEntry, Profile, RefundResult, Report, ReportReason, ScopeRequest, SettledHold, TablePresence, TransferKind, Webhook, WebhookDelivery } from './resources.ts'

/** What a person may call. */
export interface PersonCalls {
  /**
   * End the login session of this JWT
   *
   * The JWT stops working at once. Apps that the person has connected stay connected.
   *
   * `POST /api/auth/logout`
   */
  readonly logout: (input?: Record<string, never>, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Your own profile
   *
   * Everything that Plaza shows you of your account, with the balance as it is now. Apps read `/api/external/user`.
   *
   * `GET /api/auth/me`
   */
  readonly me: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The account of the JWT */
    user: Profile
  }>

  /**
   * Choose the language of mails
   *
   * A new account has the language of `Accept-Language` at its registration, an older one that of its next login.
   * Mails in a language that this Plaza does not have are in English.
   *
   * `PUT /api/auth/language`
   */
  readonly setLanguage: (input: {
    /** The code of a language, such as `de` */
    language: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Mail a verification code to your address
   *
   * The code is good for 15 minutes and 5 tries. A new one voids the one before.
   *
   * `POST /api/auth/send-verification`. Refuses with `already_verified`.
   */
  readonly sendVerification: (input?: Record<string, never>, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Verify your address with the mailed code
   *
   * Ends the other login sessions of the account: they may belong to somebody who used your address.
   *
   * `POST /api/auth/verify-email`. Refuses with `invalid_code`, `rate_limited`, `already_verified`.
   */
  readonly verifyEmail: (input: {
    /** The 6 digits of the mail */
    code: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Start two-factor set-up: a secret and its otpauth URI
   *
   * Changes nothing until `enable` is called with a first code. Called again, it makes another secret.
   *
   * `POST /api/auth/totp/setup`. Refuses with `totp_already_enabled`.
   */
  readonly setupTotp: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** In base32, to be typed into an authenticator */
    secret: string
    /** The same as an `otpauth:` address, to be shown as a QR code */
    uri: string
  }>

  /**
   * Finish two-factor set-up with a first code; recovery codes are shown once
   *
   * From then on the login takes `totp_code`. Wrong codes are counted, and are 429 when there were too many. An
   * account whose second factor is a passkey already sends the proof that its other changes take.
   *
   * `POST /api/auth/totp/enable`. Refuses with `totp_not_set_up`, `totp_already_enabled`, `invalid_credentials`,
   * `totp_required`, `invalid_code`, `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `passkeys_unavailable`.
   */
  readonly enableTotp: (input: {
    /** The digits that the authenticator shows now */
    code: string
    /** The password of the account; needed where its second factor is a passkey and none is sent */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<{
    /** What was done, as a sentence for people */
    message: string
    /** 10 codes that stand in for the authenticator, each once; shown only here */
    recovery_codes: string[]
  }>

  /**
   * Turn two-factor authentication off
   *
   * Needs the password and a current code (or a recovery code), or a passkey in place of both.
   *
   * `POST /api/auth/totp/disable`. Refuses with `totp_not_enabled`, `invalid_credentials`, `rate_limited`,
   * `invalid_code`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`, `passkeys_unavailable`.
   */
  readonly disableTotp: (input?: {
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Make new recovery codes; they are shown once
   *
   * The codes from before are void at once.
   *
   * `POST /api/auth/totp/recovery-codes`. Refuses with `totp_not_enabled`, `invalid_credentials`, `totp_required`,
   * `invalid_code`, `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `passkeys_unavailable`.
   */
  readonly renewRecoveryCodes: (input?: {
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<{
    /** What was done, as a sentence for people */
    message: string
    /** 10 codes that stand in for the authenticator, each once; shown only here */
    recovery_codes: string[]
  }>

  /**
   * Ask for another e-mail address
   *
   * Mails a code to the new address, which is good for 15 minutes and 5 tries; nothing changes before it comes
   * back. Answers alike whether or not another account has the address. A new request takes the place of the one
   * before.
   *
   * `POST /api/auth/email/change`. Refuses with `invalid_credentials`, `totp_required`, `invalid_code`,
   * `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`, `passkeys_unavailable`.
   */
  readonly changeEmail: (input: {
    /**
     * The address, which a mailed code verifies, with at most 64 characters before the @; unique, whatever its case
     */
    email: string
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * The address that waits for its code
   *
   * For a page that asks for the code.
   *
   * `GET /api/auth/email/change`
   */
  readonly getEmailChange: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The new address; null where no change waits */
    new_email: string | null
    /** Until when its code is good; null where no change waits */
    expires_at: string | null
  }>

  /**
   * Keep the address
   *
   * Voids the code that was mailed to the new address; does nothing where no change waits.
   *
   * `DELETE /api/auth/email/change`
   */
  readonly cancelEmailChange: (input?: Record<string, never>, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Change the address with the code mailed to the new one
   *
   * The new address counts as verified. Codes that were mailed to the old one are void, but for the one of the
   * notice, which takes the change back for 7 days.
   *
   * `POST /api/auth/email/confirm`. Refuses with `invalid_code`, `rate_limited`, `email_taken`.
   */
  readonly confirmEmail: (input: {
    /** The 6 digits of the mail */
    code: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Change your name
   *
   * The old name stays reserved for you for 30 days. What you wrote shows the new one.
   *
   * `POST /api/auth/username/change`. Refuses with `username_taken`, `too_many_names`, `invalid_credentials`,
   * `totp_required`, `invalid_code`, `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `passkeys_unavailable`.
   */
  readonly changeUsername: (input: {
    /** 3 to 32 ASCII letters, digits, dots, hyphens or underscores; unique, whatever their case */
    username: string
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Your passkeys
   *
   * At most 20, the newest first, and whether signing in with the password asks for one of them.
   *
   * `GET /api/auth/passkeys`
   */
  readonly listPasskeys: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** All of them, the newest first */
    passkeys: Passkey[]
    /** Whether the password alone is not enough and a passkey has to follow */
    second_factor: boolean
  }>

  /**
   * Start adding a passkey: what the browser is to be asked
   *
   * Needs a proof that it is the owner who calls: the password, with a code where there is a second factor, or
   * another passkey. What it answers is good once and for this login session.
   *
   * `POST /api/auth/passkeys/register/options`. Refuses with `invalid_credentials`, `totp_required`,
   * `invalid_code`, `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `passkeys_unavailable`, `too_many_passkeys`.
   */
  readonly passkeyRegistrationOptions: (input?: {
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<{ options: PasskeyCreationOptions }>

  /**
   * Finish adding a passkey with what the browser answered
   *
   * The owner is told by mail. From then on it signs in without the password.
   *
   * `POST /api/auth/passkeys/register`. Refuses with `invalid_passkey`, `passkey_challenge_over`, `passkey_taken`,
   * `too_many_passkeys`, `passkeys_unavailable`.
   */
  readonly registerPasskey: (input: {
    /** What the person calls it, to tell it from the others */
    name: string
    response: PasskeyRegistration
  }, options?: CallOptions) => Promise<{
    /** The new passkey */
    passkey: Passkey
  }>

  /**
   * Give one of your passkeys another name
   *
   * The name stands in your list only; the authenticator keeps its own.
   *
   * `PATCH /api/auth/passkeys/{id}`. Refuses with `not_found`.
   */
  readonly renamePasskey: (input: {
    /** The id of the passkey */
    id: string
    /** What the person calls it, to tell it from the others */
    name: string
  }, options?: CallOptions) => Promise<{
    /** The passkey as it is now */
    passkey: Passkey
  }>

  /**
   * Remove one of your passkeys
   *
   * Needs a proof as adding one does, and the owner is told by mail. With the last one the second factor by passkey
   * ends; its recovery codes too, unless an authenticator app uses them.
   *
   * `POST /api/auth/passkeys/{id}/delete`. Refuses with `invalid_credentials`, `totp_required`, `invalid_code`,
   * `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`, `passkeys_unavailable`,
   * `not_found`.
   */
  readonly deletePasskey: (input: {
    /** The id of the passkey */
    id: string
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Start proving with a passkey that you are the owner
   *
   * What the browser answers is sent as `passkey` of the call that needs a proof, from this login session.
   *
   * `POST /api/auth/passkeys/proof/options`. Refuses with `no_passkeys`, `passkeys_unavailable`.
   */
  readonly passkeyProofOptions: (input?: Record<string, never>, options?: CallOptions) => Promise<{ options: PasskeyRequestOptions }>

  /**
   * Have sign-ins with the password ask for a passkey too, or no longer
   *
   * Needs a proof as adding a passkey does. Where no recovery codes are good yet, turning it on makes some. Where
   * an authenticator app is set up, a passkey may stand in for its code in any case.
   *
   * `POST /api/auth/passkeys/second-factor`. Refuses with `invalid_credentials`, `totp_required`, `invalid_code`,
   * `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`, `passkeys_unavailable`,
   * `no_passkeys`.
   */
  readonly setPasskeySecondFactor: (input: {
    /** Whether a passkey has to follow the password */
    enabled: boolean
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<{
    /** What was done, as a sentence for people */
    message: string
    /**
     * Codes that stand in for a passkey, each once; shown only here, and null where the account has some already
     */
    recovery_codes: string[] | null
  }>

  /**
   * Change your password
   *
   * Ends every login session of the account, this one too, and answers with the JWT of a new one.
   *
   * `POST /api/auth/password/change`. Refuses with `invalid_credentials`, `rate_limited`, `invalid_passkey`,
   * `passkey_copied`, `passkey_challenge_over`, `passkeys_unavailable`.
   */
  readonly changePassword: (input: {
    /** The present password; needed unless a passkey is sent, or the session has a proof */
    current_password?: string | undefined
    /** The new password: 8 characters or more, of any kind */
    new_password: string
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<{
    /** What was done, as a sentence for people */
    message: string
    /** A JWT, for `Authorization: Bearer`; it ends with its login session, 12 hours by default */
    token: string
  }>

  /**
   * Your login sessions that are not over
   *
   * One for each sign-in. Sessions of apps are not among them.
   *
   * `GET /api/auth/sessions`
   */
  readonly listLoginSessions: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** All of them, newest first */
    sessions: LoginSession[]
  }>

  /**
   * End all your login sessions but this one
   *
   * For a lost device: their JWTs stop working at once. Takes the fields of a proof, unless the session has one or
   * began in the last 5 minutes.
   *
   * `DELETE /api/auth/sessions`. Refuses with `proof_required`, `invalid_credentials`, `totp_required`,
   * `invalid_code`, `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `passkeys_unavailable`.
   */
  readonly endOtherLoginSessions: (input?: {
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * End one of your login sessions
   *
   * Its JWT stops working at once. It may be the one of this call.
   *
   * `DELETE /api/auth/sessions/{id}`. Refuses with `not_found`.
   */
  readonly endLoginSession: (input: {
    /** The id of the login session */
    id: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Prove once that you are the owner, for the calls of the next minutes
   *
   * For 5 minutes every call of this login session that takes a proof goes without its fields. A second proof
   * begins that time anew; a proof does not prove itself.
   *
   * `POST /api/auth/proof`. Refuses with `invalid_credentials`, `totp_required`, `invalid_code`, `rate_limited`,
   * `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`, `passkeys_unavailable`.
   */
  readonly proveOwner: (input?: {
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<{
    /** Until when calls of this session need no proof */
    proved_until: string
  }>

  /**
   * Register an app; its secret is shown this once
   *
   * Needs a verified address. People can authorize the app once an admin has approved it. It starts with the
   * requested scopes, without deploy:manage, which becomes a scope request.
   *
   * `POST /api/oauth/apps`. Refuses with `email_not_verified`.
   */
  readonly createApp: (input: {
    /** The name that people see when they are asked, without control characters */
    app_name: string
    /**
     * Where codes may be sent: https, http on loopback, or a scheme of your own with a dot; compared character by
     * character
     */
    redirect_uris: string[]
    /** What the app is for, which people read */
    app_description?: string | undefined
    /** A picture of the app: http or https */
    logo_url?: string | undefined
    /** The pages of the app: http or https */
    website_url?: string | undefined
    /** Which scopes the app needs; profile:read if nothing is sent */
    requested_scopes?: string[] | undefined
    /** Whether a code needs its verifier even where the secret is sent */
    require_pkce?: boolean | undefined
  }, options?: CallOptions) => Promise<{
    /** The new app, with its secret */
    app: NewApp
  }>

  /**
   * The apps that you own
   *
   * All of them, newest first, with how their review stands. Secrets are never shown again.
   *
   * `GET /api/oauth/my-apps`
   */
  readonly listMyApps: (input?: Record<string, never>, options?: CallOptions) => Promise<OwnedAppWithUsers[]>

  /**
   * Submit a rejected app of yours for review again
   *
   * It is pending then. What the admin wrote stays readable until the next decision.
   *
   * `POST /api/oauth/my-apps/{id}/submit`. Refuses with `not_found`, `not_allowed_now`.
   */
  readonly submitMyApp: (input: {
    /** The id of the app */
    id: string
  }, options?: CallOptions) => Promise<OwnedApp>

  /**
   * Change an app of yours
   *
   * What is left out stays. Scopes that are taken away stop working at once, in tokens that were issued before,
   * too.
   *
   * `PUT /api/oauth/my-apps/{id}`. Refuses with `not_found`, `scope_not_allowed`.
   */
  readonly updateMyApp: (input: {
    /** The id of the app */
    id: string
    /** Which scopes the app keeps; more are had by a scope request only */
    allowed_scopes?: string[] | undefined
    /** What the app is for; null clears it */
    app_description?: string | null | undefined
    /** The name that people see when they are asked, without control characters */
    app_name?: string | undefined
    /** A picture of the app: http or https; null clears it */
    logo_url?: string | null | undefined
    /**
     * Where codes may be sent: https, http on loopback, or a scheme of your own with a dot; compared character by
     * character
     */
    redirect_uris?: string[] | undefined
    /** The pages of the app: http or https; null clears it */
    website_url?: string | null | undefined
    /** Whether a code needs its verifier even where the secret is sent */
    require_pkce?: boolean | undefined
  }, options?: CallOptions) => Promise<OwnedApp>

  /**
   * Ask an admin for more scopes
   *
   * Nobody is told of the decision: poll the list. points:award cannot be asked for.
   *
   * `POST /api/oauth/my-apps/{id}/scope-request`. Refuses with `not_found`.
   */
  readonly requestScopes: (input: {
    /** The id of the app */
    id: string
    /** Which scopes the app needs */
    requested_scopes: string[]
  }, options?: CallOptions) => Promise<ScopeRequest>

  /**
   * Your scope requests for an app, newest first
   *
   * Poll it to learn of a decision. Approved scopes stand in the `allowed_scopes` of the app.
   *
   * `GET /api/oauth/my-apps/{id}/scope-requests`. Refuses with `not_found`.
   */
  readonly listScopeRequests: (input: {
    /** The id of the app */
    id: string
  }, options?: CallOptions) => Promise<ScopeRequest[]>

  /**
   * Add a client secret; it is shown this once
   *
   * The others stay valid, so that a secret can be replaced without a gap: add one, deploy it, delete the old one.
   * Takes the fields of a proof, unless the session has one or began in the last minutes.
   *
   * `POST /api/oauth/my-apps/{id}/secrets`. Refuses with `not_found`, `too_many_secrets`, `proof_required`,
   * `invalid_credentials`, `totp_required`, `invalid_code`, `rate_limited`, `invalid_passkey`, `passkey_copied`,
   * `passkey_challenge_over`, `passkeys_unavailable`.
   */
  readonly createSecret: (input: {
    /** The id of the app */
    id: string
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<NewClientSecret>

  /**
   * The client secrets of an app: last characters and last use
   *
   * The secrets themselves are kept nowhere. The last use shows which of them can be deleted.
   *
   * `GET /api/oauth/my-apps/{id}/secrets`. Refuses with `not_found`.
   */
  readonly listSecrets: (input: {
    /** The id of the app */
    id: string
  }, options?: CallOptions) => Promise<{
    /** All of them, newest first */
    secrets: ClientSecret[]
  }>

  /**
   * Delete a client secret; it stops working at once
   *
   * Tokens that were issued with it stay valid.
   *
   * `DELETE /api/oauth/my-apps/{id}/secrets/{secret_id}`. Refuses with `not_found`.
   */
  readonly deleteSecret: (input: {
    /** The id of the app */
    id: string
    /** The id of the secret */
    secret_id: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Grant an app access and get an authorization code
   *
   * Called with the JWT of the user who grants. A browser that comes here without one is sent to the consent page.
   *
   * `GET /api/oauth/authorize`. Refuses with `request_not_supported`, `request_uri_not_supported`,
   * `registration_not_supported`, `invalid_request`, `unsupported_response_type`, `invalid_client`, `rate_limited`,
   * `unauthorized_client`, `invalid_scope`, `login_required`, `consent_required`.
   */
  readonly authorize: (input: {
    /** The `client_id` of the app */
    client_id: string
    /** Always `code` */
    response_type: string
    /** The SHA-256 of the code verifier, in base64url without padding */
    code_challenge: string
    /** Always `S256` */
    code_challenge_method: string
    /**
     * Where the answer goes: a registered address, character by character; without it, the first that is registered
     */
    redirect_uri?: string | undefined
    /** Comes back unchanged: ties the answer to the browser that asked */
    state?: string | undefined
    /** Scopes with spaces between; without it, all allowed_scopes of the app */
    scope?: string | undefined
    /** Comes back in the identity token */
    nonce?: string | undefined
    /** `none` to ask the person nothing, or any of `login`, `consent` and `select_account` */
    prompt?: string | undefined
    /** How many seconds ago the person may have signed in at most */
    max_age?: number | undefined
    /** An identity token, expired or not, of the person whom the app expects */
    id_token_hint?: string | undefined
    /** `query`, if it is sent */
    response_mode?: string | undefined
    /** Whether the page has asked the person to sign in for this request, and they did */
    after_sign_in?: boolean | undefined
  }, options?: CallOptions) => Promise<Authorization>

  /**
   * What the consent page shows for an authorization request; grants nothing
   *
   * With the same parameters and refusals as `GET /api/oauth/authorize`, so that a page can ask before it acts.
   *
   * `GET /api/oauth/authorize/request`. Refuses with `request_not_supported`, `request_uri_not_supported`,
   * `registration_not_supported`, `invalid_request`, `unsupported_response_type`, `invalid_client`, `rate_limited`,
   * `unauthorized_client`, `invalid_scope`, `login_required`, `consent_required`.
   */
  readonly describeAuthorization: (input: {
    /** The `client_id` of the app */
    client_id: string
    /** Always `code` */
    response_type: string
    /** The SHA-256 of the code verifier, in base64url without padding */
    code_challenge: string
    /** Always `S256` */
    code_challenge_method: string
    /**
     * Where the answer goes: a registered address, character by character; without it, the first that is registered
     */
    redirect_uri?: string | undefined
    /** Comes back unchanged: ties the answer to the browser that asked */
    state?: string | undefined
    /** Scopes with spaces between; without it, all allowed_scopes of the app */
    scope?: string | undefined
    /** Comes back in the identity token */
    nonce?: string | undefined
    /** `none` to ask the person nothing, or any of `login`, `consent` and `select_account` */
    prompt?: string | undefined
    /** How many seconds ago the person may have signed in at most */
    max_age?: number | undefined
    /** An identity token, expired or not, of the person whom the app expects */
    id_token_hint?: string | undefined
    /** `query`, if it is sent */
    response_mode?: string | undefined
    /** Whether the page has asked the person to sign in for this request, and they did */
    after_sign_in?: boolean | undefined
  }, options?: CallOptions) => Promise<AuthorizationRequest>

  /**
   * The apps that you have let act for you
   *
   * With what each may do, and when it last did anything.
   *
   * `GET /api/user/connected-apps`
   */
  readonly listConnectedApps: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** All of them, newest first */
    connected_apps: ConnectedApp[]
  }>

  /**
   * Bound what an app may spend of yours in 24 hours; null removes the bound
   *
   * Spends, transfers and holds of the last 24 hours count, and open holds. It can be set before the app is
   * connected, and it stays when the app is disconnected.
   *
   * `PUT /api/user/connected-apps/{app_id}/limit`. Refuses with `not_found`.
   */
  readonly setDailyLimit: (input: {
    /** The id of the app */
    app_id: string
    /** What the app may spend, send and hold in 24 hours, in points; null for no bound */
    daily_limit: number | null
  }, options?: CallOptions) => Promise<{
    /** The id of the app */
    app_id: string
    /** What the app may spend, send and hold in 24 hours, in points; null for no bound */
    daily_limit: number | null
  }>

  /**
   * Disconnect an app: all its tokens for you stop working at once
   *
   * Points that it holds are freed. It asks again before it acts for you the next time.
   *
   * `DELETE /api/user/connected-apps/{app_id}`. Refuses with `not_found`.
   */
  readonly disconnectApp: (input: {
    /** The id of the app */
    app_id: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * What you earned, spent and had on each of the last days
   *
   * One row for each day, the oldest first, the last one today; days without movements too. `balance` is what you
   * had when the day ended. Days begin at midnight of `time_zone`.
   *
   * `GET /api/points/series`
   */
  readonly pointsSeries: (input?: {
    /** How many days, today among them */
    days?: number | undefined
    /** In which days begin: an IANA name such as Europe/Berlin */
    time_zone?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The time zone of the days */
    time_zone: string
    /** One row for each day, the oldest first */
    days: DayOfPoints[]
  }>

  /**
   * Every movement of your points, newest first
   *
   * What is held is no movement until it is captured. Filters narrow the list; `from` is included and `to` is not.
   *
   * `GET /api/points/history`
   */
  readonly myPointsHistory: (input?: {
    /**
     * Why points moved: `charge` and `stipend` are of hosting, `play` occurs in a sandbox only, `closure` when
     * somebody left
     */
    kind?: TransferKind | undefined
    /** `in` where the account got the points, `out` where it gave them */
    direction?: 'in' | 'out' | undefined
    /** The id of the app */
    app_id?: string | undefined
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: HistoryEntry[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * The same list as CSV (RFC 4180), newest first
   *
   * Streamed, whole and without pages. A cell that a spreadsheet would take for a formula begins with an
   * apostrophe.
   *
   * `GET /api/points/history.csv`
   */
  readonly exportMyHistory: (input?: {
    /**
     * Why points moved: `charge` and `stipend` are of hosting, `play` occurs in a sandbox only, `closure` when
     * somebody left
     */
    kind?: TransferKind | undefined
    /** `in` where the account got the points, `out` where it gave them */
    direction?: 'in' | 'out' | undefined
    /** The id of the app */
    app_id?: string | undefined
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
  }, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>

  /**
   * Points of yours that apps hold, newest first
   *
   * Settled holds stay in the list. What is held is no movement until the app takes it. Without `from` and `to`, of
   * all time; they bound `inserted_at`.
   *
   * `GET /api/points/holds`
   */
  readonly listMyHolds: (input?: {
    /** `open` until the points are taken (`captured`) or freed (`released`); then it stays */
    status?: HoldStatus | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: OwnHold[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Your friends
   *
   * All of them, by name. Requests that are not answered are not among them.
   *
   * `GET /api/social/friends`
   */
  readonly listFriends: (input?: Record<string, never>, options?: CallOptions) => Promise<Friend[]>

  /**
   * Ask somebody to be your friend
   *
   * A new request answers 201. Repeating it gives the same friendship with 200, and so does asking somebody who has
   * asked you: that accepts.
   *
   * `POST /api/social/friends`. Refuses with `user_not_found`, `blocked`.
   */
  readonly requestFriend: (input: {
    /** The id of the person to ask */
    friend_id: string
  }, options?: CallOptions) => Promise<Friendship>

  /**
   * Requests that wait for your answer; `id` is the one who asks
   *
   * Newest first. Answer with the `friendship_id`.
   *
   * `GET /api/social/friends/pending`
   */
  readonly listPendingFriends: (input?: Record<string, never>, options?: CallOptions) => Promise<FriendRequest[]>

  /**
   * Accept or reject a request; `id` is the friendship
   *
   * Only the one who was asked may answer, and only once.
   *
   * `PUT /api/social/friends/{id}`. Refuses with `not_found`, `forbidden`, `not_allowed_now`.
   */
  readonly answerFriend: (input: {
    /** The id of the friendship */
    id: string
    /** The answer */
    action: 'accept' | 'reject'
  }, options?: CallOptions) => Promise<{
    /** What the friendship is now */
    status: 'accepted' | 'rejected'
  }>

  /**
   * End a friendship or take a request back; `id` is the friendship
   *
   * Either may, and it can be repeated. A new request makes it pending again.
   *
   * `DELETE /api/social/friends/{id}`. Refuses with `not_found`.
   */
  readonly removeFriend: (input: {
    /** The id of the friendship */
    id: string
  }, options?: CallOptions) => Promise<{
    /** Always this word */
    status: 'removed'
  }>

  /**
   * Block a user, which also ends a friendship
   *
   * You do not see each other in search and presence any more. The blocked one is not told.
   *
   * `POST /api/social/block`. Refuses with `user_not_found`.
   */
  readonly blockUser: (input: {
    /** The id of the person */
    user_id: string
  }, options?: CallOptions) => Promise<{
    /** Always this word */
    status: 'blocked'
  }>

  /**
   * Lift a block; without one the answer is the same
   *
   * A friendship that the block has ended stays ended.
   *
   * `DELETE /api/social/block/{user_id}`
   */
  readonly unblockUser: (input: {
    /** The id of the person */
    user_id: string
  }, options?: CallOptions) => Promise<{
    /** Always this word */
    status: 'unblocked'
  }>

  /**
   * The users you have blocked, newest first
   *
   * Only you see the list.
   *
   * `GET /api/social/blocks`
   */
  readonly listBlocks: (input?: {
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: BlockedUser[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Which of your friends are online, and where
   *
   * `user_ids`, separated by commas, picks some of them. Friends who were never online are left out.
   *
   * `GET /api/social/presence`
   */
  readonly listPresence: (input?: {
    /** Ids of friends with commas between; without it, all friends */
    user_ids?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** One entry for each friend who has been online */
    presence: PresenceEntry[]
  }>

  /**
   * Say that you are online; repeat it to stay so
   *
   * Every half minute is often enough. Each call replaces game and lobby, whose bad words are masked. A muted
   * person sends neither.
   *
   * `POST /api/social/presence`. Refuses with `muted`.
   */
  readonly announcePresence: (input?: {
    /** What you play, which friends see */
    game?: string | undefined
    /** Where you are, which friends see */
    lobby?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** Always this word */
    status: 'ok'
  }>

  /**
   * Leave at once, and leave no presence record behind
   *
   * Friends are told that you left. Without it you count as offline after a while.
   *
   * `DELETE /api/social/presence`
   */
  readonly leavePresence: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** Always this word */
    status: 'ok'
  }>

  /**
   * Who is at a table of a game
   *
   * Everybody who is online and gave this game, and this table as the lobby, friend or not.
   *
   * `GET /api/social/presence/table`
   */
  readonly listTablePresence: (input: {
    /** What is played */
    game: string
    /** Which table: what its players gave as `lobby` */
    ref_id: string
  }, options?: CallOptions) => Promise<{
    /** Who is there */
    users: TablePresence[]
  }>

  /**
   * Find users by username
   *
   * Yourself, and people who have blocked you or whom you have blocked, are left out.
   *
   * `GET /api/social/users/search`
   */
  readonly searchUsers: (input: {
    /** The beginning of a username, in any case */
    q: string
  }, options?: CallOptions) => Promise<{
    /** Who was found: the very name first, then by the alphabet */
    users: FoundUser[]
  }>

  /**
   * Open a channel: 201 for a new one, 200 for the one that is there
   *
   * Type and `ref_id` together are the channel. Every signed-in person may read and write in it. Bad words of a new
   * `ref_id` are masked; a muted person opens only channels that are there.
   *
   * `POST /api/social/chat/channels`. Refuses with `muted`.
   */
  readonly openChannel: (input: {
    type: ChannelType
    /** What the clients call the channel, such as the id of a table */
    ref_id?: string | undefined
  }, options?: CallOptions) => Promise<ChatChannel>

  /**
   * Messages of a channel, newest first
   *
   * For the page before this one, send the `sent_at` of its last message as `before`.
   *
   * `GET /api/social/chat/{channel_id}/messages`. Refuses with `not_found`.
   */
  readonly listMessages: (input: {
    /** The id of the channel */
    channel_id: string
    /** How many messages at most */
    limit?: number | undefined
    /** Only messages before this moment: the `sent_at` of the last one read */
    before?: string | undefined
  }, options?: CallOptions) => Promise<ChatMessage[]>

  /**
   * Say something in a channel
   *
   * With an `Idempotency-Key` the call may be repeated safely: the message is posted once.
   *
   * `POST /api/social/chat/{channel_id}/messages`. Refuses with `not_found`, `idempotency_key_reused`, `muted`.
   */
  readonly sendMessage: (input: {
    /** The id of the channel */
    channel_id: string
    /** What to say, as plain text */
    body: string
  }, options?: KeyedOptions) => Promise<ChatMessage>

  /**
   * Your notices, newest first
   *
   * What happens again before it is read is one notice with a count. They are kept for some months.
   *
   * `GET /api/notices`
   */
  readonly listNotices: (input?: {
    /** Only notices of this kind */
    kind?: NoticeKind | undefined
    /** Only those that are unread */
    unread?: boolean | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: Notice[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * How many notices are unread
   *
   * For a badge. `GET /api/events?notices=true` tells it whenever it changes.
   *
   * `GET /api/notices/unread`
   */
  readonly countUnreadNotices: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** How many notices are unread, counted up to 100 */
    unread: number
  }>

  /**
   * Mark notices as read
   *
   * Exactly one of `id`, `upto` and `channel_id`. What comes while the call runs stays unread, and so does a notice
   * to which more was added since it was listed. It can be repeated.
   *
   * `POST /api/notices/read`. Refuses with `not_found`.
   */
  readonly readNotices: (input?: {
    /** Only this notice */
    id?: string | undefined
    /** This notice and all before it */
    upto?: string | undefined
    /** The notice of the messages in this chat, where there is one */
    channel_id?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** How many notices are unread, counted up to 100 */
    unread: number
  }>

  /**
   * Which kinds of notices come to your list, and which by mail
   *
   * One entry for each kind that you can get: `review` is for admins.
   *
   * `GET /api/notices/settings`
   */
  readonly listNoticeSettings: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** By kind */
    settings: NoticeSetting[]
  }>

  /**
   * Mute a kind of notices, or have it mailed
   *
   * What is left out stays. It holds for what happens from then on.
   *
   * `PATCH /api/notices/settings/{kind}`. Refuses with `not_found`.
   */
  readonly changeNoticeSetting: (input: {
    /**
     * What it is about: `apps` are decisions about your own apps, `moderation` about your reports and about you,
     * `review` what waits for an admin
     */
    kind: NoticeKind
    /** Whether notices of the kind come to the list and its count */
    console?: boolean | undefined
    /**
     * Whether they are mailed: what is decided about apps, reports, deployments and webhooks at once, all else
     * gathered
     */
    mail?: boolean | undefined
  }, options?: CallOptions) => Promise<NoticeSetting>

  /**
   * Report a message or a person to the admins
   *
   * Exactly one of `message_id` and `user_id`, and never your own. A new report answers 201; while it is open,
   * repeating it gives the same report with 200. You are mailed what came of it. Neither the person nor anybody
   * else is told who reported.
   *
   * `POST /api/social/reports`. Refuses with `not_found`, `user_not_found`, `not_allowed_now`, `already_decided`,
   * `too_many_reports`.
   */
  readonly createReport: (input: {
    /** The id of the message */
    message_id?: string | undefined
    /** The id of the person */
    user_id?: string | undefined
    reason: ReportReason
    /** What an admin should know beside it */
    note?: string | undefined
  }, options?: CallOptions) => Promise<Report>

  /**
   * What you reported and what came of it, newest first
   *
   * Only you and the admins see the list.
   *
   * `GET /api/social/reports`
   */
  readonly listMyReports: (input?: {
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: Report[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Be told of messages, friendships and presence as they happen
   *
   * Server-sent events, without end: `message` of the channels named in `channels` (ids, separated by commas),
   * `message_removed` where an admin removed the text of one, `friendship` and `presence` of your own; with
   * `notices=true` also `notices`, with how many are unread. To go on where a broken stream ended, send the id of
   * the last event as `Last-Event-ID` or `last_event_id`. After `reset` read the lists again: what came in between
   * is no longer kept. `session_ended` is the last event of a session.
   *
   * `GET /api/events`. Refuses with `not_found`, `rate_limited`.
   */
  readonly readEvents: (input?: {
    /** Ids of channels whose messages to send, with commas between */
    channels?: string | undefined
    /** Whether to be told how many notices are unread, now and at each change */
    notices?: boolean | undefined
  }, options?: StreamOptions) => EventStream<{
    message: {
      /** The id of the channel */
      channel_id: string
      /** A UUID, which stays the same */
      id: string
      /** The id of who wrote it */
      sender_id: string
      /** The name of the person, as others see it; null where the account is gone */
      sender_username: string | null
      /** What was written, with some words masked by asterisks */
      filtered_body: string
      /** When it was posted; later than any before it in the channel */
      sent_at: string
      /** Whether an admin removed the text: another stands in its place, and the message keeps its own */
      removed: boolean
    }
    message_removed: {
      /** The id of the channel */
      channel_id: string
      /** A UUID, which stays the same */
      id: string
      /** The id of who wrote it */
      sender_id: string
      /** The name of the person, as others see it; null where the account is gone */
      sender_username: string | null
      /** What was written, with some words masked by asterisks */
      filtered_body: string
      /** When it was posted; later than any before it in the channel */
      sent_at: string
      /** Whether an admin removed the text: another stands in its place, and the message keeps its own */
      removed: boolean
    }
    friendship: {
      /** The id of the friendship */
      friendship_id: string
      status: FriendshipStatus
      /** The id of the one who asked */
      requester_id: string
      /** The id of the other person */
      user_id: string
      /** The name of the other person */
      username: string
    }
    presence: PresenceEntry
    notices: {
      /** How many notices are unread, counted up to 100 */
      unread: number
    }
    reset: Record<string, never>
    session_ended: Record<string, never>
  }>

  /**
   * The webhooks of an app of yours
   *
   * All of them, with those that are switched off. Secrets are never shown again.
   *
   * `GET /api/oauth/my-apps/{id}/webhooks`. Refuses with `not_found`.
   */
  readonly listWebhooks: (input: {
    /** The id of the app */
    id: string
  }, options?: CallOptions) => Promise<{
    /** All of them, oldest first */
    webhooks: Webhook[]
  }>

  /**
   * Register an address for events; its secret is shown this once
   *
   * Without `events` it gets all, those that are added later too. The body of each request is one of the payloads
   * under `webhooks` of this document, signed as Standard Webhooks says: any of its verifiers takes the secret as
   * it is.
   *
   * `POST /api/oauth/my-apps/{id}/webhooks`. Refuses with `not_found`, `too_many_webhooks`,
   * `idempotency_key_reused`.
   */
  readonly createWebhook: (input: {
    /** The id of the app */
    id: string
    /** Where to: an https address that leads to public addresses only, without user information and fragment */
    url: string
    /** Which events to send; without it all, those that are added later too */
    events?: AppEventType[] | undefined
  }, options?: KeyedOptions) => Promise<{
    /** The webhook as it is now */
    webhook: Webhook
    /** The secret, `whsec_` and base64, as verifiers of Standard Webhooks take it; shown only here */
    secret: string
  }>

  /**
   * Change a webhook, switch it off or on
   *
   * What waits while a webhook is off is delivered when it is on again; for what happens meanwhile, no deliveries
   * are made: see `GET /api/app/events`. `events: null` stands for all.
   *
   * `PUT /api/oauth/my-apps/{id}/webhooks/{webhook_id}`. Refuses with `not_found`.
   */
  readonly updateWebhook: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
    /** Where to: an https address that leads to public addresses only, without user information and fragment */
    url?: string | undefined
    /** Which events to send; null stands for all, those that are added later too */
    events?: AppEventType[] | null | undefined
    /** Whether it sends anything */
    enabled?: boolean | undefined
  }, options?: CallOptions) => Promise<{
    /** The webhook as it is now */
    webhook: Webhook
  }>

  /**
   * Delete a webhook, with what waits and its log
   *
   * Requests that are under way are finished.
   *
   * `DELETE /api/oauth/my-apps/{id}/webhooks/{webhook_id}`. Refuses with `not_found`.
   */
  readonly deleteWebhook: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Replace the secret of a webhook; the new one is shown this once
   *
   * For 24 hours the previous secret signs too, so that the receiver can change without a gap.
   *
   * `POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/rotate-secret`. Refuses with `not_found`,
   * `idempotency_key_reused`.
   */
  readonly rotateWebhookSecret: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
  }, options?: KeyedOptions) => Promise<{
    /** The webhook as it is now */
    webhook: Webhook
    /** The secret, `whsec_` and base64, as verifiers of Standard Webhooks take it; shown only here */
    secret: string
  }>

  /**
   * The deliveries of a webhook in the last 30 days, newest first
   *
   * One for each event that the webhook gets, however many attempts it takes. `from` and `to` bound `inserted_at`.
   *
   * `GET /api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries`. Refuses with `not_found`.
   */
  readonly listDeliveries: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
    /** `pending` until an attempt succeeds, or the last one has failed */
    status?: DeliveryStatus | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: WebhookDelivery[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * One delivery: the request, and every attempt with its answer
   *
   * Every attempt sends this body, with its own time and signature, which are not kept. `answer` is the beginning
   * of the body of the answer.
   *
   * `GET /api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries/{delivery_id}`. Refuses with `not_found`.
   */
  readonly getDelivery: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
    /** The id of the delivery */
    delivery_id: string
  }, options?: CallOptions) => Promise<{
    /** The delivery with its request and attempts */
    delivery: LoggedDelivery
  }>

  /**
   * Deliver once more, now, with all retries again
   *
   * One that has succeeded, too. The event has the same id, so a receiver can tell that it saw it before. 409 while
   * the webhook is switched off.
   *
   * `POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver`. Refuses with
   * `not_found`, `not_allowed_now`, `idempotency_key_reused`.
   */
  readonly redeliver: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
    /** The id of the delivery */
    delivery_id: string
  }, options?: KeyedOptions) => Promise<{
    /** The delivery as it is now */
    delivery: WebhookDelivery
  }>

  /**
   * Deliver everything once more that failed for good since a time
   *
   * `has_more` says that this was not all: call it again. 409 while the webhook is switched off.
   *
   * `POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/redeliver-failed`. Refuses with `not_found`,
   * `not_allowed_now`, `idempotency_key_reused`.
   */
  readonly redeliverFailed: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
    /** Deliveries of events from this moment on */
    since: string
  }, options?: KeyedOptions) => Promise<{
    /** How many deliveries this call put back */
    redelivered: number
    /** Whether there are more: then call it again */
    has_more: boolean
  }>

  /**
   * Send the event webhook.test to a webhook
   *
   * It is delivered like any other event, and is in no list of events. 409 while the webhook is switched off.
   *
   * `POST /api/oauth/my-apps/{id}/webhooks/{webhook_id}/test`. Refuses with `not_found`, `not_allowed_now`,
   * `idempotency_key_reused`.
   */
  readonly testWebhook: (input: {
    /** The id of the app */
    id: string
    /** The id of the webhook */
    webhook_id: string
  }, options?: KeyedOptions) => Promise<{
    /** The delivery as it is now */
    delivery: WebhookDelivery
  }>

  /**
   * The learning paths there are to choose from
   *
   * The same for everybody.
   *
   * `GET /api/btc-progress/learning-paths`
   */
  readonly listLearningPaths: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** All of them */
    paths: LearningPath[]
  }>

  /**
   * Your learning path, its modules and how far you are
   *
   * Modules and steps can be taken in any order. Without a chosen path there are none.
   *
   * `GET /api/btc-progress/available-modules`
   */
  readonly listModules: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The name of the chosen path; null before the choice */
    learning_path: string | null
    /** The modules of the path, in their order */
    modules: LearningModule[]
  }>

  /**
   * Choose a learning path, as long as no module is started
   *
   * The first completed step fixes the choice. An unknown path is 422.
   *
   * `POST /api/btc-progress/learning-path`. Refuses with `path_already_started`.
   */
  readonly chooseLearningPath: (input: {
    /** The name of a learning path */
    path: string
  }, options?: CallOptions) => Promise<{
    /** The name of a learning path */
    learning_path: string
    /** Always this word */
    status: 'selected'
  }>

  /**
   * How far you are in a module
   *
   * Of the path that you chose; modules of other paths are 404.
   *
   * `GET /api/btc-progress/module/{module_number}/status`. Refuses with `not_found`.
   */
  readonly getModuleStatus: (input: {
    /** The number of the module within the learning path */
    module_number: number
  }, options?: CallOptions) => Promise<ModuleStatus>

  /**
   * Begin a completed module again, after its cooldown
   *
   * Its steps are open again then, and pay nothing the second time.
   *
   * `POST /api/btc-progress/module/{module_number}/reset`. Refuses with `not_found`, `not_completed`,
   * `cooldown_active`.
   */
  readonly resetModule: (input: {
    /** The number of the module within the learning path */
    module_number: number
  }, options?: CallOptions) => Promise<{
    /** The number of the module within the learning path */
    module_number: number
    /** Always this word */
    status: 'reset'
  }>

  /**
   * Complete a step; its reward is paid the first time only
   *
   * May be repeated. The last open step of a module completes the module. The reward of a person whose address is
   * not verified waits for the verification.
   *
   * `POST /api/btc-progress/{step_id}/complete`. Refuses with `not_found`.
   */
  readonly completeStep: (input: {
    /** The id of the step */
    step_id: string
  }, options?: CallOptions) => Promise<{
    /** The id of the step */
    step_id: string
    /** Whether this call completed it */
    status: 'completed' | 'already_completed'
    /** What the person gets for it, in points; null where nothing. It may wait for a verified address */
    reward: number | null
  }>

  /**
   * Deployments by name, and apps by the reference of a payment, among all of yours
   *
   * For a search over everything: at most a few of each, the newest first.
   *
   * `GET /api/search`
   */
  readonly searchMyApps: (input: {
    /** A part of a name of a deployment, or the whole reference of a payment */
    q: string
  }, options?: CallOptions) => Promise<{
    /** Deployments that are not destroyed and have it in their name */
    deployments: {
      /** The id of the deployment */
      id: string
      /** The id of the app */
      app_id: string
      /** The name of the app, as people see it */
      app_name: string
      /** The name under which it is reached */
      subdomain: string
      /** The image in its full spelling, with a tag or a digest */
      container_image: string
      status: DeploymentStatus
    }[]
    /** Apps that have movements with this reference */
    payments: {
      /** The id of the app */
      app_id: string
      /** The name of the app, as people see it */
      app_name: string
    }[]
  }>

  /**
   * What an app of yours has, and what is held for it
   *
   * What the app itself reads at `/api/app/balance`.
   *
   * `GET /api/oauth/my-apps/{id}/balance`. Refuses with `not_found`.
   */
  readonly getBalanceOfMyApp: (input: {
    /** The id of the app */
    id: string
  }, options?: CallOptions) => Promise<AppBalance>

  /**
   * What an app of yours earned, returned and had, by day or month
   *
   * One row for each day or month of UTC, the oldest first, those without movements too. `from` is the first day,
   * and `to` the first that is left out; without them, the last 30 days, or 12 months. `spent` is what was
   * refunded, and `balance` what the app had when the period ended.
   *
   * `GET /api/oauth/my-apps/{id}/balance/series`. Refuses with `not_found`.
   */
  readonly getSeriesOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** Whether a row is a day or a month, of UTC */
    unit?: 'day' | 'month' | undefined
    /** The first day, as in 2026-01-31 */
    from?: string | undefined
    /** The first day that is left out */
    to?: string | undefined
  }, options?: CallOptions) => Promise<BalanceSeries>

  /**
   * Every movement of the points of an app of yours, and every transfer it made, newest first
   *
   * `from` and `to` bound `inserted_at`: from that moment on, and before that moment.
   *
   * `GET /api/oauth/my-apps/{id}/transfers`. Refuses with `not_found`.
   */
  readonly listTransfersOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** The id of the person */
    user_id?: string | undefined
    /**
     * Why points moved: `charge` and `stipend` are of hosting, `play` occurs in a sandbox only, `closure` when
     * somebody left
     */
    kind?: TransferKind | undefined
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
    /** The exact name of a person, in any case, in place of `user_id` */
    username?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: OwnerTransfer[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * The same list as CSV (RFC 4180), newest first
   *
   * Streamed, whole and without pages. A cell that a spreadsheet would take for a formula begins with an
   * apostrophe.
   *
   * `GET /api/oauth/my-apps/{id}/transfers.csv`. Refuses with `not_found`.
   */
  readonly exportTransfersOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** The id of the person */
    user_id?: string | undefined
    /**
     * Why points moved: `charge` and `stipend` are of hosting, `play` occurs in a sandbox only, `closure` when
     * somebody left
     */
    kind?: TransferKind | undefined
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
    /** The exact name of a person, in any case, in place of `user_id` */
    username?: string | undefined
  }, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>

  /**
   * One movement, with its hold, its refunds, and what webhooks were told about them
   *
   * `refundable_amount` is what can still be returned of a spend.
   *
   * `GET /api/oauth/my-apps/{id}/transfers/{transfer_id}`. Refuses with `not_found`.
   */
  readonly getTransferOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** The id of the movement */
    transfer_id: string
  }, options?: CallOptions) => Promise<{
    /** The movement */
    transfer: OwnerTransfer
    /** The hold that the movement captured; null where there was none */
    hold: Hold | null
    /** The movements that returned points of it, oldest first */
    refunds: AppTransfer[]
    /** How many points of it were returned so far */
    refunded_amount: number
    /** How many points of it can still be returned; 0 where it is no spend */
    refundable_amount: number
    /** What webhooks of the app were told of it */
    deliveries: {
      /** The id of the delivery */
      id: string
      /** The id of the webhook */
      webhook_id: string
      /** Where it sends events to */
      url: string
      /** Which event it is */
      type: string
      status: DeliveryStatus
      /** How many attempts were made */
      attempts: number
      /** The HTTP status of the last answer; null where there was none */
      status_code: number | null
      /** When it was made */
      inserted_at: string
    }[]
  }>

  /**
   * Return points of a spend to the person who spent them
   *
   * All of it, or a part; all refunds of a spend together never exceed it. Possible after the person disconnected
   * the app and after the app lost its approval, too.
   *
   * `POST /api/oauth/my-apps/{id}/refunds`. Refuses with `not_found`, `refund_exceeds_spend`,
   * `insufficient_points`, `points_limit_reached`, `idempotency_key_reused`, `outcome_unknown`, `overloaded`.
   */
  readonly refundOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** The spend, or the capture of a hold, that is returned */
    transfer_id: string
    /** How many points to return; without it, all that were not returned yet */
    amount?: number | undefined
    /** Why, which the person reads in the history */
    reason?: string | undefined
  }, options?: KeyedOptions) => Promise<RefundResult>

  /**
   * The holds of an app of yours, newest first
   *
   * Settled ones stay in the list. Without `from` and `to`, of all time; they bound `inserted_at`.
   *
   * `GET /api/oauth/my-apps/{id}/holds`. Refuses with `not_found`.
   */
  readonly listHoldsOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** `open` until the points are taken (`captured`) or freed (`released`); then it stays */
    status?: HoldStatus | undefined
    /** The id of the person */
    user_id?: string | undefined
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
    /** The exact name of a person, in any case, in place of `user_id` */
    username?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: OwnerHold[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * One hold of an app of yours
   *
   * With the name of the person.
   *
   * `GET /api/oauth/my-apps/{id}/holds/{hold_id}`. Refuses with `not_found`.
   */
  readonly getHoldOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** The id of the hold */
    hold_id: string
  }, options?: CallOptions) => Promise<{
    /** The hold as it counts now */
    hold: OwnerHold
  }>

  /**
   * Free points that an app of yours holds
   *
   * As the app itself does with `/api/app/holds/{id}/void`.
   *
   * `POST /api/oauth/my-apps/{id}/holds/{hold_id}/void`. Refuses with `not_found`, `hold_settled`,
   * `idempotency_key_reused`, `outcome_unknown`, `overloaded`.
   */
  readonly voidHoldOfMyApp: (input: {
    /** The id of the app */
    id: string
    /** The id of the hold */
    hold_id: string
  }, options?: KeyedOptions) => Promise<SettledHold>

  /**
   * What you lose by leaving
   *
   * For a page that asks before it deletes the account. Changes nothing.
   *
   * `GET /api/auth/account/leaving`
   */
  readonly getLeaving: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** What the account has, held points among them */
    points: number
    /** What apps hold of it */
    held: number
    /** Your apps, which are withdrawn */
    apps: {
      /** The id of the app */
      id: string
      /** The name of the app, as people see it */
      app_name: string
      /** How many other people are connected with it now */
      people: number
      /** What it has earned and not returned */
      points: number
    }[]
    /** Your deployments, which are destroyed */
    deployments: {
      /** The id of the deployment */
      id: string
      /** The id of the app */
      app_id: string
      /** Its name, under which people reach it */
      subdomain: string
    }[]
    /** How many apps are connected */
    connected_apps: number
    /** How many friends there are */
    friends: number
    /** Whether you are the only admin, who cannot leave */
    is_last_admin: boolean
  }>

  /**
   * Everything about you, as one JSON document
   *
   * A file of any length, streamed. It holds no secret: no password, code, token or key, no client secret, and no
   * value of an environment. A connection that breaks off leaves an incomplete document. Needs a proof or a sign-in
   * of the last minutes.
   *
   * `GET /api/auth/account/export`. Refuses with `proof_required`.
   */
  readonly exportAccount: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** When it was made */
    made_at: string
    /**
     * The account, one row; beside it are the lists sign_ins, sign_in_addresses, passkeys, notices,
     * notice_settings, movements, holds, waiting_rewards, spending_limits, connected_apps, consents, apps,
     * scope_requests, webhooks, ads, learning_path, learning_steps, friendships, blocked, presence, messages,
     * reports, moderation_cases, deployments, releases, audit_log
     */
    account: Record<string, never>[]
  }>

  /**
   * Delete your account
   *
   * For good. Sessions, connections, secrets, address and name go at once; your apps are withdrawn and their
   * deployments destroyed, and points that are left are lost. Movements stay under the id, without texts; chats
   * keep the places of your messages, without your name and words. Nobody else gets your name for 30 days. Backups
   * hold the account until they are replaced.
   *
   * `POST /api/auth/account/delete`. Refuses with `last_admin`, `invalid_credentials`, `totp_required`,
   * `invalid_code`, `rate_limited`, `invalid_passkey`, `passkey_copied`, `passkey_challenge_over`,
   * `passkeys_unavailable`.
   */
  readonly deleteAccount: (input?: {
    /** The password of the account; needed unless a passkey is sent, or the session has a proof */
    password?: string | undefined
    /** The 6 digits that the authenticator shows, or one of the recovery codes; each works once */
    totp_code?: string | undefined
    passkey?: PasskeyAuthentication | undefined
  }, options?: CallOptions) => Promise<MessageResponse>
}
