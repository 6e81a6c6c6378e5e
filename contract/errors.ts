interface FailureEntry {
  status: number
  message: string
  /** The public `error` code when it differs from the entry's name: several messages may share one code. */
  error?: string
}

/**
 * Every refusal of the API: status and public message by code (D-03, D-04).
 * Services throw the code as a `Failure`; only `server/http` renders it as a response.
 */
export const failures = {
  // Credentials
  unauthorized: { status: 401, message: 'This call needs an Authorization header with a Bearer token.' },
  invalid_token: { status: 401, message: 'The token is unknown, expired, revoked or of the wrong kind for this call.' },
  bound_token: {
    error: 'invalid_token',
    status: 401,
    message: 'The token is bound to a DPoP key: send it as `Authorization: DPoP`, with a proof in the header DPoP.',
  },
  insufficient_scope: { status: 401, message: 'The access token lacks the scope that this call needs.' },
  client_credentials_missing: {
    error: 'unauthorized',
    status: 401,
    message: 'This call needs an Authorization header with Basic credentials: client_id and client_secret.',
  },
  client_unauthorized: {
    error: 'invalid_client',
    status: 401,
    message: 'The client is unknown or its secret is wrong.',
  },
  invalid_credentials: { status: 401, message: 'E-mail or password is wrong.' },
  totp_required: { status: 401, message: 'This account uses two-factor authentication: send `totp_code` too.' },
  invalid_totp_code: { status: 401, message: 'The two-factor code is wrong or was used already.' },
  totp_locked: {
    error: 'rate_limited',
    status: 429,
    message: 'Too many wrong two-factor codes for this account. Try again later.',
  },
  too_many_codes: {
    error: 'rate_limited',
    status: 429,
    message: 'Too many wrong codes for this account or address. Try again later.',
  },
  too_many_failures: {
    error: 'rate_limited',
    status: 429,
    message: 'Too many failed attempts to sign in to this account. Try again later.',
  },
  passkey_required: {
    status: 401,
    message: 'This account asks for a passkey after the password: send `passkey`, or a recovery code in `totp_code`.',
  },
  invalid_passkey: {
    status: 401,
    message: 'The passkey was not accepted: it is unknown here, was removed, or its answer does not fit this request.',
  },
  passkey_copied: {
    status: 403,
    message: 'This passkey was refused because it looks like a copy: remove it and add it again.',
  },
  account_suspended: { status: 403, message: 'This account is suspended.' },
  muted: { status: 403, message: 'An admin has muted you in chat: you can read, and write again after `muted_until`.' },

  // Not allowed
  forbidden: { status: 403, message: 'You may not do this.' },
  admin_only: { error: 'forbidden', status: 403, message: 'Only an admin may do this.' },
  second_factor_required: {
    status: 403,
    message: 'This needs a second factor. Set one up for your account, then repeat the call.',
  },
  own_review: { status: 403, message: 'You asked for this yourself: another person decides.' },
  role_required: { status: 403, message: 'Your role does not include this. `role` is one that does.' },
  email_not_verified: { status: 403, message: 'Verify the e-mail address of your account first.' },
  not_friends: { status: 403, message: 'You are not friends with this person.' },
  not_app_owner: { status: 403, message: 'Only the owner of the app may do this: the token belongs to another user.' },
  secret_not_permitted: { status: 403, message: 'The secret lacks the permission that this call needs.' },
  secret_address_not_allowed: {
    error: 'secret_not_permitted',
    status: 403,
    message: 'The secret may not be used from this network address.',
  },
  test_person_only: {
    error: 'forbidden',
    status: 403,
    message: 'A test person cannot create test persons. Do this as the person who created it.',
  },
  second_factor_missing: {
    error: 'totp_required',
    status: 403,
    message: 'This change needs a two-factor code too: send `totp_code`.',
  },
  wrong_passkey: {
    error: 'invalid_passkey',
    status: 403,
    message: 'The passkey was not accepted: it is not one of this account, or its answer does not fit this request.',
  },
  proof_required: {
    status: 403,
    message: 'This call needs a proof that it is you: prove it with `POST /api/auth/proof`, or sign in again.',
  },
  wrong_password: { error: 'invalid_credentials', status: 403, message: 'The password is wrong.' },
  scope_not_allowed: {
    status: 403,
    message: 'An update can only narrow allowed_scopes. Ask for more with a scope request.',
  },

  // Absent
  not_found: { status: 404, message: 'There is nothing here, or it is not yours.' },
  user_not_found: { status: 404, message: 'There is no such user.' },
  no_active_session: { error: 'not_found', status: 404, message: 'There is no active session to end.' },
  no_campaign: { status: 404, message: 'No campaign fits this surface right now.' },

  // Conflicts with the current state
  email_taken: { status: 409, message: 'An account with this e-mail address exists already.' },
  username_taken: { status: 409, message: 'This username is taken.' },
  too_many_names: {
    status: 409,
    message: 'You have changed your name too often lately. Take back one of your former names, or wait.',
  },
  last_administrator_leaves: {
    error: 'last_administrator',
    status: 409,
    message: 'The last administrator cannot leave. Make another person an administrator first.',
  },
  last_owner: {
    status: 409,
    message: 'A team keeps one owner. Make another member an owner first, or delete the team.',
  },
  team_has_apps: { status: 409, message: 'The team owns apps. Move them to another owner first.' },
  team_full: { status: 409, message: 'The team has reached the maximum number of members and open invitations.' },
  too_many_teams: { status: 409, message: 'You are in the maximum number of teams. Leave one first.' },
  already_member: { status: 409, message: 'This person is a member of the team already.' },
  already_verified: { status: 409, message: 'The e-mail address is verified already.' },
  totp_already_enabled: { status: 409, message: 'Two-factor authentication is on already. Turn it off first.' },
  totp_not_set_up: { status: 409, message: 'Call the TOTP set-up first.' },
  totp_not_enabled: { status: 409, message: 'Two-factor authentication is not on.' },
  too_many_passkeys: { status: 409, message: 'The account has the maximum number of passkeys. Remove one first.' },
  passkey_taken: { status: 409, message: 'This passkey is registered already.' },
  no_passkeys: { status: 409, message: 'The account has no passkey.' },
  passkeys_unavailable: {
    status: 409,
    message: 'Passkeys need an address with a domain name and https, which this Plaza does not have.',
  },
  insufficient_points: { status: 409, message: 'There are not enough points for this.' },
  recipient_not_connected: { status: 409, message: 'No person with this id is connected to the app.' },
  payout_limit_reached: { status: 409, message: 'This exceeds the points that the app may pay out in 24 hours.' },
  earnings_held: {
    status: 409,
    message: 'The app has these points, but earned them too recently to pay them out.',
  },
  points_limit_reached: {
    status: 409,
    message: 'This would exceed the maximum points that an account can hold or earn in total.',
  },
  app_not_rejected: {
    error: 'not_allowed_now',
    status: 409,
    message: 'Only an app that was rejected can be submitted again.',
  },
  already_decided: { status: 409, message: 'This has been decided already.' },
  case_decided: {
    error: 'already_decided',
    status: 409,
    message: 'Another admin has decided this case already: see `decision`.',
  },
  message_removed: { error: 'not_allowed_now', status: 409, message: 'This message was removed already.' },
  edit_window_over: { status: 409, message: 'A message can be edited only for some minutes after it was sent.' },
  report_decided: {
    error: 'already_decided',
    status: 409,
    message: 'You reported this message before, and an admin has decided about it.',
  },
  too_many_reports: {
    status: 409,
    message: 'Too many of your reports wait for an admin. Report more when some of them are decided.',
  },
  app_not_changed: {
    error: 'not_allowed_now',
    status: 409,
    message: 'The app has no changes since its approval to mark as seen.',
  },
  app_changed_again: {
    error: 'not_allowed_now',
    status: 409,
    message: 'The app was changed again after you looked at it. Look at the present version.',
  },
  address_not_proved: {
    error: 'not_allowed_now',
    status: 409,
    message: 'The person has not proved the address of the account, or the proof has expired.',
  },
  last_administrator: { status: 409, message: 'The last administrator can neither lose that role nor be suspended.' },
  review_void: {
    status: 409,
    message: 'This is void: nobody decided in time, or the admin who asked has lost the right.',
  },
  own_roles: { status: 409, message: 'You cannot change your own roles. Ask another administrator.' },
  too_many_secrets: { status: 409, message: 'The app has the maximum number of secrets. Delete one first.' },
  too_many_devices: { status: 409, message: 'You have the maximum number of devices with notices. Remove one first.' },
  too_many_webhooks: { status: 409, message: 'The app has the maximum number of webhooks. Delete one first.' },
  webhook_of_logout: {
    error: 'not_allowed_now',
    status: 409,
    message: 'This is the back-channel logout address of the app. Change it in the app.',
  },
  webhook_off: { error: 'not_allowed_now', status: 409, message: 'This webhook is switched off. Switch it on first.' },
  blocked: { status: 409, message: 'You have blocked this person. Unblock them first.' },
  not_allowed_now: { status: 409, message: 'The current state does not allow this.' },
  not_completed: { status: 409, message: 'The module is not completed yet.' },
  cooldown_active: { status: 409, message: 'The module can be repeated only after its cooldown.' },
  path_already_started: { status: 409, message: 'The learning path cannot be changed once a module has been started.' },
  subdomain_taken: { status: 409, message: 'This subdomain is taken or reserved.' },
  suspended: { status: 409, message: 'The deployment is suspended.' },
  no_release_before: {
    error: 'not_allowed_now',
    status: 409,
    message: 'No earlier release of the deployment has served.',
  },
  domain_taken: { status: 409, message: 'Another deployment has proved that this domain is its own.' },
  slug_taken: { status: 409, message: 'A tier with this slug exists already.' },

  spending_limit_reached: {
    status: 409,
    message: 'This exceeds what the person lets the app spend in 24 hours.',
  },
  send_limit_reached: { status: 409, message: 'This exceeds the points that a person may send in 24 hours.' },
  request_closed: { status: 409, message: 'This request was paid, declined or cancelled, or has expired.' },
  too_many_open_requests: {
    status: 409,
    message: 'You have the maximum number of open requests. Cancel one, or wait for an answer.',
  },
  play_points_limit_reached: {
    status: 409,
    message: 'This exceeds the play points that a person may take in 24 hours.',
  },
  too_many_test_persons: { status: 409, message: 'You have the maximum number of test persons.' },
  hold_settled: { status: 409, message: 'The hold was captured or released already: see `hold`.' },
  refund_exceeds_spend: { status: 409, message: 'All refunds together would exceed what was spent.' },

  // Input
  validation_failed: { status: 422, message: 'Some fields are missing or not as they should be: see `fields`.' },
  invalid_code: { status: 422, message: 'The code is wrong, expired or was replaced by a newer one.' },
  passkey_challenge_over: {
    status: 422,
    message: 'The challenge of the passkey has expired, was used already, or belongs to another request. Start again.',
  },
  passkey_unusable: {
    error: 'invalid_passkey',
    status: 422,
    message: 'The answer of the browser is not a valid passkey for this Plaza.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used before with another request. Use a new key.',
  },
  image_not_allowed: { status: 422, message: 'Images from this place are not allowed.' },
  image_malformed: {
    error: 'image_not_allowed',
    status: 422,
    message: 'This is not the name of an image: send registry/path:tag or registry/path@sha256:… in small letters.',
  },
  nothing_to_change: { status: 422, message: 'The request has no field that can be changed.' },

  // OAuth: the names of RFC 6749; authorize answers with 400 and 403, token with 400 or 401
  invalid_request: { status: 400, message: 'The request is malformed.' },
  parameter_repeated: { error: 'invalid_request', status: 400, message: 'A parameter was sent more than once.' },
  too_many_parameters: {
    error: 'invalid_request',
    status: 400,
    message: 'The request has more parameters, or nests them deeper, than this call takes.',
  },
  client_credentials_twice: {
    error: 'invalid_request',
    status: 400,
    message: 'Client credentials came both in the Authorization header and in the body.',
  },
  verifier_missing: {
    error: 'invalid_request',
    status: 400,
    message: 'A code_verifier is required: the client sent neither a verifier nor a secret, or its app demands PKCE.',
  },
  secret_missing: { error: 'invalid_request', status: 400, message: 'The refresh grant needs the client_secret.' },
  code_or_redirect_missing: {
    error: 'invalid_request',
    status: 400,
    message: 'The authorization_code grant needs code and redirect_uri.',
  },
  unsupported_challenge_method: {
    error: 'invalid_request',
    status: 400,
    message: 'code_challenge_method must be S256.',
  },
  redirect_uri_not_registered: {
    error: 'invalid_request',
    status: 400,
    message: 'The redirect_uri matches none of the registered ones, character by character.',
  },
  unsupported_response_type: { status: 400, message: 'response_type must be `code`.' },
  login_required: { status: 400, message: 'The app requires the person to sign in again.' },
  consent_required: { status: 400, message: 'The person has not granted this app the requested scopes before.' },
  prompt_not_known: {
    error: 'invalid_request',
    status: 400,
    message: 'prompt must be `none`, or one or more of `login`, `consent` and `select_account`.',
  },
  pushed_request_required: {
    error: 'invalid_request',
    status: 400,
    message: 'The app takes only requests that it has sent to the pushed authorization request endpoint.',
  },
  invalid_request_uri: {
    status: 400,
    message: 'This request_uri is unknown, has expired, or was used.',
  },
  invalid_dpop_proof: { status: 401, message: 'The DPoP proof does not fit this request: see `fields`.' },
  use_dpop_nonce: { status: 401, message: 'The DPoP proof needs the nonce of the header DPoP-Nonce.' },
  dpop_required: {
    error: 'invalid_dpop_proof',
    status: 400,
    message: 'The app gets no tokens without a DPoP proof.',
  },
  dpop_key_mismatch: {
    error: 'invalid_grant',
    status: 400,
    message: 'The code or refresh token is bound to a DPoP key: send a proof of that key.',
  },
  request_not_supported: { status: 400, message: 'request is not supported: send its parameters in the address.' },
  request_uri_not_supported: {
    status: 400,
    message: 'request_uri is not supported: send the parameters in the address.',
  },
  registration_not_supported: {
    status: 400,
    message: 'registration is not supported: an app is registered before it signs people in.',
  },
  response_mode_not_supported: { error: 'invalid_request', status: 400, message: 'response_mode must be `query`.' },
  id_token_hint_not_ours: {
    error: 'invalid_request',
    status: 400,
    message: 'id_token_hint must be an identity token that Plaza gave this client.',
  },
  logout_uri_not_registered: {
    error: 'invalid_request',
    status: 400,
    message:
      'post_logout_redirect_uri needs a client_id or id_token_hint, and the origin of a registered redirect URI.',
  },
  unsupported_grant_type: {
    status: 400,
    message: 'grant_type must be `authorization_code` or `refresh_token`.',
  },
  unsupported_token_type: { status: 400, message: 'A token of this kind cannot be revoked here.' },
  unknown_client: { error: 'invalid_client', status: 400, message: 'There is no app with this client_id.' },
  client_document_unusable: {
    error: 'invalid_client',
    status: 400,
    message: 'This client_id is an address, and no valid client metadata document was found there.',
  },
  invalid_client: { status: 400, message: 'The client is unknown or its credentials are wrong.' },
  unauthorized_client: {
    status: 400,
    message: 'The secret lacks the permission `token`, or may not be used from this network address.',
  },
  invalid_grant: {
    status: 400,
    message: 'The code or refresh token is unknown, expired, used already or does not fit this request.',
  },
  invalid_scope: { status: 400, message: 'A requested scope is unknown or not allowed for this app.' },
  invalid_target: {
    status: 400,
    message: 'The `resource` is no address of this server, or another one was granted.',
  },
  confirmation_needed: {
    status: 403,
    message: 'The person must confirm this, and the client cannot ask: nothing was moved.',
  },
  confirmation_declined: { status: 403, message: 'The person did not confirm this: nothing was moved.' },
  origin_not_allowed: { status: 403, message: 'Pages of other origins may not call this.' },
  client_not_approved: { error: 'app_not_approved', status: 403, message: 'An admin has not approved this app.' },
  client_lacks_scope: {
    error: 'insufficient_scope',
    status: 403,
    message: 'The allowed_scopes of the app lack the scope that this call needs.',
  },
  app_not_approved: { error: 'unauthorized_client', status: 403, message: 'An admin has not approved this app.' },

  // Limits and the platform itself
  rate_limited: { status: 429, message: 'Too many requests. Try again later.' },
  too_many_resets: {
    error: 'rate_limited',
    status: 429,
    message: 'Too many codes were requested for this address. Use one of the mailed codes, or try again later.',
  },
  overloaded: { status: 503, message: 'The service is busy. Try again shortly.' },
  outcome_unknown: {
    status: 503,
    message:
      'The connection to the database was lost before the outcome was known. Check the outcome before you repeat the call.',
  },
  outcome_unknown_keyed: {
    error: 'outcome_unknown',
    status: 503,
    message: 'The connection to the ledger was lost. Repeating the call with its Idempotency-Key is safe.',
  },
  container_engine_unavailable: { status: 503, message: 'No container engine can be reached right now.' },
} as const satisfies Record<string, FailureEntry>

export type FailureCode = keyof typeof failures

/** The `error` value that a client sees for a failure. */
export function publicError(code: FailureCode): string {
  const entry: FailureEntry = failures[code]
  return entry.error ?? code
}
