import type { FailureCode } from './errors.ts'

/** What a caller does about each refusal, for the reference. Beside the message of `failures`, never in an answer. */
export const remedies: Readonly<Record<FailureCode, string>> = {
  unauthorized:
    'Send `Authorization: Bearer` with a token. The answer’s `WWW-Authenticate` says where the metadata are.',
  invalid_token:
    'Refresh the access token, or sign the person in again. A JWT is not taken where an access token is wanted, nor the reverse.',
  insufficient_scope: 'Send the person through authorize again and ask for the scope that `WWW-Authenticate` names.',
  client_credentials_missing: 'Send HTTP Basic with the app’s `client_id` and `client_secret`, from a server only.',
  client_unauthorized: 'Check which app and which of its secrets you send: the secret may have been deleted.',
  invalid_credentials:
    'Ask the person for e-mail and password again. The answer does not tell which of the two was wrong.',
  totp_required: 'Repeat the sign-in with `totp_code`: six digits of the authenticator, or a recovery code.',
  invalid_totp_code: 'Wait for the next code of the authenticator: each is taken once.',
  totp_locked: 'Wait as long as `Retry-After` says.',
  too_many_failures:
    'Wait as long as `Retry-After` says: from this address not even the right password is taken meanwhile.',
  passkey_required:
    'Ask the browser with `passkey_options`, which is in the answer, and repeat the sign-in with `passkey`; or send a recovery code.',
  invalid_passkey: 'Begin again with new options, or sign in with the password.',
  passkey_copied: 'Sign in another way, remove the passkey and add it again.',
  account_suspended: 'The person has to ask the operators of this Plaza.',
  muted: 'Show the reason for waiting and the time: the person can read meanwhile.',

  forbidden: 'Somebody else has to do this: see who may call it.',
  admin_only: 'Sign in as an admin.',
  email_not_verified: 'Verify the address with the mailed code first.',
  not_app_owner: 'Use an access token of the app’s owner, or the app’s own credentials where the call takes them.',
  wrong_passkey: 'Begin again with new options, or send another proof.',
  second_factor_missing: 'Repeat the call with `totp_code`: six digits of the authenticator, or a recovery code.',
  wrong_password: 'Ask for the present password again.',
  scope_not_allowed: 'Send a scope request; an admin decides.',

  not_found: 'Check the id, and whose it is: what belongs to others is answered like what does not exist.',
  user_not_found: 'Check the id. Suspended people, and those who blocked the caller, are answered like nobody.',
  client_document_unusable:
    'Serve the document at exactly this address, as JSON of at most 8 KiB and without a redirect, with this address as its `client_id`.',
  no_active_session: 'Nothing to do: the session is over already.',
  no_campaign: 'Show no ad, and ask again at the next occasion.',

  email_taken: 'Sign in instead, or use another address.',
  username_taken: 'Choose another username.',
  too_many_names: 'Take a name again that you had, or wait until one of them is free.',
  last_admin_leaves: 'Make another person an admin first.',
  already_verified: 'Nothing to do.',
  totp_already_enabled: 'Turn it off first to set it up anew.',
  totp_not_set_up: 'Call the set-up first: it gives the secret that the code is made of.',
  totp_not_enabled: 'Nothing to do.',
  too_many_passkeys: 'Remove a passkey that is no longer used.',
  passkey_taken: 'Nothing to do, or use another authenticator.',
  no_passkeys: 'Add a passkey first.',
  passkeys_unavailable:
    'Sign in with the password. The operator sets `PUBLIC_URL` to an https address with a domain name.',
  insufficient_points:
    'Tell the person, or, at a refund, wait until the app has earned enough. Repeating the call does not help.',
  points_limit_reached: 'Use a smaller amount.',
  app_not_rejected: 'Nothing to do: the app is approved, or pending already.',
  already_decided: 'Read the object again: somebody else was faster.',
  case_decided: 'Show `decision`: who decided, when, what and why.',
  message_removed: 'Nothing to do.',
  report_decided: 'Report another message, or the person, if it goes on.',
  too_many_reports: 'Wait until some of the open reports are decided.',
  app_not_changed: 'Nothing to do: another admin has seen it, or its owner took the change back.',
  app_changed_again: 'Read the app again, and decide about what it is now.',
  address_not_proved: 'Have a code mailed, and confirm it with the person.',
  last_admin: 'Make another admin first.',
  too_many_secrets: 'Delete a secret that is no longer used.',
  too_many_webhooks: 'Delete a webhook that is no longer used.',
  webhook_off: 'Switch the webhook on with `enabled: true`; what waits is delivered then.',
  blocked: 'Unblock the person first.',
  not_allowed_now: 'Read the object again and look at its status.',
  not_completed: 'Complete every step of the module first.',
  cooldown_active: 'Wait until `repeat_eligible_at` of the module.',
  path_already_started: 'Nothing to do: the path stays.',
  subdomain_taken: 'Choose another name. The name of a destroyed deployment is kept for its owner for a while.',
  suspended: 'See why under *billing status*, or ask the operators of this Plaza.',
  domain_taken: 'Use another domain, or end the other deployment’s claim to it.',
  slug_taken: 'Choose another slug.',
  spending_limit_reached:
    'Tell the person, who can raise the limit under *Connected apps*, or try a smaller amount tomorrow.',
  hold_settled: 'Look at `hold`, which is in the answer: it has its outcome.',
  refund_exceeds_spend: 'Read the payment: `refunded_amount` says how much was returned before.',

  validation_failed:
    'Change what `fields` names: each entry has a path into the request and a sentence. Repeating the call does not help.',
  invalid_code: 'Ask for a new code. Only the newest one counts, for some minutes and tries.',
  passkey_challenge_over: 'Get new options and ask the browser again.',
  passkey_unusable: 'Begin again with new options, or use another authenticator.',
  idempotency_key_reused:
    'A fault of the caller: two different requests with one key. Make the key from what identifies the order, and send the same body with it.',
  image_not_allowed: 'Use an image of one of the registries that `GET /api/deploy/availability` names.',

  invalid_request: 'Compare the request with the reference: a parameter is missing, or has a wrong form.',
  parameter_repeated: 'Send each parameter once.',
  too_many_parameters: 'Send the named parameters only.',
  client_credentials_twice: 'Choose one way to authenticate: the header, or the body.',
  verifier_missing: 'Send the `code_verifier` whose hash was the `code_challenge` at authorize.',
  secret_missing:
    'Refresh from the app’s server, which has the secret. An app without a server signs the person in again.',
  code_or_redirect_missing: 'Send both, `redirect_uri` as it was at authorize.',
  unsupported_challenge_method: 'Send `code_challenge_method=S256`; `plain` is not offered.',
  redirect_uri_not_registered: 'Register the address in the console, or send exactly the registered one.',
  unsupported_response_type: 'Send `response_type=code`: there are no implicit or hybrid flows.',
  login_required: 'Send the person through authorize without `prompt=none`.',
  consent_required: 'Send the person through authorize without `prompt=none`.',
  prompt_not_known: 'Send one of the listed words, `none` alone.',
  request_not_supported: 'Leave `request` out, and send its parameters by themselves.',
  request_uri_not_supported: 'Leave `request_uri` out, and send the parameters by themselves.',
  registration_not_supported: 'Leave `registration` out.',
  response_mode_not_supported: 'Leave `response_mode` out: the answer is in the query of the redirect URI.',
  id_token_hint_not_ours: 'Send the identity token that this app was given, unchanged.',
  logout_uri_not_registered: 'Send an address of the same origin as one of the app’s redirect URIs.',
  unsupported_grant_type: 'Use one of the two: there is no password or client_credentials grant.',
  unsupported_token_type: 'Revoke access, refresh and session tokens here; a JWT ends by the sign-out.',
  unknown_client: 'Check the `client_id`.',
  invalid_client: 'Check `client_id` and `client_secret`: the secret may have been deleted.',
  invalid_grant:
    'Send the person through authorize again. A code is good once and for ten minutes, with the verifier and the redirect URI of its request; a refresh token until it was used.',
  invalid_scope: 'Ask only for what is among the app’s `allowed_scopes`; at a refresh, for no more than before.',
  client_not_approved: 'Wait for an admin to approve the app, or ask why it was refused.',
  client_lacks_scope: 'Send a scope request; an admin decides.',
  app_not_approved: 'Wait for an admin to approve the app, or ask why it was refused.',

  rate_limited: 'Wait as long as `Retry-After` says; `RateLimit` says how many calls are left.',
  too_many_resets: 'Use a code that was mailed, or wait as long as `Retry-After` says.',
  overloaded: 'Wait as long as `Retry-After` says, then send the same call again. Nothing was done.',
  outcome_unknown: 'Read whether it was done before you repeat the call. Send an `Idempotency-Key` next time.',
  outcome_unknown_keyed:
    'Send the very same call with the same `Idempotency-Key` until it is answered: it is applied once.',
  play_points_limit_reached: 'Wait: what was taken in the last 24 hours counts. A test person may take points too.',
  test_person_only: 'Do this as the person who made the test person.',
  too_many_test_persons: 'Use one of those that you have.',
  container_engine_unavailable: 'Try again later; nothing was stored.',
}

/** What a caller does about what was refused, or broke, before an endpoint's own code ran. */
export const framework_remedies: Readonly<Record<number, string>> = {
  400: 'Send valid JSON in UTF-8, and a path that is well encoded.',
  404: 'Check the path: no endpoint has it.',
  405: 'Use a method of `Allow`.',
  408: 'Send the head within a minute, and the body within 10 seconds after it.',
  413: 'Send less: a body is at most 1 MiB, 64 KiB at the OAuth endpoints, and 32 KiB at others that need no credential.',
  414: 'Send a shorter path: no path of the API has more than 4 KiB.',
  415: 'Send `Content-Type: application/json`; at the OAuth endpoints a form is taken too.',
  431: 'Send fewer or shorter headers.',
  500: 'Something broke here. Tell the operator the `X-Request-Id`.',
  503: 'Wait as long as `Retry-After` says, then send the call again, a movement of points with its `Idempotency-Key`.',
}
