// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.

export type RegisteredUser = {
  /** A UUID, which stays the same */
  id: string
  /** The e-mail address of the account */
  email: string
  /** The name of the person, as others see it */
  username: string
  /** The rank of the person, which an admin sets */
  tier: string
  /** Whether a mailed code has shown that the address is theirs */
  email_verified: boolean
  /** What the account begins with, in points */
  points: number
  /** What others send as `referral_code` when they register */
  referral_code: string
  /** Counts registrations from 1; never used again */
  registration_number: number
}

export type SignedInUser = {
  /** A UUID, which stays the same */
  id: string
  /** The e-mail address of the account */
  email: string
  /** The name of the person, as others see it */
  username: string
  /** The rank of the person, which an admin sets */
  tier: string
  /** Whether the person may call `/api/admin` */
  is_admin: boolean
  /** Whether a mailed code has shown that the address is theirs */
  email_verified: boolean
  /** Whether signing in with the password takes a code of an authenticator app */
  totp_enabled: boolean
}

export type Profile = {
  /** A UUID, which stays the same */
  id: string
  /** The e-mail address of the account */
  email: string
  /** The name of the person, as others see it */
  username: string
  /** The rank of the person, which an admin sets */
  tier: string
  /** The sign of the rank */
  tier_emoji: string
  /** What the person can spend: all that was earned, less what was spent and what is held */
  points: number
  /** Points that apps hold, which are not among `points` */
  held: number
  /** What others send as `referral_code` when they register */
  referral_code: string
  /** What points for referrals are multiplied by; 1 until an admin sets it */
  signup_multiplier: number
  /** Whether a mailed code has shown that the address is theirs */
  email_verified: boolean
  /** Whether signing in with the password takes a code of an authenticator app */
  totp_enabled: boolean
  /** Whether the person may call `/api/admin` */
  is_admin: boolean
  /** What the account has gathered since it was made */
  stats: {
    /** Accounts that were registered with the referral code */
    direct_referrals: number
    /** Apps that are connected now */
    connected_apps: number
    /** All points that ever came in */
    total_earned: number
    /** All points that ever went out */
    total_spent: number
  }
}

export type ExternalUser = {
  /** A UUID, which stays the same */
  id: string
  /** The name of the person, as others see it */
  username: string
  /** The e-mail address of the account */
  email: string
  /** Whether a mailed code has shown that the address is theirs */
  email_verified: boolean
  /** The rank of the person */
  tier: string
  /** The sign of the rank */
  tier_emoji: string
  [name: string]: unknown
}

export type LoginSession = {
  /** A UUID, which stays the same */
  id: string
  /** Whether this call was made with it */
  current: boolean
  /** What the program called itself at the sign-in, its first 300 characters; null if nothing */
  user_agent: string | null
  /** When the person signed in */
  inserted_at: string
  /** When it ends by itself */
  expires_at: string
}

export type Passkey = {
  /** A UUID, which stays the same */
  id: string
  /** What the person calls it */
  name: string
  /**
   * Whether the authenticator finds it by itself, so that it signs in without an address; null where it did not say
   */
  discoverable: boolean | null
  /** Whether it is kept in more places than one, as password managers do */
  backed_up: boolean
  /** When a sign-in was last refused because its counter had gone back, as that of a copy does; null if never */
  copy_suspected_at: string | null
  /** When it was made */
  inserted_at: string
  /** When it was last used; null if never */
  last_used_at: string | null
}

/** What `navigator.credentials.get` is called with, after `PublicKeyCredential.parseRequestOptionsFromJSON` */
export type PasskeyRequestOptions = {
  /** What is to be signed, in base64url: good once, for 300 seconds and for this purpose only */
  challenge: string
  /** How long the browser asks, in milliseconds */
  timeout: number
  /** The domain name that the passkeys belong to: that of this Plaza */
  rpId: string
  /** The passkeys that are taken; empty where any of this Plaza is */
  allowCredentials: {
    /** The id that the authenticator gave the passkey, in base64url */
    id: string
    /** Always `public-key` */
    type: 'public-key'
    /** How the browser reaches the authenticator, as it said itself */
    transports: string[]
  }[]
  /** Whether the authenticator must ask for a PIN, a finger or a face */
  userVerification: 'required' | 'discouraged'
}

/**
 * What `navigator.credentials.create` is called with, after `PublicKeyCredential.parseCreationOptionsFromJSON`
 */
export type PasskeyCreationOptions = {
  /** What is to be signed, in base64url: good once, for 300 seconds and for this purpose only */
  challenge: string
  /** How long the browser asks, in milliseconds */
  timeout: number
  /** Whom the passkey is for */
  rp: {
    /** The domain name that it belongs to: that of this Plaza */
    id: string
    /** What the authenticator shows of it */
    name: string
  }
  /** Whom the authenticator keeps it for */
  user: {
    /** A handle of the account, in base64url */
    id: string
    /** The e-mail address, which the authenticator shows */
    name: string
    /** The username, which the authenticator shows */
    displayName: string
  }
  /** The kinds of keys that are taken, the best first */
  pubKeyCredParams: {
    /** Always `public-key` */
    type: 'public-key'
    /** The number of the algorithm in COSE */
    alg: number
  }[]
  /** The passkeys that the account has already */
  excludeCredentials: {
    /** The id that the authenticator gave the passkey, in base64url */
    id: string
    /** Always `public-key` */
    type: 'public-key'
    /** How the browser reaches the authenticator, as it said itself */
    transports: string[]
  }[]
  /** What the authenticator should be able to do */
  authenticatorSelection: {
    /** Whether it should find the passkey by itself */
    residentKey: 'preferred'
    /** The same in the form of older browsers */
    requireResidentKey: boolean
    /** Whether it should ask for a PIN, a finger or a face */
    userVerification: 'preferred'
  }
  /** Plaza does not ask who made the authenticator */
  attestation: 'none'
  /** What the browser is to tell beside */
  extensions: {
    /** Whether the passkey is found by itself */
    credProps: boolean
  }
}

/** What `navigator.credentials.get` gave, as its `toJSON` writes it */
export type PasskeyAuthentication = {
  /** The id that the authenticator gave the passkey, in base64url */
  id: string
  /** The same as `id` */
  rawId: string
  /** Always `public-key` */
  type: 'public-key'
  /** What the authenticator said */
  response: {
    /** What the browser has the authenticator sign, in base64url */
    clientDataJSON: string
    /** What the authenticator says of itself, in base64url */
    authenticatorData: string
    /** Its signature, in base64url */
    signature: string
    /** The handle of the account, in base64url */
    userHandle?: string
  }
  /** Whether the authenticator is part of the device */
  authenticatorAttachment?: string
}

/** What `navigator.credentials.create` gave, as its `toJSON` writes it */
export type PasskeyRegistration = {
  /** The id that the authenticator gave the passkey, in base64url */
  id: string
  /** The same as `id` */
  rawId: string
  /** Always `public-key` */
  type: 'public-key'
  /** What the authenticator said */
  response: {
    /** What the browser has the authenticator sign, in base64url */
    clientDataJSON: string
    /** The new key and what it belongs to, in base64url */
    attestationObject: string
    /** How the browser reaches it */
    transports?: string[]
  }
  /** Whether the authenticator is part of the device */
  authenticatorAttachment?: string
  /** What the browser tells beside */
  clientExtensionResults?: {
    /** Properties of the new passkey */
    credProps?: {
      /** Whether the authenticator finds it by itself */
      rk?: boolean
    }
  }
}

export type MessageResponse = {
  /** What was done, as a sentence for people */
  message: string
}

/** What the review has come to; people can authorize approved apps only */
export type AppStatus = 'pending' | 'approved' | 'rejected'

/** How the review stands, for its owner and the admins */
export type AppReview = {
  status: AppStatus
  /** What the admin wrote to the last decision; it stays while the app is pending again */
  reason: string | null
  /** When an admin decided; null until then */
  decided_at: string | null
  /** When its owner submitted it again; null where never */
  resubmitted_at: string | null
}

export type App = {
  /** A UUID, which stays the same */
  id: string
  /** The public name of the app in OAuth, in every request for codes and tokens */
  client_id: string
  /** The name of the app, as people see it */
  app_name: string
  /** What its owner says of the app; null where nothing */
  app_description: string | null
  /** The address of its picture, http or https; null where there is none */
  logo_url: string | null
  /** The address of its pages, http or https; null where there is none */
  website_url: string | null
  /** Where codes may be sent; the first is taken where a request names none */
  redirect_uris: string[]
  /** The scopes that people can grant the app; an admin adds some on request */
  allowed_scopes: string[]
  /** Whether an admin has approved the app; else nobody can authorize it */
  is_approved: boolean
  /** Whether the public directory shows the app, which an admin decides */
  listed: boolean
  /** Whether a code needs its verifier even where the secret is sent */
  require_pkce: boolean
  /** When it was made */
  inserted_at: string
  /** When it was last changed */
  updated_at: string
}

export type OwnedApp = App & { review: AppReview }

export type NewApp = App & {
  review: AppReview
  /** The secret of the app, `plz_cs_…`; shown only here */
  client_secret: string
}

export type OwnedAppWithUsers = App & {
  review: AppReview
  /** How many people have ever connected the app */
  total_users: number
}

export type OperatorApp = App & {
  /** How many people have ever connected the app */
  total_users: number
}

export type PublicApp = {
  /** The name of the app, as people see it */
  name: string
  /** The public name of the app in OAuth, in every request for codes and tokens */
  client_id: string
  /** What its owner says of it; absent where nothing */
  description?: string
}

export type ListedApp = {
  /** A UUID, which stays the same */
  id: string
  /** The name of the app, as people see it */
  app_name: string
  /** What its owner says of the app; null where nothing */
  app_description: string | null
  /** The address of its picture, http or https; null where there is none */
  logo_url: string | null
  /** The address of its pages, http or https; null where there is none */
  website_url: string | null
  /** When it was made */
  inserted_at: string
  /** What an admin has reviewed, where the app was changed since; absent where it is as it was reviewed */
  reviewed?: {
    /** The name of the app, as people see it */
    app_name: string
    /** What its owner says of the app; null where nothing */
    app_description: string | null
    /** The address of its picture, http or https; null where there is none */
    logo_url: string | null
    /** The address of its pages, http or https; null where there is none */
    website_url: string | null
    /** Where codes could be sent: hosts, or schemes of apps on a device */
    redirect_hosts: string[]
  }
}

export type ScopeRequest = {
  /** A UUID, which stays the same */
  id: string
  /** `pending` until an admin decides: then `approved` or `denied` */
  status: string
  /** Which scopes were asked for */
  requested_scopes: string[]
  /** When it was made */
  inserted_at: string
}

export type ClientSecret = {
  /** A UUID, which stays the same */
  id: string
  /** The last characters of the secret, to tell it from others */
  hint: string
  /** When it was made */
  inserted_at: string
  /** When it was last used, to within a minute; null where never */
  last_used_at: string | null
}

export type NewClientSecret = ClientSecret & {
  /** The secret of the app, `plz_cs_…`; shown only here */
  client_secret: string
}

export type Analytics = {
  /** How many people have ever connected the app */
  total_users: number
  /** How many spends there were within the window */
  total_spends: number
  /** How many awards there were within the window */
  total_awards: number
  /** How many days the window has */
  window_days: number
}

export type Authorization = {
  /** The authorization code, for one exchange */
  code: string
  /** For how many seconds it is good */
  expires_in: 600
  /** Where the browser is to be sent */
  redirect_uri: string
  /** The `state` of the request; absent where none was sent */
  state?: string
  /** Who answers (RFC 9207): compare it with the issuer that was asked */
  iss: string
}

export type AuthorizationRequest = {
  /** Who asks */
  app: {
    /** The public name of the app in OAuth, in every request for codes and tokens */
    client_id: string
    /** The name of the app, as people see it */
    app_name: string
    /** What its owner says of the app; null where nothing */
    app_description: string | null
    /** The address of its picture, http or https; null where there is none */
    logo_url: string | null
    /** The address of its pages, http or https; null where there is none */
    website_url: string | null
    /** The name of its owner */
    owner_username: string
    /** When the app was registered */
    inserted_at: string
    /** What an admin has reviewed, where the app was changed since; absent where it is as it was reviewed */
    reviewed?: {
      /** The name of the app, as people see it */
      app_name: string
      /** What its owner says of the app; null where nothing */
      app_description: string | null
      /** The address of its picture, http or https; null where there is none */
      logo_url: string | null
      /** The address of its pages, http or https; null where there is none */
      website_url: string | null
      /** Where codes could be sent: hosts, or schemes of apps on a device */
      redirect_hosts: string[]
    }
  }
  /** Where the browser is to be sent */
  redirect_uri: string
  /** The host of that address, for people */
  redirect_host: string
  /** What is asked for */
  scopes: {
    /** The scope */
    scope: string
    /** What it lets the app do, for people */
    grants: string
  }[]
  /** The id of the app */
  app_id: string
  /** What the app may spend, send and hold in 24 hours, in points; null for no bound */
  daily_limit: number | null
  /** Whether the person must be asked */
  consent_needed: boolean
  /** Whether the person must sign in again first */
  login_needed: boolean
  /** Who answers (RFC 9207): compare it with the issuer that was asked */
  iss: string
}

export type AuthorizationCodeGrant = {
  /** The `client_id` of the app; a form may leave it to HTTP Basic */
  client_id: string
  /** Which grant */
  grant_type: 'authorization_code'
  /** The code of the authorization */
  code: string
  /** The same as in the authorization request */
  redirect_uri: string
  /** The verifier of the challenge; an app without a secret must send it */
  code_verifier?: string
  /** The secret of the app, unless HTTP Basic carries it; an app without one sends the verifier */
  client_secret?: string
}

export type RefreshTokenGrant = {
  /** The `client_id` of the app; a form may leave it to HTTP Basic */
  client_id: string
  /** The secret of the app, unless HTTP Basic carries it; an app without one sends the verifier */
  client_secret: string
  /** Which grant */
  grant_type: 'refresh_token'
  /** The newest refresh token; it is replaced */
  refresh_token: string
  /** Fewer scopes than were granted, with spaces between */
  scope?: string
}

export type AuthorizationCodeForm = {
  /** The `client_id` of the app; a form may leave it to HTTP Basic */
  client_id?: string
  /** Which grant */
  grant_type: 'authorization_code'
  /** The code of the authorization */
  code: string
  /** The same as in the authorization request */
  redirect_uri: string
  /** The verifier of the challenge; an app without a secret must send it */
  code_verifier?: string
  /** The secret of the app, unless HTTP Basic carries it; an app without one sends the verifier */
  client_secret?: string
}

export type RefreshTokenForm = {
  /** The `client_id` of the app; a form may leave it to HTTP Basic */
  client_id?: string
  /** The secret of the app, unless HTTP Basic carries it; an app without one sends the verifier */
  client_secret?: string
  /** Which grant */
  grant_type: 'refresh_token'
  /** The newest refresh token; it is replaced */
  refresh_token: string
  /** Fewer scopes than were granted, with spaces between */
  scope?: string
}

export type TokenResponse = {
  /** For `Authorization: Bearer` at `/api/external` and its like */
  access_token: string
  /** How the access token is sent */
  token_type: 'Bearer'
  /** For how many seconds the access token is good, 3600 by default */
  expires_in: number
  /** For the next token, within 30 days by default; each is used once */
  refresh_token: string
  /** What was granted, with spaces between */
  scope: string
  /** Who signed in, as a JWT signed with RS256; only where `openid` was asked for */
  id_token?: string
  /** Keeps the session in the app alive; of a code only, never of a refresh */
  session_token?: string
  /** When the session token ends, 900 seconds later by default */
  session_token_expires_at?: string
}

export type Revocation = {
  /** An access, refresh or session token of the app */
  token: string
  /** Ignored: the token itself shows its kind */
  token_type_hint?: string
  /** The `client_id` of the app, unless HTTP Basic carries it */
  client_id?: string
  /** The secret of the app, unless HTTP Basic carries it; an app without one sends the verifier */
  client_secret?: string
}

export type Introspection = {
  /** Whether it is an access token that works now */
  active: boolean
  /** The person for whom it acts; only of an active token */
  user_id?: string
  /** The app that it was issued to; only of an active token */
  app_id?: string
  /** What it may do; only of an active token */
  scopes?: string[]
  /** When it ends; only of an active token */
  expires_at?: string
  /** Why it is not active: `expired`, `revoked`, `unknown` or `malformed` */
  reason?: string
  /** `scopes` with spaces between; only of an active token */
  scope?: string
  /** The `client_id` of the app; only of an active token */
  client_id?: string
  /** The same as `user_id`; only of an active token */
  sub?: string
  /** When it ends, in seconds since 1970; only of an active token */
  exp?: number
  /** When it was issued, in seconds since 1970; only of an active token */
  iat?: number
  /** Always `Bearer`; only of an active token */
  token_type?: string
}

export type ConnectedApp = {
  /** The id of the app */
  app_id: string
  /** The name of the app, as people see it */
  app_name: string
  /** What you let it do */
  scopes: string[]
  /** When you connected it */
  connected_at: string
  /** What its owner says of the app; null where nothing */
  app_description: string | null
  /** The address of its picture, http or https; null where there is none */
  logo_url: string | null
  /** What an admin has reviewed, where the app was changed since; absent where it is as it was reviewed */
  reviewed?: {
    /** The name of the app, as people see it */
    app_name: string
    /** What its owner says of the app; null where nothing */
    app_description: string | null
    /** The address of its picture, http or https; null where there is none */
    logo_url: string | null
    /** The address of its pages, http or https; null where there is none */
    website_url: string | null
    /** Where codes could be sent: hosts, or schemes of apps on a device */
    redirect_hosts: string[]
  }
  /** When it last called for you, to within some seconds; null where never */
  last_used: string | null
  /** What the app may spend, send and hold in 24 hours, in points; null for no bound */
  daily_limit: number | null
  /** What counts against the limit now, in points: of the last 24 hours, and held; null without a limit */
  daily_limit_used: number | null
}

export type ServerMetadata = {
  /** The `iss` of its tokens and answers, and the address that a library is given */
  issuer: string
  /** The page to which an app sends a person */
  authorization_endpoint: string
  /** Where codes and refresh tokens are exchanged */
  token_endpoint: string
  /** Where tokens are revoked (RFC 7009) */
  revocation_endpoint: string
  /** Where a token is looked up (RFC 7662) */
  introspection_endpoint: string
  /** Where the claims of the person are read, with profile:read */
  userinfo_endpoint: string
  /** The `response_type` of a request: `code` only */
  response_types_supported: string[]
  /** How the answer comes back: in the query */
  response_modes_supported: string[]
  /** The `grant_type` of the token endpoint */
  grant_types_supported: string[]
  /** All scopes that an app may ask for, if it is allowed them */
  scopes_supported: string[]
  /** How a code verifier is turned into its challenge: S256 only */
  code_challenge_methods_supported: string[]
  /** How a client shows who it is; `none` with a code verifier */
  token_endpoint_auth_methods_supported: string[]
  /** The same at the revocation */
  revocation_endpoint_auth_methods_supported: string[]
  /** Whether the answer names `iss` (RFC 9207) */
  authorization_response_iss_parameter_supported: boolean
  /** The reference for people */
  service_documentation: string
  /** The keys that verify identity tokens */
  jwks_uri: string
  /** The page that signs a person out of Plaza */
  end_session_endpoint: string
  /** Whether `sub` is the same for every app: it is */
  subject_types_supported: string[]
  /** How identity tokens are signed */
  id_token_signing_alg_values_supported: string[]
  /** What identity tokens and userinfo tell */
  claims_supported: string[]
  /** The words that `prompt` may have */
  prompt_values_supported: string[]
  /** Whether a request may name single claims */
  claims_parameter_supported: boolean
  /** Whether a request may be one signed object */
  request_parameter_supported: boolean
  /** Whether that object may be at an address */
  request_uri_parameter_supported: boolean
  /** Whether the address of a client metadata document is taken as a client id */
  client_id_metadata_document_supported: boolean
}

export type PublicKey = {
  /** The kind of key */
  kty: 'RSA'
  /** What it is for: signatures */
  use: 'sig'
  /** The algorithm of the signatures */
  alg: 'RS256'
  /** Its id, which the header of a token names */
  kid: string
  /** The modulus, in base64url */
  n: string
  /** The exponent, in base64url */
  e: string
}

/**
 * Why points moved: `charge` and `stipend` are of hosting, `play` occurs in a sandbox only, `closure` when somebody
 * left
 */
export type TransferKind = 'award' | 'spend' | 'refund' | 'transfer' | 'signup' | 'referral' | 'reward' | 'charge' | 'stipend' | 'play' | 'closure'

export type PointsBalance = {
  /** What the person can spend now, in points, without what is held */
  points: number
  /** Points of the person that apps hold, beside `points` */
  held: number
}

export type SpendResult = {
  /** Always true: a refusal has another status */
  success: boolean
  /** What the person can spend now, in points, without what is held */
  points: number
  /** How many points were spent: the `amount` of the request */
  amount_spent: number
  /** The id of the movement, for refunds, lists and questions */
  transfer_id: string
}

export type TransferResult = {
  /** Always true: a refusal has another status */
  success: boolean
  /** What the person can spend now, in points, without what is held */
  points: number
  /** How many points were sent: the `amount` of the request */
  amount_transferred: number
  /** The id of the movement, for refunds, lists and questions */
  transfer_id: string
}

export type HistoryEntry = {
  /** A UUID, which stays the same */
  id: string
  kind: TransferKind
  /** `in` where the account got the points, `out` where it gave them */
  direction: 'in' | 'out'
  /** How many points moved */
  amount: number
  /** What the account had afterwards, held points included */
  points_after: number
  /** What was said of it at the time; null where nothing was */
  description: string | null
  /** The id of the app; null where no app has a part in it */
  app_id: string | null
  /** The name of the app, as people see it; null where no app has a part in it */
  app_name: string | null
  /** The app’s own name for it; null where it gave none */
  reference: string | null
  /** For a refund, the id of the spend that it returns; else null */
  refunded_transfer_id: string | null
  /** For a transfer, the id of the other person; else null */
  other_user_id: string | null
  /** When it was made */
  inserted_at: string
}

export type DayOfPoints = {
  /** The day, in the time zone of the answer */
  day: string
  /** Points that came in */
  earned: number
  /** Points that went out */
  spent: number
  /** What the account had when the day ended */
  balance: number
}

export type Hold = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the app */
  app_id: string
  /** The id of the person */
  user_id: string
  /** How many points were set aside */
  amount: number
  status: HoldStatus
  /** How many of them the app took; null where it took none */
  captured_amount: number | null
  /** Why the points were freed; null where they were not */
  release_reason: ReleaseReason | null
  /** The movement that the capture made; null where there was none */
  transfer_id: string | null
  /** The app’s own name for it; null where it gave none */
  reference: string | null
  /** What the app noted with it, for itself alone; null where nothing */
  metadata: Record<string, string> | null
  /** When it was made */
  inserted_at: string
  /** When it is freed by itself, unless it is settled before */
  expires_at: string
  /** When it was captured or freed; null while it is open */
  settled_at: string | null
}

/** `open` until the points are taken (`captured`) or freed (`released`); then it stays */
export type HoldStatus = 'open' | 'captured' | 'released'

export type MadeHold = {
  /** The hold that was made */
  hold: Hold
  /** What the person can spend now, in points, without what is held */
  points: number
  /** Points of the person that apps hold, beside `points` */
  held: number
}

export type SettledHold = {
  /** The hold as it is now */
  hold: Hold
}

export type RefundResult = {
  /** The movement that returned the points */
  refund: AppTransfer
  /** What the account of the app has, in points */
  points: number
}

/** Why held points were freed: by a void, in time, or because the app lost the person or its approval */
export type ReleaseReason = 'voided' | 'expired' | 'disconnected' | 'approval_withdrawn'

export type OwnHold = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the app */
  app_id: string
  /** The name of the app, as people see it; null where no app has a part in it */
  app_name: string | null
  /** How many points were set aside */
  amount: number
  status: HoldStatus
  /** How many of them the app took; null where it took none */
  captured_amount: number | null
  /** The app’s own name for it; null where it gave none */
  reference: string | null
  /** When it was made */
  inserted_at: string
  /** When it is freed by itself, unless it is settled before */
  expires_at: string
  /** When it was captured or freed; null while it is open */
  settled_at: string | null
}

export type OwnerHold = Hold & {
  /** The name of the person, as others see it; null where the account is gone */
  username: string | null
}

export type AppTransfer = {
  /** A UUID, which stays the same */
  id: string
  kind: TransferKind
  /**
   * `in` where the app got the points, `out` where it gave them, `between` where it sent them from a person to
   * another one
   */
  direction: 'in' | 'out' | 'between'
  /** How many points moved */
  amount: number
  /** What the app had afterwards; null between people, which leaves it as it is */
  points_after: number | null
  /** The id of the person; null where no person has a part in it */
  user_id: string | null
  /** Between people, the id of the one who got the points; else null */
  to_user_id: string | null
  /** What was said of it at the time; null where nothing was */
  description: string | null
  /** The app’s own name for it; null where it gave none */
  reference: string | null
  /** What the app noted with it, for itself alone; null where nothing */
  metadata: Record<string, string> | null
  /** The id of the hold that was captured by it; null where there was none */
  hold_id: string | null
  /** For a refund, the id of the spend that it returns; else null */
  refunded_transfer_id: string | null
  /** When it was made */
  inserted_at: string
}

export type OwnerTransfer = AppTransfer & {
  /** The name of the person, as others see it; null where the account is gone */
  username: string | null
  /** The name of the one who got the points between people; null where nobody has it */
  to_username: string | null
}

export type AppBalance = {
  /** What the account of the app has, in points */
  points: number
  /** All points that ever came in */
  total_earned: number
  /** All points that ever went out, in refunds */
  total_spent: number
  /** Points of people that open holds set aside for the app; not among `points` */
  held_for_app: number
}

export type BalanceSeries = {
  /** Whether a row is a day or a month, of UTC */
  unit: 'day' | 'month'
  /** One row for each day or month, the oldest first */
  periods: {
    /** The first day of the row, in UTC */
    starts_on: string
    /** Points that came in */
    earned: number
    /** Points that were refunded */
    spent: number
    /** How many movements there were */
    transfers: number
    /** What the app had when the row ended */
    balance: number
  }[]
}

export type ConnectionCreated = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'connection.created'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the person */
    user_id: string
    /** What the person granted */
    scopes: string[]
  }
}

export type ConnectionEnded = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'connection.ended'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the person */
    user_id: string
  }
}

export type PointsSpent = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'points.spent'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points moved */
    amount: number
    /** What was said of it at the time; null where nothing was */
    description: string | null
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }
}

export type PointsRefunded = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'points.refunded'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the spend that it returns */
    refunded_transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points moved */
    amount: number
    /** Why, as the app said; null where it said nothing */
    reason: string | null
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }
}

export type PointsAwarded = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'points.awarded'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points moved */
    amount: number
    /** What was said of it at the time; null where nothing was */
    description: string | null
  }
}

export type HoldCaptured = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'hold.captured'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the hold */
    hold_id: string
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** The id of the person */
    user_id: string
    /** How many points the app took */
    amount: number
    /** How many were set aside */
    held_amount: number
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }
}

export type HoldReleased = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'hold.released'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the hold */
    hold_id: string
    /** The id of the person */
    user_id: string
    /** How many points were freed */
    amount: number
    reason: ReleaseReason
    /** The app’s own name for it; null where it gave none */
    reference: string | null
    /** What the app noted with it, for itself alone; null where nothing */
    metadata: Record<string, string> | null
  }
}

export type DeploymentChanged = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'deployment.changed'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the deployment */
    deployment_id: string
    /** The name under which it is reached */
    subdomain: string
    status: DeploymentStatus
    /** What it was before; null for a new deployment */
    previous_status: DeploymentStatus | null
    /**
     * `healthy`, `unhealthy`, `restarting`, `unknown`, or why it stopped for good: `crash_loop`, `oom_killed`, …
     */
    health_status: string | null
  }
}

export type WebhookTest = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  /** Which event it is */
  type: 'webhook.test'
  /** When it happened */
  timestamp: string
  /** What happened */
  data: {
    /** The id of the webhook */
    webhook_id: string
  }
}

/** Which event it is */
export type AppEventType = 'connection.created' | 'connection.ended' | 'points.spent' | 'points.refunded' | 'points.awarded' | 'hold.captured' | 'hold.released' | 'deployment.changed'

export type AppEvent = {
  /** The id of the event: the same each time it is sent, so that it is not counted twice */
  id: string
  type: AppEventType
  /** When it happened */
  timestamp: string
  /** What happened, in the fields that the payload of this type has under `webhooks` */
  data: Record<string, unknown>
}

export type Webhook = {
  /** A UUID, which stays the same */
  id: string
  /** Where it sends events to */
  url: string
  /** Which events it sends; null stands for all */
  events: string[] | null
  /** Whether it sends anything */
  enabled: boolean
  /** Who switched it off: its owner, or Plaza after 5 days of failures; null while it is on */
  disabled_reason: 'owner' | 'failures' | null
  /** When it was switched off; null while it is on */
  disabled_at: string | null
  /** Since when no attempt has succeeded; null while attempts succeed */
  failing_since: string | null
  /** Until when the secret before signs too, 24 hours after a rotation; null at other times */
  previous_secret_until: string | null
  /** When it was made */
  inserted_at: string
  /** When it was last changed */
  updated_at: string
}

/** `pending` until an attempt succeeds, or the last one has failed */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

export type WebhookDelivery = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the event, which is the `webhook-id` of each request */
  event_id: string
  /** Which event it is */
  type: string
  /** When the event happened */
  timestamp: string
  status: DeliveryStatus
  /** How many attempts were made */
  attempts: number
  /** When the next attempt is due; null where none is */
  next_attempt_at: string | null
  /** The last attempt; null before the first one */
  last_attempt: {
    /** When it began */
    started_at: string
    /** How long it took, in milliseconds */
    duration_ms: number
    /** The HTTP status of the answer; null where there was none */
    status_code: number | null
    /** Why there was no answer; null where there was one */
    error: string | null
  } | null
  /** When it was made */
  inserted_at: string
}

export type LoggedDelivery = WebhookDelivery & {
  /** What each attempt sends, beside the headers */
  request: {
    /** Where it goes to now */
    url: string
    /** The body of each attempt, as JSON text */
    body: string
  }
  /** The attempts, newest first */
  attempt_log: DeliveryAttempt[]
}

export type DeliveryAttempt = {
  /** Counts the attempts from 1 */
  number: number
  /** When it began */
  started_at: string
  /** How long it took, in milliseconds */
  duration_ms: number
  /** The HTTP status of the answer; null where there was none */
  status_code: number | null
  /** Why there was no answer; null where there was one */
  error: string | null
  /** The first 4096 characters of the answer’s body; null where there was no answer */
  answer: string | null
}

/** What the container was last seen to do; never what was merely asked for */
export type DeploymentStatus = 'pending' | 'deploying' | 'running' | 'stopped' | 'destroyed'

export type Deployment = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the app */
  app_id: string
  /** The id of the deploy tier */
  deploy_tier_id: string
  /** What the engine calls it */
  container_name: string
  /** The image in its full spelling, with a tag or a digest */
  container_image: string
  /** The name under which it is reached */
  subdomain: string
  status: DeploymentStatus
  /** How much memory the container may use, in MB */
  memory_limit_mb: number
  /** How much processor time it may use, in thousandths of a core */
  cpu_limit_millicores: number
  /** The domain of its own, proved or not; null where there is none */
  custom_domain: string | null
  /** `active`, `suspended` or `awaiting_payment`; null where hosting is not charged */
  billing_status: string | null
  /**
   * `healthy`, `unhealthy`, `restarting`, `unknown`, or why it stopped for good: `crash_loop`, `oom_killed`, …
   */
  health_status: string | null
  /** The machine that it runs on; on a Swarm its name and the node, as `swarm/node`. Null before it runs */
  host_server: string | null
  /** The machines that its replicas run on, the leading one first; empty before it runs */
  host_servers: string[]
  /** When what runs now began to serve; null before */
  deployed_at: string | null
  /** When it stopped; null while it runs */
  stopped_at: string | null
  /** When the health was last looked at; null before the first time */
  last_health_check: string | null
  /** Whether it is to stop, by its owner or by a suspension, and still runs */
  is_stopping: boolean
  /** Whether it was destroyed, and its container is not gone yet */
  is_being_removed: boolean
  /** How many containers serve it, from 1 to `replicas_max` of the tier; the price is for each */
  replicas: number
  /** How many of its replicas requests are sent to now */
  ready_replicas: number
  /** When it was made */
  inserted_at: string
}

export type DeploymentState = {
  /** A UUID, which stays the same */
  id: string
  status: DeploymentStatus
  /** The name under which it is reached */
  subdomain: string
  /**
   * `healthy`, `unhealthy`, `restarting`, `unknown`, or why it stopped for good: `crash_loop`, `oom_killed`, …
   */
  health_status: string | null
  /** When the health was last looked at; null before the first time */
  last_health_check: string | null
  /** Whether it is to stop, by its owner or by a suspension, and still runs */
  is_stopping: boolean
}

export type DeployLogEntry = {
  /** A UUID, which stays the same */
  id: string
  /** What was done */
  action: 'create' | 'deploy' | 'stop' | 'restart' | 'destroy' | 'suspend' | 'reactivate'
  /** `pending`, `succeeded`, `failed`, or `superseded` by a later one */
  status: string
  /** The id of who did it; null for the platform itself */
  initiated_by: string | null
  /** A `message`, and facts such as digest or exit code; never values of the environment */
  details: Record<string, unknown> | null
  /** When it began */
  inserted_at: string
}

export type DeployRelease = {
  /** A UUID, which stays the same */
  id: string
  /** Counts the releases of a deployment, from 1 */
  number: number
  /**
   * What became of it: `pending` until it serves, `current` from then on, `replaced` by a later one, `failed`, or
   * `superseded` by a later one before it served
   */
  status: 'pending' | 'current' | 'replaced' | 'failed' | 'superseded'
  /** The image in its full spelling, with a tag or a digest */
  container_image: string
  /** The image by digest, as it served; null before */
  image_digest: string | null
  /** The id of the deploy tier */
  deploy_tier_id: string
  /** How much memory the container may use, in MB */
  memory_limit_mb: number
  /** How much processor time it may use, in thousandths of a core */
  cpu_limit_millicores: number
  /** The port on which the container answers HTTP */
  port: number
  /** The domain of its own; null where there is none */
  custom_domain: string | null
  /** How many containers serve it, from 1 to `replicas_max` of the tier; the price is for each */
  replicas: number
  /** The names of its environment, sorted; values are never shown */
  env_names: string[]
  /** What differs from the release before it */
  changed: ('image' | 'tier' | 'port' | 'custom_domain' | 'env_vars' | 'replicas')[]
  /** Names of the environment that were added, changed or taken away in it, sorted */
  env_changed: string[]
  /** The number of the release that it repeats; null where it repeats none */
  rolled_back_to: number | null
  /** The id of who made it; null for the platform itself */
  initiated_by: string | null
  /**
   * Why it failed: a `message`, the `cause`, the exit code and the last lines of its output; null where it did not
   */
  failure: Record<string, unknown> | null
  /** When it began to serve; null before */
  served_at: string | null
  /** When it was made */
  inserted_at: string
}

export type DeploymentDomain = {
  /** The custom domain */
  domain: string
  /** The name of the TXT record */
  record_name: string
  /** What the TXT record must hold */
  record_value: string
  /** When the record was found; null while it is not */
  verified_at: string | null
}

export type CheckedDomain = {
  /** The custom domain */
  domain: string
  /** The name of the TXT record */
  record_name: string
  /** What the TXT record must hold */
  record_value: string
  /** When the record was found; null while it is not */
  verified_at: string | null
  /**
   * The texts of the TXT records that DNS answered with for this name, at most 20; empty where it has none, null
   * where no answer came
   */
  found: string[] | null
}

export type ReleasedDeployment = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the app */
  app_id: string
  /** The id of the deploy tier */
  deploy_tier_id: string
  /** What the engine calls it */
  container_name: string
  /** The image in its full spelling, with a tag or a digest */
  container_image: string
  /** The name under which it is reached */
  subdomain: string
  status: DeploymentStatus
  /** How much memory the container may use, in MB */
  memory_limit_mb: number
  /** How much processor time it may use, in thousandths of a core */
  cpu_limit_millicores: number
  /** The domain of its own, proved or not; null where there is none */
  custom_domain: string | null
  /** `active`, `suspended` or `awaiting_payment`; null where hosting is not charged */
  billing_status: string | null
  /**
   * `healthy`, `unhealthy`, `restarting`, `unknown`, or why it stopped for good: `crash_loop`, `oom_killed`, …
   */
  health_status: string | null
  /** The machine that it runs on; on a Swarm its name and the node, as `swarm/node`. Null before it runs */
  host_server: string | null
  /** The machines that its replicas run on, the leading one first; empty before it runs */
  host_servers: string[]
  /** When what runs now began to serve; null before */
  deployed_at: string | null
  /** When it stopped; null while it runs */
  stopped_at: string | null
  /** When the health was last looked at; null before the first time */
  last_health_check: string | null
  /** Whether it is to stop, by its owner or by a suspension, and still runs */
  is_stopping: boolean
  /** Whether it was destroyed, and its container is not gone yet */
  is_being_removed: boolean
  /** How many containers serve it, from 1 to `replicas_max` of the tier; the price is for each */
  replicas: number
  /** How many of its replicas requests are sent to now */
  ready_replicas: number
  /** When it was made */
  inserted_at: string
  /** The release that the call made, or the one that it found where nothing differs */
  release: {
    /** A UUID, which stays the same */
    id: string
    /**
     * What became of it: `pending` until it serves, `current` from then on, `replaced` by a later one, `failed`, or
     * `superseded` by a later one before it served
     */
    status: 'pending' | 'current' | 'replaced' | 'failed' | 'superseded'
    /**
     * Why it failed: a `message`, the `cause`, the exit code and the last lines of its output; null where it did
     * not
     */
    failure: Record<string, unknown> | null
  }
}

export type DeployTier = {
  /** A UUID, which stays the same */
  id: string
  /** Its name, for people */
  name: string
  /** Its name in requests: the `tier` of a new deployment */
  slug: string
  payment_method: PaymentMethod
  /** How much memory the container may use, in MB */
  memory_limit_mb: number
  /** How much processor time it may use, in thousandths of a core */
  cpu_limit_millicores: number
  /** Whether deployments may have a domain of their own */
  custom_domain_allowed: boolean
  /** How many replicas a deployment may have */
  replicas_max: number
  /** Points that the owner gets for 30 days */
  monthly_stipend_points: number
  /** How much further ads of the app reach, a decimal number as text */
  ad_reach_multiplier: string
  /** The price for 30 days, in points; null where it costs none */
  monthly_cost_points: number | null
  /** The price for 30 days, in satoshis; null where it costs none */
  monthly_cost_sats: number | null
}

/** What it is paid with; an admin notes payments in bitcoin by hand */
export type PaymentMethod = 'service_points' | 'bitcoin'

export type OutputLine = {
  /** The place of the line in the output; also a `cursor` of the search */
  id: string
  /** Where the container wrote it; of a note `stderr` */
  stream: 'stdout' | 'stderr'
  /** When it was written */
  at: string
  /** The number of the replica that wrote it, from 1 */
  replica: number
  /** The number of the release that wrote it; null where it is not known */
  release: number | null
  /** The line without its end, cut where it is longer */
  text: string
  /**
   * Null for a line of the container. A note of the platform in its place: `dropped` where it wrote more than is
   * kept, `gap` where lines may be missing, since its host had deleted them
   */
  note: 'dropped' | 'gap' | null
  /** Of a note `dropped`, how many lines were counted that are not kept; else 0 */
  dropped: number
}

export type UsagePoint = {
  /** When the interval of this point begins */
  at: string
  /** Memory in use, on average; without the cache of files */
  memory_bytes: number
  /** The most memory that was measured */
  memory_bytes_max: number
  /** Processor time, on average, in thousandths of a core; null where nothing was measured twice */
  millicores: number | null
  /** The most processor time that was measured */
  millicores_max: number | null
  /** What came in over the network; null where nothing was measured twice */
  received_bytes: number | null
  /** What went out over the network; null where nothing was measured twice */
  sent_bytes: number | null
}

export type ReplicaUsage = {
  /** Counts the containers of a deployment, from 1 */
  replica: number
  /** The oldest first; none for intervals in which it did not run */
  points: UsagePoint[]
}

export type RequestsPoint = {
  /** When the interval of this point begins */
  at: string
  /** Requests that were answered */
  total: number
  /** Answers of 200 to 299, and upgrades that were ignored */
  status_2xx: number
  /** Answers of 300 to 399 */
  status_3xx: number
  /** Answers of 400 to 499 */
  status_4xx: number
  /** Answers of 500 and more, those of the router where no container answered among them */
  status_5xx: number
  /** Half of the answers began within so many milliseconds; an estimate */
  p50_ms: number | null
  /** 95 of 100 answers began within so many milliseconds; an estimate */
  p95_ms: number | null
}

export type Friend = {
  /** The id of the friend */
  id: string
  /** The name of the person, as others see it */
  username: string
  /** The e-mail address of the friend: friends see each other’s */
  email: string
}

export type FriendRequest = {
  /** The id of the friendship */
  friendship_id: string
  /** The id of the one who asks */
  id: string
  /** The name of the person, as others see it */
  username: string
  /** When they asked */
  sent_at: string
}

export type Friendship = {
  /** The id of the friendship */
  friendship_id: string
  status: FriendshipStatus
}

/** `pending` until the one who was asked answers; `removed` after either has ended it */
export type FriendshipStatus = 'pending' | 'accepted' | 'rejected' | 'removed'

export type BlockedUser = {
  /** The id of the person */
  user_id: string
  /** The name of the person, as others see it */
  username: string
  /** When you blocked them */
  blocked_at: string
}

export type FoundUser = {
  /** The id of the person */
  id: string
  /** The name of the person, as others see it */
  username: string
}

/** A `lobby` may go without `ref_id`; a `table` needs it */
export type ChannelType = 'lobby' | 'table'

export type ChatChannel = {
  /** A UUID, which stays the same */
  id: string
  type: ChannelType
  /** What the clients call it; null for a lobby without one */
  ref_id: string | null
}

export type ChatMessage = {
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

/** `online` for 90 seconds after each call that says so */
export type PresenceStatus = 'online' | 'offline'

export type PresenceEntry = {
  /** The id of the person */
  user_id: string
  status: PresenceStatus
  /** When they last said that they are online */
  last_seen: string
  /** What they play; null where they are offline or did not say */
  current_game: string | null
  /** Where they are; null where they are offline or did not say */
  lobby: string | null
}

export type TablePresence = {
  /** The id of the person */
  user_id: string
  status: PresenceStatus
  /** When they last said that they are online */
  last_seen: string
}

export type Report = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the message that it is about; null where it is about the person */
  message_id: string | null
  /** The id of the person whom it is about */
  user_id: string
  /** The name of the person, as others see it; null where the account is gone */
  username: string | null
  reason: ReportReason
  /** What was written to it; null where nothing */
  note: string | null
  /** `open` until an admin decides; then whether anything was done about it */
  status: 'open' | 'acted' | 'dismissed'
  /** When an admin decided; null until then */
  decided_at: string | null
  /** When it was made */
  inserted_at: string
}

/** What is wrong with it */
export type ReportReason = 'spam' | 'harassment' | 'hate' | 'sexual' | 'violence' | 'scam' | 'impersonation' | 'other'

export type Notice = {
  /** The id of the notice, which grows with time; another one once more has happened */
  id: string
  kind: NoticeKind
  /** What happened */
  event: 'friend_requested' | 'friend_accepted' | 'messages_came' | 'app_approved' | 'app_rejected' | 'approval_withdrawn' | 'scopes_granted' | 'scopes_denied' | 'points_awarded' | 'points_transferred' | 'points_refunded' | 'report_acted' | 'report_dismissed' | 'message_removed' | 'muted' | 'unmuted' | 'deployment_down' | 'deployment_back' | 'webhook_switched_off' | 'apps_wait' | 'changed_apps_wait' | 'scope_requests_wait' | 'cases_wait'
  /** How often since it was last read, or how much waits; at least 1 */
  count: number
  /** Of points: how many came in all since it was last read; else null */
  amount: number | null
  /**
   * The id of the person, chat, app or deployment that it is about; null where it is about none, and for the report
   * of a person
   */
  subject_id: string | null
  /** The name of it, as it is now; null where it has none or is gone */
  subject_name: string | null
  /** The id of the app; null where no app has a part in it */
  app_id: string | null
  /** What the admin wrote to the decision; null where nothing */
  reason: string | null
  /** Whether it was read */
  is_read: boolean
  /** When it happened, the last time */
  happened_at: string
}

/**
 * What it is about: `apps` are decisions about your own apps, `moderation` about your reports and about you,
 * `review` what waits for an admin
 */
export type NoticeKind = 'friends' | 'messages' | 'apps' | 'points' | 'moderation' | 'deployments' | 'webhooks' | 'review'

export type NoticeSetting = {
  kind: NoticeKind
  /** Whether notices of the kind come to the list and its count */
  console: boolean
  /**
   * Whether they are mailed: what is decided about apps, reports, deployments and webhooks at once, all else
   * gathered
   */
  mail: boolean
}

export type LearningPath = {
  /** The name of a learning path */
  path: string
  /** Its title */
  title: string
  /** What it is about, in a sentence */
  summary: string
}

export type LearningModule = ModuleStatus & {
  /** Its title */
  title: string
  /** What it is about, in a sentence */
  summary: string
  /** What it is based on */
  sources: ModuleSource[]
  /** Its steps, in their order */
  steps: ModuleStep[]
}

export type ModuleStatus = {
  /** The number of the module within the learning path */
  module_number: number
  /** Whether all its steps are completed */
  status: 'incomplete' | 'completed'
  /** How many of its steps are completed */
  completed: number | null
  /** How many steps it has */
  total: number | null
  /** From when it can be reset; null while it is incomplete */
  repeat_eligible_at: string | null
}

export type ModuleStep = {
  /** The id of the step */
  step_id: string
  /** Its title */
  title: string
  /** What the first completion pays, in points; null where nothing */
  reward: number | null
  /** Whether the person has completed it since the last reset */
  completed: boolean
  /** What there is to learn, in Markdown */
  body: string
}

export type ModuleSource = {
  /** What it is called */
  title: string
  /** Its https address */
  url: string
}

/** Where an ad is shown */
export type SurfaceType = 'banner' | 'video' | 'interstitial' | 'native' | 'rewarded'

export type ServedCampaign = {
  /** A UUID, which stays the same */
  id: string
  /** The name of the campaign */
  name: string
  /** What an event is worth, a decimal number whose unit admins define */
  payout_rate: number
  /** Where it is to be shown: the `surface_type` of the request */
  surface_type: string
  /** A word of the admins for the campaign’s bitcoin tier; null where there is none */
  bitcoin_tier: string | null
  /** Whom the campaign is meant for, in fields that admins define; null where it is not said */
  targeting_metadata: Record<string, unknown> | null
}

export type AdEvent = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the campaign */
  campaign_id: string
  /** Whether it was seen or clicked */
  event_type: 'impression' | 'click'
  /** The `payout_rate` of the campaign at that moment */
  payout_rate_snapshot: number
  /** Where the ad was shown */
  surface_type: string
  /** When it was recorded */
  inserted_at: string
}

export type AdminApp = App & {
  status: AppStatus
  /** The id of the person who registered it */
  owner_id: string
  /** The name of the person who registered it */
  owner_username: string
  /** What the admin wrote to the decision; its owner reads it */
  decision_reason: string | null
  review: AppReview
  /** Whether its name, description, logo, website or redirect URIs are others than those that were approved */
  changed_since_approval: boolean
  /** What was approved last; null where nothing was */
  approved: {
    /** The name of the app, as people see it */
    app_name: string
    /** What its owner says of the app; null where nothing */
    app_description: string | null
    /** The address of its picture, http or https; null where there is none */
    logo_url: string | null
    /** The address of its pages, http or https; null where there is none */
    website_url: string | null
    /** Where codes could be sent */
    redirect_uris: string[]
  } | null
}

export type AdminScopeRequest = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the app */
  app_id: string
  /** The name of the app, as people see it */
  app_name: string
  status: ScopeRequestStatus
  /** Which scopes were asked for */
  requested_scopes: string[]
  /** What the admin wrote to the decision; its owner reads it */
  decision_reason: string | null
  /** When it was made */
  inserted_at: string
  /** When an admin decided; null until then */
  decided_at: string | null
}

/** What the request has come to */
export type ScopeRequestStatus = 'pending' | 'approved' | 'denied'

export type AdminUser = {
  /** A UUID, which stays the same */
  id: string
  /** The e-mail address of the account */
  email: string
  /** The name of the person, as others see it */
  username: string
  /** The rank of the person */
  tier: string
  /** What points for referrals are multiplied by; 1 until an admin sets it */
  signup_multiplier: number
  /** Whether the person may call `/api/admin` */
  is_admin: boolean
  /** Whether a mailed code has shown that the address is theirs */
  email_verified: boolean
  /** Whether signing in with the password takes a code of an authenticator app */
  totp_enabled: boolean
  /** Whether the account is suspended: it can do nothing then */
  suspended: boolean
  /** What the person can spend now, without what is held */
  points: number
  /** Counts registrations from 1; never used again */
  registration_number: number
  /** When the account was made */
  inserted_at: string
}

export type AdminCampaign = {
  /** A UUID, which stays the same */
  id: string
  /** Its name */
  name: string
  surface_type: SurfaceType
  /** What an event is worth, a decimal number whose unit admins define */
  payout_rate: number
  /** How often it is chosen beside others: one of 2 twice as often as one of 1 */
  weight: number
  /** Whether it is shown at all */
  active: boolean
  /** From when it is shown; null for at once */
  starts_at: string | null
  /** Until when it is shown; null for no end */
  ends_at: string | null
  /** How often it is shown at most; null for no bound */
  max_impressions: number | null
  /** How often it was seen */
  impressions: number
  /** How often it was clicked */
  clicks: number
  /** Its bitcoin tier; null for none */
  bitcoin_tier: string | null
  /** Whom the campaign is meant for, in fields that admins define; null where it is not said */
  targeting_metadata: Record<string, unknown> | null
  /** When it was made */
  inserted_at: string
  /** When it was last changed */
  updated_at: string
}

export type AdminDeployTier = DeployTier & {
  /** Whether it is offered no more; deployments on it stay */
  retired: boolean
  /** When it was made */
  inserted_at: string
  /** When it was last changed */
  updated_at: string
}

export type AdminDeployment = Deployment & {
  /** The id of the person who made it */
  owner_id: string
  /** What its owner wants it to be */
  desired: 'running' | 'stopped' | 'destroyed'
  /** `admin`, `billing`, or `owner` while the owner is suspended; null while it is not */
  suspended_by: string | null
  /** Counts the changes of what is wanted; each has a container of its own */
  generation: number
  /** What last went wrong on the way there; null where nothing did */
  last_error: string | null
  /** When the proof of its domain was found; null without one */
  domain_verified_at: string | null
  /** Until when it is paid; null where hosting is not charged */
  paid_until: string | null
  /** When it was destroyed; null while it is there */
  destroyed_at: string | null
}

export type ContainerHost = {
  /** Its name in the settings */
  name: string
  /** `docker`, `podman` or `swarm` */
  kind: string
  /** Whether a worker reaches it */
  reachable: boolean
  /** Why it is not reached; null while it is */
  fault: string | null
  /** What its engine says of itself; null before it was reached */
  version: string | null
  /** Its memory, of all machines; null before it was reached */
  memory_mb: number | null
  /** Its processors, in thousandths of a core; null before it was reached */
  millicores: number | null
  /** How many machines it has; null before it was reached */
  machines: number | null
  /** How many deployments are placed there; replicas are not counted */
  deployments: number
  /** When a worker last reached it */
  seen_at: string
  /** What its operator should change */
  advice: string[]
  /** What an engine of its kind cannot do */
  limits: string[]
  /** By machine; empty before it was tried */
  isolation: HostIsolation[]
}

export type HostIsolation = {
  /** The node of a Swarm; null where the host is one machine */
  node: string | null
  /**
   * Whether containers there reach what no app may; `unchecked`: it could not be tried, `trusted`: the settings say
   * not to try
   */
  state: 'isolated' | 'reachable' | 'unchecked' | 'trusted'
  /** What they reach */
  found: HostFinding[]
  /** Why it could not be tried; null where it was */
  reason: string | null
  /** When that was found */
  checked_at: string
}

export type HostFinding = {
  /** What was reached */
  what: 'app' | 'host' | 'engine' | 'metadata' | 'registry' | 'database'
  /** Its address; `gateway` for the machine that the container ran on */
  address: string
  /** Its port */
  port: number
  /** Whether it accepted the connection; one that refuses only lacks a listener */
  answer: 'connected' | 'refused'
}

export type FailedJob = {
  /** A number as text */
  id: string
  /** What was to be done, such as `accounts.mail_verification_code` */
  job: string
  /** How often it was tried */
  attempts: number
  /** Why the last attempt failed; null where the process was killed */
  error: string | null
  /** The person whom it is about; null where it is about none */
  user_id: string | null
  /** The app that it is about; null where it is about none */
  app_id: string | null
  /** The scope request that it is about; null where it is about none */
  request_id: string | null
  /** When it was asked for */
  inserted_at: string
}

export type LedgerAccount = {
  /** The id of the account, which is that of its person or app */
  id: string
  /** Whose it is; those of the system issue points, and take what hosting costs */
  kind: 'user' | 'app' | 'system'
  /** The name of the person or app; null for the system, and where it is gone */
  name: string | null
}

export type LedgerCheck = {
  /** Whether the three sums are equal and there is no fault */
  balanced: boolean
  /** How many accounts there are */
  accounts: number
  /** How many movements there are */
  transfers: number
  /** The sum of what accounts gave, as decimal text */
  total_debited: string
  /** The sum of what accounts got, as decimal text */
  total_credited: string
  /** The sum of all movements, as decimal text */
  total_transferred: string
  /** What does not hold, at most 100 of it */
  faults: {
    /** The account; null where the fault is of no single one */
    account_id: string | null
    /** What is wrong */
    fault: string
  }[]
}

export type AdminTransfer = {
  /** A UUID, which stays the same */
  id: string
  kind: TransferKind
  /** How many points moved */
  amount: number
  /** Who gave the points */
  from: LedgerAccount
  /** Who got the points */
  to: LedgerAccount
  /** The id of the app; null where no app has a part in it */
  app_id: string | null
  /** The name of the app, as people see it; null where no app has a part in it */
  app_name: string | null
  /** What was said of it at the time; null where nothing was */
  description: string | null
  /** The app’s own name for it; null where it gave none */
  reference: string | null
  /** The id of the hold that was captured by it; null where there was none */
  hold_id: string | null
  /** For a refund, the id of the spend that it returns; else null */
  refunded_transfer_id: string | null
  /** When it was made */
  inserted_at: string
}

export type AdminHold = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the app */
  app_id: string
  /** The id of the person */
  user_id: string
  /** How many points were set aside */
  amount: number
  status: HoldStatus
  /** How many of them the app took; null where it took none */
  captured_amount: number | null
  /** Why the points were freed; null where they were not */
  release_reason: ReleaseReason | null
  /** The movement that the capture made; null where there was none */
  transfer_id: string | null
  /** The app’s own name for it; null where it gave none */
  reference: string | null
  /** When it was made */
  inserted_at: string
  /** When it is freed by itself, unless it is settled before */
  expires_at: string
  /** When it was captured or freed; null while it is open */
  settled_at: string | null
  /** The name of the person, as others see it; null where the account is gone */
  username: string | null
  /** The name of the app, as people see it; null where no app has a part in it */
  app_name: string | null
}

export type FailingWebhook = {
  /** A UUID, which stays the same */
  id: string
  /** Where it sends events to */
  url: string
  /** The id of the app */
  app_id: string
  /** The name of the app, as people see it */
  app_name: string
  /** The id of the owner of the app */
  owner_id: string
  /** The name of the owner of the app */
  owner_username: string
  /** Since when no attempt has succeeded */
  failing_since: string
  /** When it was switched off for it; null while it is on */
  disabled_at: string | null
}

export type RawMessage = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the channel */
  channel_id: string
  /** The id of who wrote it */
  sender_id: string
  /** The name of the person, as others see it; null where the account is gone */
  sender_username: string | null
  /** What was typed */
  body: string
  /** What everybody else reads, with words masked */
  filtered_body: string
  /** When it was posted */
  sent_at: string
  /** When its text was removed; null where it was not */
  removed_at: string | null
}

export type AuditEntry = {
  /** A UUID, which stays the same */
  id: string
  /** The id of the admin; null for a command on the machine */
  actor_id: string | null
  /** The name of the admin; null for a command, or where the account is gone */
  actor_username: string | null
  /** What was done, such as `app.approve` */
  action: string
  /** The id of what it was done to; null where there is none */
  target_id: string | null
  /** What that is called now; null where it is gone or has no name */
  target_name: string | null
  /** What was sent, or otherwise worth knowing; its fields depend on `action` */
  details: Record<string, unknown>
  /** When it was done */
  inserted_at: string
}

export type AdminPerson = AdminUser & {
  /** Points of the person that apps hold, beside `points` */
  held: number
  /** All points that ever came in */
  total_earned: number
  /** All points that ever went out */
  total_spent: number
  /** How many apps the person has registered */
  owned_apps: number
  /** How many apps are connected now */
  connected_apps: number
  /** How many deployments the person has that are not destroyed */
  deployments: number
  /** Until when the person may not write in chat; null where they may */
  muted_until: string | null
  /** How many reports about the person wait for an admin */
  open_cases: number
  /** Whether signing in with the password takes more: an authenticator app, or a passkey */
  has_second_factor: boolean
  /** Whether the person has proved the address, so that a lost second factor can be taken away */
  second_factor_proof: {
    /** `mailed` until the person told the code or opened the link */
    state: 'none' | 'mailed' | 'confirmed'
    /** When the proof ends; null where there is none */
    expires_at: string | null
  }
}

export type AdminSession = {
  /** A UUID, which stays the same */
  id: string
  /** What the program called itself at the sign-in, its first 300 characters; null if nothing */
  user_agent: string | null
  /** When the person signed in */
  inserted_at: string
  /** When it ends by itself */
  expires_at: string
}

export type ModerationCase = {
  /** A UUID, which stays the same */
  id: string
  /** Whether a message or a person was reported */
  kind: 'message' | 'person'
  /** `open` until an admin decides; a case is decided once */
  status: 'open' | 'decided'
  /** The id of the person who wrote the message, or was reported */
  person_id: string
  /** The name of the person, as others see it; null where the account is gone */
  person_username: string | null
  /** The id of the message; null where the person was reported */
  message_id: string | null
  /** What the message reads now, with words masked; null where the person was reported */
  text: string | null
  /** How many people reported it */
  reports: number
  /** How many of them have had many reports dismissed */
  doubted_reports: number
  /** What they say is wrong, each once */
  reasons: ReportReason[]
  /** What the decision did; empty while it is open */
  actions: ('dismiss' | 'remove_message' | 'mute' | 'suspend')[]
  /** What the admin wrote to the decision; its owner reads it */
  reason: string | null
  /** Until when the person may not write in chat; null where that was not decided */
  muted_until: string | null
  /** The name of the admin who decided; null until then */
  decided_by_username: string | null
  /** When an admin decided; null until then */
  decided_at: string | null
  /** When it was first reported */
  inserted_at: string
  /** When it was last reported */
  last_reported_at: string
}

export type CaseReport = {
  /** A UUID, which stays the same */
  id: string
  /** The id of who made it; null where they have left */
  reporter_id: string | null
  /** The name of the person, as others see it; null where the account is gone */
  reporter_username: string | null
  /** When the account of who made it was made; null where they have left */
  reporter_since: string | null
  /** What became of all reports of who made it */
  reporter_counts: {
    /** How many wait for an admin */
    open: number
    /** After how many something was done */
    acted: number
    /** How many were dismissed */
    dismissed: number
  }
  /** Whether many of their reports had been dismissed when it came */
  doubted: boolean
  reason: ReportReason
  /** What was written to it; null where nothing */
  note: string | null
  /** When it was made */
  inserted_at: string
}

export type CaseDetail = {
  /** The case */
  case: ModerationCase
  /** The newest reports of it */
  reports: CaseReport[]
  /** The channel of the message; null where the person was reported */
  channel_id: string | null
  /** The message and those around it, oldest first, with words masked; empty where the person was reported */
  messages: {
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
    /** Whether it is the one that was reported */
    reported: boolean
  }[]
  /** Whom it is about */
  person: {
    /** The id of the person */
    id: string
    /** The name of the person, as others see it; null where the account is gone */
    username: string | null
    /** When the account was made; null where it is gone */
    inserted_at: string | null
    /** Whether the person is an admin */
    is_admin: boolean
    /** Whether the account is suspended now */
    suspended: boolean
    /** Until when the person may not write in chat; null where they may */
    muted_until: string | null
    /** What became of all cases about the person */
    counts: {
      /** How many wait for an admin */
      open: number
      /** After how many something was done */
      acted: number
      /** How many were dismissed */
      dismissed: number
    }
  }
  /** Other cases about the person, newest first */
  earlier: ModerationCase[]
}

export type CaseDecision = {
  /** What the decision did; empty while it is open */
  actions: ('dismiss' | 'remove_message' | 'mute' | 'suspend')[]
  /** What the admin wrote to the decision; its owner reads it */
  reason: string | null
  /** Until when the person may not write in chat; null where that was not decided */
  muted_until: string | null
  /** The name of the admin who decided; null until then */
  decided_by_username: string | null
  /** When an admin decided; null until then */
  decided_at: string | null
}
