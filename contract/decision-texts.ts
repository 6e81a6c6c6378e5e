/** A gap in the specification, and how we closed it. */
export interface DecisionText {
  /** The gap in the specification. */
  gap: string
  choice: string
  why: string
}

/**
 * Every decision by its id: the only place where we close a gap of the specification. Schemas and endpoints are marked
 * with the id, and `docs/decisions.md` is printed from here. The values are in `decisions.ts`, because browsers do not
 * load the texts.
 */
export const decision_texts = {
  // General
  'D-01': {
    gap: 'Which success status a call answers with.',
    choice:
      'A call that creates something with an id answers 201: an account, app, scope request, deployment, friend request, chat ' +
      'message, ad event, or a new chat channel. Every other success is 200, including the token endpoint.',
    why: '201 tells a client that something new exists, and RFC 6749 fixes 200 for the token endpoint.',
  },
  'D-02': {
    gap: 'Whether a response is the resource itself or an object around it.',
    choice:
      'The Response column is read literally: where it names a key, the resource is under that key, and where it ' +
      'only names the resource, the body is that object or array.',
    why: 'A literal reading of the tables adds nothing to them.',
  },
  'D-03': {
    gap: 'The body of failures that the error tables do not list.',
    choice:
      'A refusal by a route is `{error, message}` with a stable code and a sentence for people; the token ' +
      'endpoint always uses the OAuth format. The format `{errors: {detail}}` is for failures before any ' +
      'route ran: 404 and 405 of the router, malformed JSON 400, media type 415, size 413, crash 500, overload ' +
      '503.',
    why: 'Programs branch on a code, people read a sentence, and OAuth libraries understand only the form of RFC 6749.',
  },
  'D-04': {
    gap: 'Which error status each kind of failure has.',
    choice:
      '401 for a credential that is missing, invalid, of the wrong kind or without the scope, 403 for a known caller without ' +
      'permission, 404 for a resource that does not exist or belongs to others, 409 for a conflict with the current state, 422 for ' +
      'well-formed JSON with invalid content (listed in `fields`), 429 over a limit. A 401 to a Bearer call carries ' +
      '`WWW-Authenticate` with the metadata address, and the error of RFC 6750 if a token was sent.',
    why:
      'One meaning per status is easy to learn, and a 404 for other people’s resources reveals nothing. RFC 9728 ' +
      'and RFC 6750 require the header.',
  },
  'D-05': {
    gap: 'The callers that a rate limit counts, and the response beyond it.',
    choice:
      'Calls are counted in the database per endpoint and principal: the user of a JWT, the pair of user and app of an access token, ' +
      'the client address otherwise (a forwarded address only from `TRUSTED_PROXIES`). A call beyond the limit gets 429 ' +
      '`rate_limited` with `Retry-After`; allowed calls also get the `RateLimit` headers.',
    why:
      'A shared count works with any number of instances and survives a restart, and a header that any client can set must not ' +
      'change the counted caller.',
  },
  'D-06': {
    gap: 'Limits of the endpoints for which none is stated.',
    choice:
      'Endpoints open to guessing or flooding have the limits below, each replaceable by a setting. ' +
      'All others are unlimited by default.',
    why:
      'Passwords, codes and tokens must not be guessable by brute force, and other limits could break ' +
      'legitimate clients.',
  },
  'D-07': {
    gap: 'The kind of ids, the form of times, and what happens to unknown request fields.',
    choice:
      'Ids are UUIDv7, times are UTC in ISO 8601 ending in `Z`. A request field that the contract does not name ' +
      'is ignored and never reaches a row.',
    why:
      'Ids that grow with time keep indexes dense. Ignoring unknown fields lets newer clients call an older ' +
      'service, and no field can be mass-assigned.',
  },
  'D-08': {
    gap: 'Text that PostgreSQL or UTF-8 cannot hold, and how length is measured.',
    choice:
      'A NUL character or half a surrogate pair is refused with 422. A character of a length limit is one ' +
      'Unicode code point.',
    why:
      'Such text would otherwise surface as a 500, and code points are the same count in JSON Schema and in ' +
      'PostgreSQL.',
  },
  'D-09': {
    gap:
      'How a client repeats a spend, a transfer or an award whose response was lost. The specification says nothing; ' +
      'this is an extension.',
    choice:
      'A call may carry an `Idempotency-Key` header, which is stored together with the ledger entry and is valid ' +
      'for one app, one user and one operation. A repetition gets the first response and `Idempotency-Replayed: ' +
      'true`, another request with the same key gets 422 `idempotency_key_reused`, and the key of a refused call ' +
      'is not stored. The key of an award belongs to the admin who makes it.',
    why: 'Points must not move twice because a connection broke, and a refused call may succeed later.',
  },
  // Accounts
  'D-10': {
    gap: 'The paths of account calls of which only the bodies are shown.',
    choice:
      'They are next to the two stated ones under `/api/auth`: `register`, `login`, `me`, `totp/setup`, `totp/enable` (with a ' +
      '`code`) and `session/refresh`, which takes the session token as `token`.',
    why: 'The two stated paths define the prefix, and each name describes its body.',
  },
  'D-11': {
    gap: 'The input of verify-email, the lifetime of a code, and how the service sends mail.',
    choice:
      'A signed-in user posts `code`, a number that expires, allows a few attempts and is voided by the ' +
      'next code; a wrong code is 422 `invalid_code`. Mail is sent over `SMTP_URL`, or without it written to ' +
      '`DATA_DIR/outbox` as message files.',
    why:
      'Digits are easy to type on a phone and cannot be guessed within these bounds. Files make the whole ' +
      'flow usable without a mail server.',
  },
  'D-12': {
    gap: 'Which usernames are valid, and what happens with an invalid name, address or referral code.',
    choice:
      'A username is made of ASCII letters, digits, `_`, `.` and `-`; it and the e-mail address are unique, ignoring case, and a ' +
      'taken one is 409 `username_taken` or `email_taken`. An unknown referral code is 422.',
    why:
      'Names that differ only in case or look alike enable impersonation. A mistyped referral code should be ' +
      'corrected, not ignored silently.',
  },
  'D-13': {
    gap: 'The maximum length of passwords, how they are stored, and what a failed login reveals.',
    choice:
      'Passwords are hashed with argon2id. An unknown address and a wrong password get the same 401 ' +
      '`invalid_credentials` in about the same time.',
    why:
      'Login must not reveal who has an account, and an unbounded password would let anybody cause expensive ' +
      'hashing.',
  },
  'D-14': {
    gap: 'The parameters of two-factor codes and the answers when one is missing or wrong.',
    choice:
      'RFC 6238 with SHA-1; a time step is accepted once, and a single-use recovery code, stored as a hash, is accepted in its ' +
      'place. A missing code gets 401 `totp_required`, a wrong one 401 `invalid_totp_code`, and attempts after a right password have ' +
      'their own counter (D-121).',
    why: 'Every authenticator app supports these parameters. A counter that needs the password cannot be used to lock others out.',
  },
  'D-15': {
    gap: 'The content of a JWT, its lifetime, and how it ends early.',
    choice:
      'A signed token with `iss`, `sub`, `sid`, `iat` and `exp` that belongs to a login session; logout, a new ' +
      'password or a suspension ends the session and the token with it. Extensions: logout, listing and ending ' +
      'login sessions, turning TOTP off, changing and resetting the password.',
    why:
      'A token that outlives its session could not be revoked, and without these calls owners could not recover ' +
      'their accounts.',
  },
  'D-16': {
    gap: 'The meaning of tier, tier_emoji, signup_multiplier and registration_number.',
    choice:
      'The tiers come from configuration, by default those below; a new user has the first. Only an admin changes a tier or the ' +
      'multiplier. Registration numbers count up from 1 and are never reused.',
    why: 'The specification shows the fields but no rule that changes them, so only an admin does.',
  },
  'D-17': {
    gap: 'Points for registering and for referring a user.',
    choice:
      'Two settings, `SIGNUP_POINTS` and `REFERRAL_POINTS`. The referrer is paid, times their own multiplier, ' +
      'once the new user’s address is verified. Both wait for a verified address of the person who gets them (D-116).',
    why:
      'No amount is specified, so nothing is paid by default, and paying only for verified addresses makes fake ' +
      'accounts worthless.',
  },
  'D-18': {
    gap: 'The meaning of the four figures in `stats`.',
    choice:
      'direct_referrals counts accounts registered with the user’s code, connected_apps the current ' +
      'connections. total_earned and total_spent are everything ever credited and debited, so their difference ' +
      'is always the balance.',
    why: 'Figures that add up can be checked.',
  },
  'D-19': {
    gap: 'Where the first admin comes from.',
    choice:
      '`ADMIN_EMAIL` and `ADMIN_PASSWORD` create a verified admin at start if no account has the address. For an ' +
      'existing account the command is `npm run admin -- grant <email>`.',
    why: 'Apps need an admin’s approval, so a first admin is needed.',
  },
  // OAuth
  'D-20': {
    gap: 'The format of tokens, codes and secrets and how they are stored.',
    choice:
      'Opaque strings of 256 random bits in the URL-safe alphabet, with a prefix for their kind. Only their ' +
      'SHA-256 is stored.',
    why: 'A prefix lets scanners and people recognise a leaked one, and a stolen database contains no usable ones.',
  },
  'D-21': {
    gap: 'How long the tokens of an app last.',
    choice: 'The lifetimes below, each a setting; that of a refresh token starts again with every rotation.',
    why:
      'A short-lived access token limits the damage of a leak, and an app in regular use never has to ask its ' +
      'user again.',
  },
  'D-22': {
    gap: 'Which encodings the token calls accept, and where client credentials may be.',
    choice:
      'JSON and form bodies at token, token/verify and revoke; the client authenticates in the body or by HTTP ' +
      'Basic, which may also carry the client_id. Two different credentials or a repeated parameter are ' +
      '`invalid_request`, and a parameter without a value is treated as not sent.',
    why:
      'Standard OAuth libraries send forms and often Basic, the specification says JSON: both must work. The ' +
      'rest is RFC 6749.',
  },
  'D-23': {
    gap: 'Whether `invalid_client` is ever anything but 400.',
    choice:
      'It is 400, as stated; only a client that used the Authorization header gets a 401, whose `WWW-Authenticate` names Basic. A ' +
      '400 never carries that header.',
    why: 'RFC 6749 §5.2 demands the 401 in exactly that case, and browsers open a password window on the header.',
  },
  'D-24': {
    gap: 'The checks if a client sends both a verifier and a secret, or neither.',
    choice:
      'Every proof that is sent must be valid; with neither, the response is `invalid_request`. An app can switch on `require_pkce` ' +
      '(extension, off by default), and then a secret does not replace the verifier.',
    why:
      'A wrong proof must never be ignored. RFC 9700 requires PKCE of every client, while the specification ' +
      'accepts a secret in its place.',
  },
  'D-25': {
    gap: 'The effect of a second use of an authorization code.',
    choice:
      'It is `invalid_grant`, and if the client and its proof are valid, the tokens issued for that code are ' +
      'revoked. A replay with a wrong proof changes nothing.',
    why:
      'A second use with valid proof means that the code was stolen. Without the proof anybody who saw a code ' +
      'could end a session.',
  },
  'D-26': {
    gap: 'The effect of a refresh on the old token, and its failures.',
    choice:
      'Each refresh rotates the token. For a short time the old token returns the pair it was exchanged for, stored ' +
      'encrypted with a key derived from the old token; used later, it revokes its grant and no other. ' +
      'No secret is `invalid_request`, a wrong one `invalid_client`, a wider scope ' +
      '`invalid_scope`; a narrower scope is granted.',
    why:
      'Responses get lost and tabs refresh in parallel, which must not sign a user out, while a later reuse ' +
      'indicates theft.',
  },
  'D-27': {
    gap: 'The scopes granted when authorize names none, and the treatment of unknown ones.',
    choice:
      'Everything in allowed_scopes but points:award. `offline_access` and `openid` (D-103) name nothing that is granted; any other ' +
      'unknown scope is a 400.',
    why:
      'Allowed scopes are what an admin has approved; libraries add `offline_access` by default, and refresh ' +
      'tokens are issued without it.',
  },
  'D-28': {
    gap: 'Which redirect URIs may be registered, and what matching means.',
    choice:
      'https, http on the loopback hosts, or a private-use scheme with a dot, in each case ' +
      'without fragment or userinfo; anything else is 422. Matching is character by character, except that ' +
      'loopback ports may differ; the token call must repeat the URI of authorize, or the default if none was ' +
      'given there.',
    why:
      'Loose matching lets codes be stolen, and the loopback port is the one exception of RFC 8252, since ' +
      'native apps cannot choose it.',
  },
  'D-29': {
    gap: 'In which order authorize checks, and what its error bodies look like.',
    choice:
      'Credential 401, field shapes 422, response_type and challenge method 400, client 400, approval 403, ' +
      'redirect URI 400, scope 400. The body has `error` and `message`, with the error names of RFC 6749.',
    why:
      'A request with several errors must always get the same response, and nothing about an app is revealed ' +
      'before the caller is authenticated.',
  },
  'D-30': {
    gap: 'How the browser flow works.',
    choice:
      'The page `/oauth/authorize` signs the user in, shows the app, its owner, the receiver of the response and the requested ' +
      'scopes, and then redirects with `code`, `iss` and the `state` if one was sent, or with `error=access_denied`; a browser ' +
      'without a token at the API path is redirected there. Consent is asked once for the same scopes if the redirect is https, and ' +
      'otherwise every time. A request that is refused although its client is known and its redirect URI is registered shows a ' +
      'button that takes the person back with `error`, `error_description`, `state` and `iss`; nothing redirects automatically, or ' +
      'to any other address.',
    why:
      'A user must see who gets access before a code exists. `iss` (RFC 9207) defends against mixed-up ' +
      'servers, and a non-https redirect cannot prove which program listens.',
  },
  'D-31': {
    gap: 'Which scopes an app starts with, and what its owner may change.',
    choice:
      'The requested ones, profile:read by default, never deploy:manage or points:award; a request for ' +
      'deploy:manage becomes a scope request. An update narrows allowed_scopes only, widening is 403 ' +
      '`scope_not_allowed`.',
    why: 'deploy:manage must not be granted automatically, and an owner who could widen scopes would need no admin.',
  },
  'D-32': {
    gap: 'The further statuses of a scope request and the body of their list.',
    choice:
      'pending, approved and denied; the list is an array with the newest first. Approved scopes join the app’s ' +
      'allowed_scopes, and asking for points:award is 422.',
    why: 'An admin has two answers, and a deprecated scope must not spread.',
  },
  'D-33': {
    gap: 'Whether an app’s operator scopes work for all of its users.',
    choice:
      'Reading the app needs its owner’s token, as stated; changing it and all of `/api/deploy` do too, else ' +
      '403 `not_app_owner`. A token reaches only its own app.',
    why: 'Otherwise a person who connects to an app could move its redirect URIs or replace its containers.',
  },
  'D-34': {
    gap: 'Whether a new app is listed in the directory.',
    choice: 'Not until an admin lists it.',
    why: 'Publishing is easy and hard to undo.',
  },
  'D-35': {
    gap: 'The inner fields of the external profile.',
    choice:
      '`user` identifies the user (tier, tier_emoji, username, id, email and email_verified) and leaves out ' +
      'balance, codes and settings; sub, id, name and the two e-mail fields are repeated at the top level. The ' +
      'schema allows further fields.',
    why: 'An app needs to know who the user is, not what they own, and standard clients look for claims at the top level.',
  },
  'D-36': {
    gap: 'Server metadata and revocation, which the specification does not mention. Extensions.',
    choice:
      'RFC 8414 metadata at its own well-known path and at the OpenID one, and `POST /api/oauth/revoke` (RFC 7009) answering 200 ' +
      'with an empty object. The discovery document of RFC 9728 names only scopes that an ordinary user can grant. A `client_id` ' +
      'that is an https address and no app yet makes a pending app from the client metadata document found there as ' +
      '`application/json` (IETF draft), when a person with a verified address opens its authorization request; an admin decides on ' +
      'it as on any app. It is a public client without an owner, with at most the scopes below. The document is never read again: ' +
      'later changes of it have no effect. `CLIENT_DOCUMENTS=off` turns this off.',
    why:
      'Libraries configure themselves from metadata, an app that signs out should be able to revoke its tokens, and a client that ' +
      'asks for every listed scope must not be refused. People who open a link must get no power over the app that it names, and an ' +
      'approval covers only what the admin saw.',
  },
  'D-37': {
    gap: 'Which tokens introspection calls active, the reasons, and further fields.',
    choice:
      'Only access tokens; the reasons are `expired`, `revoked` and `unknown`. The fields of RFC 7662 are added ' +
      'to the stated ones.',
    why: 'A refresh or session token opens no endpoint, and existing resource servers read the RFC’s names.',
  },
  'D-38': {
    gap: 'When a user’s session in an app begins, is alive, and ends, and what it counts.',
    choice:
      'It begins with a code exchange and is active until it is ended or revoked or its session token expires; it is alive while the ' +
      'last refresh or call of its grant is recent enough (`SESSION_HEARTBEAT`). points_earned is what the app awarded since it ' +
      'began; without a session the fields are false and null, and ending one gets 404.',
    why:
      'Every call proves that the app is running, so an active session needs no extra calls, and an idle one ' +
      'is detected within minutes.',
  },
  'D-39': {
    gap: 'How a client secret is changed without downtime. An extension.',
    choice:
      'An app may hold several secrets at once; the owner adds, lists (with the time of last use) and deletes ' +
      'them under `/api/oauth/my-apps/{id}/secrets`.',
    why: 'A single secret cannot be replaced without an outage, and the last use shows when the old one can be deleted.',
  },
  'D-40': {
    gap: 'The effect on existing access when an approval is withdrawn or a user suspended.',
    choice: 'Everything issued for that app or user, from codes to sessions, is refused from then on.',
    why: 'An admin who acts against abuse cannot wait for tokens to expire.',
  },
  // Points
  'D-45': {
    gap: 'The bounds of amounts and balances.',
    choice:
      'An amount is at least 1 and at most the largest integer that JSON clients read exactly. A balance never ' +
      'leaves the range from 0 to that bound, and neither does all that an account ever earned: the profile shows it.',
    why: 'Beyond it JavaScript rounds numbers silently, which loses points.',
  },
  'D-46': {
    gap: 'How refused movements of points are answered.',
    choice:
      'Too few points 409 `insufficient_points`, an unknown recipient 404 `user_not_found`, oneself as ' +
      'recipient or a bad amount 422.',
    why: 'The first depends on the current state, the second on what exists, the last two on the request alone.',
  },
  'D-47': {
    gap: 'How points are awarded.',
    choice:
      'Only by an admin, with `POST /api/admin/points/award`; an optional app_id says on behalf of which app. ' +
      'No endpoint accepts the scope points:award.',
    why: 'The scope is deprecated and for admins, and the specification shows no other way.',
  },
  'D-48': {
    gap: 'Where past movements can be read. An extension.',
    choice:
      '`GET /api/points/history` for the signed-in user and `GET /api/external/points/history` with ' +
      'points:read, in cursor pages. `GET /api/points/series` sums them up by day, for up to `series_days_max` ' +
      'days in a time zone of the caller’s choice.',
    why: 'Users trust a balance that they can trace, and a chart must not read the whole history.',
  },
  'D-49': {
    gap: 'The counts of operator analytics, and whether the window can be chosen.',
    choice:
      'total_users is everybody who ever connected; total_spends and total_awards count the app’s movements ' +
      'inside the window, not their points. The query `window_days` (extension) sets the window. The owner reads the same without a token of ' +
      'the app at `/api/oauth/my-apps/{id}/analytics` (extension).',
    why:
      'The names speak of totals of events, and the answer already carries window_days, so a client can ask for ' +
      'another.',
  },
  // Deployments
  'D-55': {
    gap: 'Whether create takes `subdomain` or `name`, and which names are free.',
    choice:
      'Either, or both with the same word; one rule for both, with hyphens only inside. Reserved and taken ' +
      'names are 409 `subdomain_taken`, and after a destruction only the former owner may take the name again ' +
      'for a while. Reserved are the names below and all with two hyphens in the third and fourth place.',
    why: 'Both shapes are published, so clients of either exist. A name that is immediately free would give its visitors to a stranger.',
  },
  'D-56': {
    gap: 'The meaning of each deployment status.',
    choice:
      'It reports the observed state and not the desired one, in order: accepted, starting, its port (and its `health_path`) has ' +
      'answered, stopped, removed. A stop after a final failure has its cause in health_status; an unreachable engine leaves the ' +
      'status and makes health_status `unknown`. A release that had served and then crashes repeatedly is restarted automatically, ' +
      'after delays from 10 seconds up to 5 minutes: between two attempts it is `stopped` with `crash_loop`, during one `deploying`. ' +
      'A new release, a restart or a stop ends that.',
    why: 'A status that shows the desired state would call a dead container running.',
  },
  'D-57': {
    gap: 'Which state each operation leads to and in which it is allowed.',
    choice:
      'Create and restart lead through deploying to running (restart also from stopped, and it resolves the tag ' +
      'afresh), stop to stopped, destroy from anywhere to destroyed, repeatably; the table is ' +
      '`contract/states.ts`. Restart, stop and destroy store the desired state, wait for the engine for a short time ' +
      'and report the state found then; a destroyed deployment is 404 to all but DELETE, and a suspended one cannot ' +
      'be restarted (409 `suspended`).',
    why: 'Engines can be slow or unavailable, so a call must neither hang nor report what has not happened.',
  },
  'D-58': {
    gap: 'The content of a log entry’s details and status.',
    choice:
      'A `message` and the facts of the step, such as digest, exit code, limits or the last output of a failed ' +
      'start, but never environment values; null in initiated_by is the platform. The status is pending, ' +
      'succeeded, failed or superseded. The newest entries come first, as many as the bound below.',
    why: 'An owner must be able to see why a start failed without a shell, and secrets are in the environment.',
  },
  'D-59': {
    gap: 'How exactly the image rule is checked.',
    choice:
      'The reference is parsed as a whole, the host compared literally and the path by components; a private ' +
      'image must lie under `shared` or under the client_id of the app. Hosts come from `REGISTRY_PRIVATE`, ' +
      '`REGISTRY_PUBLIC` and `REGISTRY_CODE_HOST`, and an unset one allows no image. A refusal is 422 ' +
      '`image_not_allowed`, whatever its cause; container_image shows the canonical spelling, with a tag or a digest.',
    why:
      'Comparing prefixes of text lets look-alike hosts through, and an operator must not run another ' +
      'operator’s private image.',
  },
  'D-60': {
    gap: 'Rules for environment variables.',
    choice:
      'Names are those of a shell variable, values are text; sizes are limited as below. The platform sets `PORT`; a `PORT` in a ' +
      'request is accepted and overridden. They are encrypted at rest and never returned.',
    why: 'They may contain credentials of operators.',
  },
  'D-61': {
    gap: 'Who may use a custom domain.',
    choice:
      'Only tiers that allow one, else 422; it is routed after a TXT record at `_plaza.<domain>` proves ownership. A claim without ' +
      'proof blocks no other claim; proofs are checked again regularly, and a domain moves to a claim with proof when the former one ' +
      'has lost its proof. A public suffix, an address, a name of the platform and any other text that is no domain is 422. `GET ' +
      '/api/deploy/apps/{id}/domain` (extension) returns the record, and `POST …/domain/verify` checks it immediately.',
    why: 'Otherwise the first to name a domain would own it.',
  },
  'D-62': {
    gap: 'How hosting is charged.',
    choice:
      'With `BILLING=off`, the default, not at all and billing_status is null. With `on` the owner pays and ' +
      'receives the stipend at creation and once a cycle: `active`, `suspended` when the points do not suffice, ' +
      'active again when they do; a bitcoin tier stays pending as `awaiting_payment` until an admin enters that ' +
      'it was paid, which may also be done some days before a cycle ends. A deployment made while billing was off is ' +
      'not charged later, and nobody pays for the time of an admin’s suspension.',
    why: 'Prices are specified but no way of paying, so nobody is charged by default and no payment protocol is invented.',
  },
  'D-63': {
    gap: 'Where deploy tiers come from.',
    choice: 'An initial catalogue, which admins edit. An unknown slug is 422.',
    why: 'The specification has no endpoint that creates tiers, and without one nothing can be deployed.',
  },
  'D-64': {
    gap: 'How the output of a container is read. An extension.',
    choice:
      '`GET /api/deploy/apps/{id}/output` returns the last lines, and `…/output/stream` continues with each new line ' +
      'as a server-sent event, over restarts, releases and replicas, until the deployment is stopped. The number of open streams of an app in ' +
      'each process is limited as below; one more gets 429 `rate_limited`. Workers store the output, so that it can be read after a container ' +
      'has stopped, was replaced or is out of reach. Each deployment keeps the lines and bytes below for the time below, and the oldest are ' +
      'deleted first. The output of one container is limited in a time window; a note in the output counts dropped lines. ' +
      '`…/output/search` searches the stored output, newest first. Output may contain environment values that a program prints: only the ' +
      'owner of the app and admins can read it, and each access by an admin is audited. After the destruction the output is deleted as ' +
      'stated below; until then admins can read it.',
    why:
      'The deploy log shows the actions of the platform, not the output of the program. The cause of a crash is in the output before it, and ' +
      'that container may no longer exist.',
  },
  'D-65': {
    gap: 'The behaviour without a container engine.',
    choice:
      'A create is refused with 503 `container_engine_unavailable` and writes no row. The rest of the ' +
      'service works. `GET /api/deploy/availability` (extension) says in advance what is missing.',
    why: 'Accounts and points do not need containers, and a deployment that cannot start should not be accepted.',
  },
  // Social, learning, ads, administration
  'D-70': {
    gap: 'Who may do what to a friendship, and what repeated or crossing requests do.',
    choice:
      'A pair has one row with a fixed id: a repeated request returns it, a crossing one accepts it, and after a ' +
      'rejection or removal a new request makes it pending again (201). Only the addressee may answer (403) and needs ' +
      'a pending request (409), removing is open to both and repeatable; oneself is 422, an unknown or ' +
      'suspended user 404.',
    why: 'Two people have one relation, no matter who asked first.',
  },
  'D-71': {
    gap: 'The effects of a block beyond search.',
    choice:
      'It ends friendship and requests, makes the two invisible to each other in search and presence, and hides the other’s messages ' +
      'and reactions in channels from the blocker; it can be repeated and undone, oneself is 422. For the blocked user, the blocker does ' +
      'not exist (404). The blocker’s own request gets 409 `blocked`, and `GET /api/social/blocks` (extension) lists one’s blocks.',
    why:
      'A block must protect without being visible to the blocked user, and users must be able to see and undo ' +
      'their blocks.',
  },
  'D-72': {
    gap: 'The identity of a channel, and who may enter.',
    choice:
      'Type and ref_id together are the channel; a table without a ref_id is 422. Every signed-in user may read ' +
      'and write.',
    why: 'Create must return the existing channel, so something must identify it, and no membership is shown.',
  },
  'D-73': {
    gap: 'The length of messages, the bounds of a page, and the order.',
    choice:
      'Bounds as below, 422 outside. sent_at rises strictly within a channel, by a millisecond at least, and ' +
      'orders it.',
    why: 'The only cursor is a time: with equal times a page boundary would lose or repeat a message.',
  },
  'D-74': {
    gap: 'How messages are filtered.',
    choice:
      'A list in the configuration, by default the English one of `obscenity`, says which words become ' +
      'asterisks, in disguised spellings too, and leaves harmless words that contain them. Only moderators see ' +
      'the original text.',
    why: 'A mask does not change the meaning of a message, and a moderator must be able to review the original.',
  },
  'D-75': {
    gap: 'When somebody is online, and the body of the presence list.',
    choice:
      'For some time after their last POST, computed on reading. The list is `{presence: [{user_id, status, ' +
      'last_seen, current_game, lobby}]}` with accepted friends who have a record, game and lobby null for who is ' +
      'offline; each POST replaces both. A table lists who is online and gave its game as game and its ref_id ' +
      'as lobby.',
    why:
      'A stored online flag outlives a client that disappears; a time does not. The window tolerates two lost ' +
      'posts of a client that posts every half minute.',
  },
  'D-76': {
    gap: 'The matches of a user search.',
    choice:
      'Usernames that begin with the text, ignoring case; wildcard characters have no special meaning. Too short a text is 422.',
    why: 'People search for the beginning of a name, and a search over e-mail addresses would reveal them.',
  },
  'D-77': {
    gap: 'Where learning content lives, what a module object holds, and the failures.',
    choice:
      'YAML files under `content/learning`, one per path, checked at start; a module has module_number, title, ' +
      'summary, sources, its status fields and steps of step_id, title, reward, completed and body (Markdown). ' +
      'Module numbers belong to a path; only the chosen path’s modules and steps exist for its user, in any ' +
      'order, so others are 404, and none chosen means no modules. Choosing answers with the status below, an ' +
      'unknown path is 422, any choice after the first completed step 409. An extension lists the paths: ' +
      '`GET /api/btc-progress/learning-paths`.',
    why: 'Content in files is reviewed like code, and a client can draw a whole module from one answer.',
  },
  'D-78': {
    gap: 'The cooldown of a module reset and what follows it.',
    choice:
      'Before completion 409 `not_completed`, before the module’s own or the default cooldown has passed since then 409 ' +
      '`cooldown_active`. Afterwards all steps are open again and the module incomplete; a repeated step pays nothing: its reward is ' +
      'null, as for an account that is too full to receive one.',
    why: 'Repetition is for learning; paid repetition would create unlimited points.',
  },
  'D-79': {
    gap: 'Which campaign is served, the open field types, and what an event does.',
    choice:
      'One by weighted chance among those active, for that surface, within dates and budget, else 404 ' +
      '`no_campaign`; bitcoin_tier is text or null, targeting_metadata an object or null. An event is recorded ' +
      'and pays nothing, and needs a campaign that exists and is active (404). The budget is a number of ' +
      'impressions; an impression above it gets 404 too, and a click uses none. So does an event before the campaign begins, ' +
      'or longer after its end than stated below. With `AD_REPEATS`, a person is served a campaign only while fewer impressions than that of the ' +
      'person are recorded in the last hour.',
    why:
      'A payout rate is specified but no payee. Weighted chance needs no state per user. Events must not exceed ' +
      'the budget, and an ad served in time may be seen or clicked a little later.',
  },
  'D-80': {
    gap: 'How clients learn of changes without polling. An extension.',
    choice:
      '`GET /api/events` sends server-sent events: messages of the channels it names, changes of one’s friendships ' +
      'and the presence of one’s friends: where they are, that they left, and within a minute that they disappeared; ' +
      'with `balances=true` the balance of the person and of each app that they own, at the beginning and after changes: ' +
      'several changes may be one event, with the latest totals. ' +
      'A reader that resumes with its last id within a day gets every event ' +
      'once; one that is too slow is disconnected, and the end of the login session ends the stream. ' +
      'The number of open streams of a user in each process is limited as below; one more gets 429 `rate_limited`. ' +
      'Clients need not use it.',
    why: 'Plain HTTP passes every proxy, and browsers reconnect automatically.',
  },
  'D-81': {
    gap: 'Administration, which the specification needs but does not show.',
    choice:
      'Endpoints under `/api/admin` for an admin’s JWT (403 otherwise) with a web console over them: apps, scope requests, users, ' +
      'awards, tiers, campaigns, deployments, raw messages, permanently failed jobs, the ledger check and the audit log. Every ' +
      'change is audited, and a list takes `limit` and `cursor` and gives `data` and `next_cursor`; `q` finds users, apps and ' +
      'deployments by the prefix of a name. Movements are found by app, person, amount and time; a search by amount without a person ' +
      'is limited, because amounts have no index. A failed job is kept for 30 days. `review` shows the owner of an app the state of ' +
      'the review and its reason, and `POST /api/oauth/my-apps/{id}/submit` makes a rejected app pending again, which is also ' +
      'audited; its `note` is for the reviewer. `decided_fields` has the values of an app at its last decision. The console requires ' +
      'a reason to reject an app, the API does not.',
    why:
      'Apps wait for approval and points for awards, so admins need endpoints; actions with that much power must ' +
      'be audited. A mail that was never sent must not be lost silently.',
  },
  'D-82': {
    gap: 'The meaning of the version, and when it changes.',
    choice: 'It is the semantic version of the package, whose first number grows when an existing client could break.',
    why: 'Paths carry no version, so this number is the only warning a client gets.',
  },
  'D-83': {
    gap: 'How large a request may be.',
    choice:
      'A body has at most the bytes below, fewer where no credential is needed; few endpoints declare more, and the document names the ' +
      'limit of each (`x-body-bytes-max`, 413). A body is nested at most so deep and holds at most so many values, counted with all that ' +
      'are nested in it (422). The size of a value is checked before what it holds, and a refusal lists at most so many errors. At token, ' +
      'token/verify and revoke, too many parameters, counted with all names nested in them, and too deep a nesting are 400 `invalid_request`.',
    why: 'Reading a request must not cost more than answering it, or one caller delays all others.',
  },
  'D-84': {
    gap: 'The response of introspection without a token, or with a value that is not one.',
    choice: 'A token that is missing, empty or not a text gets 200 `{active: false}` with the reason below.',
    why: 'The specification says that introspection always answers 200.',
  },
  'D-85': {
    gap: 'Revocation of tokens that are neither access nor refresh tokens.',
    choice:
      'A session token ends its session, if it belongs to the calling app; the grant and its other tokens stay. A token of ' +
      'a known kind that cannot be revoked (a code, a client secret, a JWT) is 400 `unsupported_token_type`; any other ' +
      'text is ignored like an unknown token.',
    why: 'An app that signs a user out revokes every token it holds, and RFC 7009 §2.2.1 defines the error for the rest.',
  },
  'D-86': {
    gap: 'The validity of a remembered consent.',
    choice:
      'One person, app, origin of the redirect URI, set of scopes, the app’s appearance on the page (D-117) and its approval. When ' +
      'any of these differs from the remembered consents, consent is asked again.',
    why: 'Users consent only to what the page showed them.',
  },
  'D-87': {
    gap: 'The effect on issued codes and tokens when an app loses scopes or a redirect URI.',
    choice:
      'Codes, access tokens and refreshes carry at any time only what was granted and is still among allowed_scopes; one ' +
      'without any scope left is void. So is a code for a redirect URI that the app no longer has.',
    why: 'Scopes are narrowed after a leak or when access is no longer wanted, which cannot wait for tokens to expire.',
  },
  'D-88': {
    gap: 'The apps of a suspended owner.',
    choice:
      'During the suspension they are like apps without approval: nobody can authorize them, the directory does not show them, and ' +
      'their codes, tokens and sessions end permanently. Their deployments are suspended (`suspend` in the log) and are reactivated ' +
      'with the owner (`reactivate`), unless an admin or an unpaid cycle suspends them.',
    why: 'Nor must a suspended user act through a program.',
  },
  'D-89': {
    gap: 'A transfer to a suspended user.',
    choice: 'It is 404 `user_not_found`, as a friend request is. A repetition with its key gets its first answer.',
    why: 'Nobody could spend the points, and a suspended user does not exist for other users.',
  },
  'D-90': {
    gap: 'Which names and links of apps are shown to people.',
    choice:
      '`website_url` and `logo_url` are http or https URLs with a host, without userinfo, white space, control characters or ' +
      'backslashes, without bidirectional formatting characters, and in the host without invisible ones and look-alikes of dots and slashes; ' +
      'they are shown as a URL parser reads them; an `app_name` has no control or bidirectional formatting characters. Else 422.',
    why: 'People decide by what they read, so a link or name must not look like another site or app.',
  },
  'D-91': {
    gap: 'How many failed logins an account allows, and from where.',
    choice:
      'In addition to the limit per address, failures to sign in are counted per account and address (an IPv6 /64), and per account ' +
      'over all addresses in a window of a day, from the first failure on. Beyond the first limit nobody signs in from that address, ' +
      'beyond the second only from addresses from which the account has signed in before. Codes that set a new password are limited ' +
      'per account too; several may be valid at once, and the first that is used voids the others. Beyond a limit the answer is 429 ' +
      '`rate_limited`, the same for accounts that do not exist.',
    why:
      'A limit per address alone does not bound attackers with many addresses, one per account alone lets anybody lock others ' +
      'out, and a code that every new one voids could be made unusable by requesting more.',
  },
  'D-92': {
    gap: 'How a client repeats a chat message whose response was lost. An extension.',
    choice:
      'It may carry an `Idempotency-Key` as in D-09, which is valid for one user, is stored together with the message and ' +
      'stays with it: the same channel and text with the same key get the first message again, anything else is ' +
      'refused. Our console sends one with every message.',
    why: 'People send again when a connection breaks, which must not post twice.',
  },
  'D-93': {
    gap: 'How a process reports that it is ready, and how it announces that it stops.',
    choice:
      '`GET /livez` says that the process runs and checks nothing else. `GET /readyz` is 200 while the process accepts work (the ' +
      'database accepts writes, its schema is current, no stop was requested) and otherwise 503; it names each check with `ok`, ' +
      '`degraded` or `failed`, and the log says why (`reason` stays and is null). `/health` keeps its shape and has the status of ' +
      'readyz. At SIGTERM, readyz is 503 immediately; requests are still served, with `Connection: close`, for as long as stated ' +
      'below, then no new connection is accepted, and requests in flight are completed.',
    why:
      'A load balancer needs time to notice that a process stops, and restarting a process does not repair its ' +
      'database.',
  },
  // Payments
  'D-95': {
    gap: 'How an app calls without a user. An extension.',
    choice:
      'Endpoints under `/api/app` take HTTP Basic with client_id and client_secret (RFC 6749 §2.3.1), any of the app’s live ' +
      'secrets. `/api/deploy` takes them too, if the app is approved and its allowed_scopes have deploy:manage; it then acts for ' +
      'its owner. Wrong credentials are 401 with `WWW-Authenticate: Basic`; an app that is not approved, or lacks the scope, is 403. Failures are counted per address, within the limit of the token endpoint. ' +
      '`GET /api/deploy/registry/token` gives the same apps tokens of the private registry, as the distribution project defines them: to push and pull ' +
      'below `<client_id>/`, and to pull below `shared/` (D-59).',
    why:
      'A refund or a build server has no user at hand, and the specification allows no grant besides the code grant. Every HTTP ' +
      'library supports Basic.',
  },
  'D-96': {
    gap: 'How an app finds a movement again. An extension.',
    choice:
      'Spend and transfer answer `transfer_id`, and take `reference`, the app’s own order number, and `metadata`, a few texts by ' +
      'name. The app sees both in its lists and exports; the person sees the reference, and no other app. A transfer between people is listed as ' +
      '`between`, with both people and without a balance, since it does not change the points of the app.',
    why: 'Without an id nothing can be refunded, disputed or matched with an order.',
  },
  'D-97': {
    gap: 'How an app secures points before it delivers. An extension.',
    choice:
      'A hold sets points of a user aside for an app. The app captures at most the held amount, which frees the rest, or voids the ' +
      'hold; one that expires is freed within seconds, or when it is read, and so are those of an app that is disconnected or loses ' +
      'its approval. A hold has one outcome, and the others get 409 `hold_settled` with it. Lists of holds take `from` and `to` as ' +
      'in D-99. `points` is always the available amount, and `held` is separate; `points_after` of a movement includes held points.',
    why: 'Two-phase transfers are how ledgers keep a promise while something else may fail.',
  },
  'D-98': {
    gap: 'How a spend is refunded. An extension.',
    choice:
      '`POST /api/app/refunds` moves points of the app’s account to the person who spent them, in full or in parts that together ' +
      'never exceed the spend. A refund carries the reference of its spend. It works after a disconnect and without approval.',
    why: 'An operator who cannot refund makes the platform refund.',
  },
  'D-99': {
    gap: 'Where an app reads its own movements. An extension.',
    choice:
      '`/api/app/balance`, `/api/app/transfers` in cursor pages with filters, one of them by id, and the list as CSV. A person’s ' +
      'history has filters and CSV too. `from` is included and `to` is not. A CSV cell that a spreadsheet would take for a formula ' +
      'begins with an apostrophe, also where it would begin a cell behind a semicolon, tab or line break. `/api/app/balance/series` ' +
      'sums up by day or month of UTC, from stored sums. The owner has all of this, refunds and voids under ' +
      '`/api/oauth/my-apps/{id}`. `GET /api/search` finds among all own apps those with payments of a reference, and deployments by ' +
      'their name.',
    why: 'Books are kept outside the platform, too.',
  },
  'D-100': {
    gap: 'How a person limits an app’s spending. An extension.',
    choice:
      'A connection has a `daily_limit`, null by default, set with the consent or later. Spends, transfers and holds of the last 24 ' +
      'hours, and open holds, count; one that would exceed it is 409 `spending_limit_reached`. It stays when the app is disconnected ' +
      'and connected again, until the person changes it. The list of connected apps has `daily_limit_used`, the points that ' +
      'currently count towards it.',
    why: 'Consent to spend should not be consent to spend everything. Hours need no time zone.',
  },
  'D-101': {
    gap: 'How an app receives events without polling. An extension.',
    choice:
      'Its owner registers addresses; each gets a POST per event in the format of Standard Webhooks: `webhook-id`, ' +
      '`webhook-timestamp` and `webhook-signature`, and `{id, type, timestamp, data}` as the body. An address is a public https one, ' +
      'at registration and whenever a connection is made; `WEBHOOK_ADDRESSES=any` admits private ones too, and plain http to ' +
      'loopback, which a sandbox whose `PUBLIC_URL` is on loopback always does. Redirects are not followed, and 2xx within the time ' +
      'below is success. An event is recorded in the transaction of its cause and delivered at least once, in no promised order; a ' +
      'delivery that fails is repeated after the delays below, each prolonged by up to a tenth at random. A `Retry-After` prolongs a ' +
      'delay up to the next one, and 410 switches the webhook off immediately. A failing address gets one attempt at a time, at most ' +
      'one per second, until one succeeds. After the days below with failures only, less than two days apart, it is switched off, ' +
      'and its owner is mailed. Pending deliveries are sent when it is switched on again. Deliveries with request and response are ' +
      'kept for 30 days, listed with `from` and `to` as in D-99, and can be repeated; while the webhook is off that gets 409. After ' +
      'a change of the address or a switch-on, pending deliveries are sent immediately. During a rotation two secrets sign. `GET ' +
      '/api/app/events` lists the events of the same 30 days, oldest first: they are recorded while the app has a webhook, or has ' +
      'called this in the last 30 days. There are no events of scope requests. Calls that create, test, rotate or redeliver take an ' +
      '`Idempotency-Key` as in D-09, which is kept for 30 days.',
    why:
      'Verifiers of Standard Webhooks exist for every language. Delivery cannot be exact, so every event has an id and a list to ' +
      'catch up from. Polling costs both sides more.',
  },
  'D-102': {
    gap: 'How an app is tested without an admin, other people and real points. An extension.',
    choice:
      '`SANDBOX=on` makes an installation a sandbox. Its database is marked as one when it is made; a sandbox does not start on any ' +
      'other database, nor the real space on a marked one, and neither do commands and restores. In a sandbox apps are approved and ' +
      'listed, and scope requests granted, as they are made; a sample campaign runs on every surface; people give themselves play ' +
      'points (kind `play`, issued by the system), read the mails sent to them, and create test persons, and sign in as these ' +
      'without a password. Only the creator of a test person may do so, and test persons cannot create any. All of this is under ' +
      '`/api/sandbox`, which the real space does not have, and `/health` says `sandbox: true`. Everything else is as in the real ' +
      'space.',
    why:
      'People who must wait for an approval or ask for points give up. The installation decides, never an account, so the real space ' +
      'has no exception to exploit.',
  },
  'D-103': {
    gap: 'How apps sign people in with libraries of OpenID Connect. An extension.',
    choice:
      'The scope `openid`, which every app may ask for, adds an `id_token` to the code and refresh grants: RS256, with `iss`, `sub`, ' +
      '`aud`, `exp`, `iat`, `auth_time`, `at_hash`, the `nonce` of the request (not after a refresh), and with profile:read `name`, ' +
      '`email` and `email_verified`. Without another scope it includes profile:read, which userinfo (`/api/external/user`, by GET or ' +
      'POST) needs. `prompt=none` grants only what was allowed before, `login` and `select_account` ask for a sign-in, `consent` ' +
      'asks again; a sign-in longer ago than `max_age` seconds is not enough. Keys are at `/.well-known/jwks.json`; each signs for ' +
      'the days below, is published a while before, and afterwards until its last token has expired. `/oauth/logout` ends the ' +
      'session at Plaza, immediately if the hint names the person, otherwise after a confirmation; a `post_logout_redirect_uri` has ' +
      'the origin of one of the redirect URIs of the app.',
    why:
      'Sign-in libraries speak OpenID Connect first. Apps register no addresses for logout, and an origin that receives codes is ' +
      'trusted enough to receive a person after sign-out.',
  },
  'D-104': {
    gap: 'How a deployment is changed. An extension.',
    choice:
      '`PATCH /api/deploy/apps/{id}` with any of image, tier, port, custom_domain, env_vars (whole) or env_set and env_unset, replicas makes a release ' +
      'and rolls it out as a restart is, unless only custom_domain or replicas differ: then containers stay; `POST …/rollback` repeats an earlier release, its image by digest, by default the last one before ' +
      'that served. The deployment shows what serves; `GET …/releases` lists all releases with their outcomes. If a release does ' +
      'not start, the previous one keeps serving, with its tier and domain. Where hosting is charged, a more expensive tier costs the ' +
      'difference for the rest of the cycle at once, and for each cycle that begins before it serves; this is refunded if the release never serves. A cheaper tier applies from the next ' +
      'cycle. Between tiers paid in points and in bitcoin there is no change. Releases are kept as many as below, their environments encrypted. ' +
      '`GET …/metrics` returns the resource use of the containers and the requests, as data points over a day or a month. The owner is mailed when a deployment ' +
      'that should serve is down and when it has recovered, at most as often in an hour as stated below.',
    why: 'An owner who must destroy a deployment to change it loses the name, the visitors and the way back.',
  },
  'D-105': {
    gap: 'How an app is served by more than one container. An extension.',
    choice:
      '`replicas`, from 1 to the `replicas_max` of the tier (1 unless an admin sets more), is part of a release. The price of the ' +
      'tier applies to each; additional ones are charged immediately for the rest of the cycle, like a more expensive tier. They are ' +
      'placed on different hosts if possible. A release is rolled out to one first and, once that one serves, to the others one by ' +
      'one. Requests go to the replica with the fewest open ones among those whose port answers; one that fails is left out until it ' +
      'answers again, and status and health of the deployment are those of one that serves. A release that changes only their number ' +
      'starts or ends containers, and leaves the others running. Removed ones end with their open requests, or after some seconds. ' +
      '`host_servers` names the host of each; on a Swarm it and `host_server` name the node, as `<swarm>/<node>`. A rollback ' +
      'restores at most the number that the tier allows; without a `release_id` it keeps the present number and skips releases that ' +
      'changed nothing else.',
    why: 'A single container is a single point of failure, and limits the speed.',
  },
  'D-106': {
    gap: 'How a person exports their data and deletes the account. An extension.',
    choice:
      '`GET /api/auth/account/leaving` lists what is lost, `GET /api/auth/account/export` is everything about the person as one JSON ' +
      'document without secrets, and `POST /api/auth/account/delete` deletes the account: it needs the proof of D-107. In one ' +
      'transaction address, name, sessions, connections, secrets and settings go, apps of the person are withdrawn, their ' +
      'deployments destroyed, open holds released, and the remaining points of the person and of these apps move to a system ' +
      'account, as a movement of kind `closure`. A closed account receives no points: a refund for it goes to that system account ' +
      'too, and a transfer or award to it fails as to an unknown user. A job then erases in bounded rounds, and resumes after a ' +
      'crash: texts of chat messages are replaced and lose their name; movements stay under the id without description, reference ' +
      'and metadata; data of webhooks, learning, friends and presence is deleted. Open cases about the person (D-109) are dismissed ' +
      'without further notices. Records of ads stay, because they contain only ids, and so do texts of the person’s apps in other ' +
      'people’s movements. The name stays reserved for some days, as a hash. The last admin cannot leave. Backups contain the ' +
      'account until they are replaced.',
    why: 'A person who has left must no longer be found, and the books, other people’s chats and their history must stay complete.',
  },
  'D-107': {
    gap: 'How a person changes address, name and recovery codes, and is notified of changes. An extension.',
    choice:
      'Each change needs a proof: the password, with a code where there is a second factor, or a passkey with verification (D-108) ' +
      'alone. Turning the authenticator app off and changing the password also accept such a passkey instead of their usual proof. ' +
      'Wrong passwords are counted per account, and beyond D-91’s limits, also that of a day, every password is 429, right or wrong. ' +
      'A new address applies once the code mailed to it is entered (`/api/auth/email/change`, `…/confirm`); only its owner learns ' +
      'whether another account has it. This voids codes mailed to the old address. The old address, if it was verified, gets a mail ' +
      'with a code that undoes the change within some days (`/api/auth/email/undo`), once: it restores the previous address and ' +
      'name, sets a new password if one is sent, ends all sessions, pending codes and app connections, and removes a passkey or ' +
      'second factor that was added or replaced since; recovery codes that were made since are void. Until then no other account can ' +
      'take the address. The mails about an added passkey and an enabled second factor also contain such a code. An old name stays ' +
      'reserved for its former holder, and nobody gives up more than a few in that time. Verified addresses are mailed about a ' +
      'sign-in from a network address whose neighbourhood (IPv4 /24, IPv6 /64) is new, at most a few times a day, and about each ' +
      'change of password, name, second factor and recovery codes.',
    why: 'A stolen session alone must not suffice to take over an account, and its owner must be notified at an address that the thief does not have.',
  },
  'D-108': {
    gap: 'How a person signs in without a password. An extension.',
    choice:
      'Passkeys (WebAuthn): as many per account as below, each with a name. The domain they belong to is the host of `PUBLIC_URL`, ' +
      'and only its origin is taken; if it is an IP address, or http on a host other than localhost, browsers do not support ' +
      'passkeys and the calls get 409 `passkeys_unavailable`. A passkey signs in alone if the authenticator verified the person; it ' +
      'then counts as both factors. After the password it may replace the code of an authenticator app, also without that ' +
      'verification: a 401 `totp_required` then has `passkey_options`, and the login is repeated with `passkey`. A person without an ' +
      'authenticator app may have sign-ins ask for a passkey after the password, which is 401 `passkey_required`; recovery codes ' +
      'replace it. A challenge is valid once, for the seconds below, for one purpose and, except for a sign-in without a password, ' +
      'for one account. A proof (D-107) may be a passkey with verification, whose challenge is of the login session that asked for ' +
      'it too. Adding, removing and that choice need one; the owner is mailed. A counter that does not grow is 403 `passkey_copied`, ' +
      'shown in the list and mailed at most once a day. A failed sign-in counts for the account as a wrong password does (D-91). A ' +
      'passkey that cannot be shown to be the owner’s (the address was never verified) goes with the reset of the password. ' +
      '`totp_enabled` stays about authenticator apps.',
    why:
      'Passkeys cannot be guessed, reused or given to the wrong site. A person with a passkey should not need a code too, and adding a passkey locks ' +
      'nobody out.',
  },
  'D-109': {
    gap: 'Reports about people and messages, and their moderation. An extension.',
    choice:
      '`POST /api/social/reports` reports a message or a person, or with `part` only the display name or the picture of a person ' +
      '(D-165), for one of a few reasons and with a note, also one who is blocked and never oneself. Reports of one message, or of ' +
      'one person and their parts, are one case until it is decided; a report that is repeated before then returns the first (200), ' +
      'and nobody reports a message twice. Admins have the cases at `/api/admin/cases`, the open ones oldest first, with the ' +
      'surrounding messages and facts about both sides, and decide each once: `dismiss`, or any of `remove_message`, ' +
      '`remove_display_name`, `remove_picture`, `mute` (until a time) and `suspend`, with a reason. A name or picture that the ' +
      'person no longer has is 422 instead. A second decision gets 409 `already_decided` with the `decision`. A removed message ' +
      'keeps its place, with `removed: true` and the text below; streams send it again as `message_removed`. Admins can read the ' +
      'original text for the days below. A muted person reads, and posts are 403 `muted` with `muted_until`. Reporters learn whether ' +
      'action was taken, and the person concerned learns the action and its reason, both by mail at verified addresses. A case never ' +
      'shortens a mute that ends later. The number of a person’s open reports is limited as below. A person whose reports of the ' +
      'last days were dismissed more often than not, and at least as often as below, may have one, and admins see this.',
    why:
      'A social platform needs moderation, and a moderator needs the whole case in one view. Deleting a message with its place would ' +
      'shift every page and count. A doubted reporter is slowed down, but never silenced.',
  },
  'D-110': {
    gap: 'How an admin helps a person. An extension.',
    choice:
      'Under `/api/admin/users/{id}` an admin sees the account, its sessions, connections and movements, and ends sessions, mutes, ' +
      'mails the verification again, and removes a lost second factor. For that, a code is mailed to the address of the account; the ' +
      'person reads it out, or opens the link. Within the seconds below after the mail, and while the address is the same, the ' +
      'factor can then be removed, which is mailed to the person. Each of these calls has a `reason`, which is audited; the calls of ' +
      'D-81 take one. The audit log is searched by names and by time, and is a CSV file at `/api/admin/audit.csv`. An app whose ' +
      'name, logo, website or redirect URIs were changed after its approval is `changed_since_approval` (`GET ' +
      '/api/admin/apps?changed=true`) with its `approved` values, until an admin approves it again, marks the change as seen or ' +
      'rejects the app. Scopes are not included: an owner can only give some up. Under `/api/admin/deployments/{id}` an admin sees ' +
      'any deployment as its owner does: state, releases, deploy log, metrics and output, and rolls it back with a reason that the ' +
      'owner reads. Each rollback and each access to output is audited; of a search only the first page is, without the search text. ' +
      '`/api/admin/pending` counts pending decisions.',
    why:
      'People who lost a phone must not lose the account, and must not obtain another one by a good story: the address is the proof. ' +
      'An approval covers the state that an admin saw, and nobody would review it again without a reminder.',
  },
  'D-111': {
    gap: 'How an app follows a person’s points while the person uses it. An extension.',
    choice:
      '`GET /api/external/events` (`points:read`) sends server-sent events of the person for whom the token acts: the balance at the ' +
      'beginning and whenever it changes, whatever the cause, and every change of this app’s holds. Several changes in quick ' +
      'succession may be one event, with the latest state. The end of the token and of the connection are events, and end the ' +
      'stream. It is resumed as D-80 says. Changes are written from the first stream on until a day after the last one.',
    why: 'A game that shows a balance would otherwise poll it every second.',
  },
  'D-112': {
    gap: 'The meaning of null in a request.',
    choice:
      'Where something is created (201), an optional field that is null counts as absent, unless null is one of its values. At a change it ' +
      'clears what can be empty. Elsewhere it is refused like any value of a wrong type.',
    why: 'Clients generated from types send null for unset fields.',
  },
  'D-113': {
    gap: 'Where images come from when no registry is set.',
    choice:
      'Official images come from Docker’s public registry and any image from GitHub’s container registry, unless `REGISTRY_PUBLIC` or ' +
      '`REGISTRY_CODE_HOST` names another or is `off`. There is no private registry without `REGISTRY_PRIVATE`. They run at once where ' +
      'only people on the machine itself reach the service: `HOST` and `PUBLIC_URL` are loopback, and the database is the embedded one. ' +
      'Elsewhere apps are not trusted: workers test from probe containers whether they reach targets that apps must not reach. While a target ' +
      'responds, new deployments, changes and restarts wait (status unchanged, the reason in the pending entry of the deploy log); running ' +
      'deployments continue. A machine that cannot be probed is used, except with `ISOLATION=checked`; `ISOLATION=trusted` disables probes.',
    why:
      'A machine with an engine hosts official images immediately; a registry is switched off by a single setting. People who try ' +
      'Plaza at home deploy their own apps, and need no firewall against themselves; an official image runs any code that its ' +
      'environment names.',
  },
  'D-114': {
    gap: 'Names in the OpenAPI document.',
    choice:
      'An operation’s id is the name of its declaration (`spendPoints`). Every resource is a named schema; what else several operations share ' +
      '(parameters, responses, examples of failures) has a name too. Operation ids and names of schemas are part of the contract. ' +
      'The token endpoint has one schema for each grant: as JSON it carries the client, as a form HTTP Basic may (D-22).',
    why: 'Generators turn them into functions and types: a changed name breaks previously generated code.',
  },
  'D-115': {
    gap: 'Overlong paths, and HEAD.',
    choice:
      'A path of more than 4 KiB is 414 in the framework’s format. HEAD is answered as GET without its body, and is 405 where the GET ' +
      'changes something: authorize, the serving of ads, the events of an app.',
    why: 'A HEAD is sent by caches, checks and previews, which must not issue a code.',
  },
  'D-116': {
    gap: 'Rewards of an account whose address is not verified.',
    choice:
      'Points for registering, for referring and for a step of a learning path are recorded and paid when the address of the person ' +
      'who gets them is verified: once, in the transaction that verifies it. Until then they are in no balance. The `reward` of a ' +
      'completed step is its amount in both cases. Rewards paid before this rule stay. `REWARDS=at_once` pays everybody immediately, ' +
      'for closed installations and tests.',
    why: 'Accounts with invented addresses cost nothing, so they must not earn points.',
  },
  'D-117': {
    gap: 'Changes of an app that was approved.',
    choice:
      'They take effect immediately. Consent, the directory and the connected apps show the last reviewed values in `reviewed` until ' +
      'an admin has seen the change: the app is approved again, or marked as seen (`POST /api/admin/apps/{id}/seen`, D-110). It ' +
      'concerns name, description, logo, website and redirect URIs. A consent covers their values at that time; if any of them ' +
      'changes, consent is asked again (D-86). Consents from before this rule count for an app without pending changes. A call to ' +
      'authorize that says what was `shown` is 400 `consent_required` where name, description, logo, website, scopes or redirect ' +
      'URIs have changed since.',
    why:
      'An approval covers what an admin saw. People must not mistake unreviewed values for reviewed ones, and an operator must not ' +
      'have to wait to correct a logo.',
  },
  'D-118': {
    gap: 'Names of people that imitate the platform or its staff.',
    choice:
      'For new accounts and changes of the name they are 409 `username_taken`, as a name that somebody has: names that consist of the words ' +
      'below (not of roles and fillers alone), names with a part between separators that has a title and is made of such words, and names with ' +
      'the platform beside a title or, between separators, beside any of the words that is no filler. `RESERVED_USERNAMES` adds words. Names are compared without case, separators, accents and digits at the ends; digits and look-alikes of other alphabets count as ' +
      'the letters that they resemble. Accounts that have such a name keep it.',
    why: 'A name is all that others see of a person. The refusal does not reveal which names are reserved.',
  },
  'D-119': {
    gap: 'Notices in the console of events while a person was away. An extension.',
    choice:
      'Notices, under `/api/notices`: friend requests and their acceptance, messages in tables that the person wrote one of the last ' +
      'messages in, decisions about own apps, points of awards, transfers and refunds, outcomes of own reports and an admin’s ' +
      'actions against the person, own deployments that went down or recovered, webhooks that were switched off, and for admins ' +
      'pending decisions. One cause makes one notice: a repetition before it is read adds to its count, gives it a new id and moves ' +
      'it to the top. Notices of points, messages and pending decisions appear within seconds, all others with their cause. `GET ' +
      '/api/events?notices=true` sends `notices` with the count at its beginning and whenever it changes. Each kind can be muted, ' +
      'and be mailed: mails about friends, messages, points and pending decisions are gathered, at most one mail of a kind in the ' +
      'time below, and off by default; decisions about apps, reports, deployments and webhooks are mailed immediately, and on by ' +
      'default. Decisions about the person are always mailed. Names are current. Notices are kept for the time and up to the number ' +
      'below, and are deleted with the account; a suspended person gets none.',
    why:
      'A notice that nobody sees does not help, and people turn off notices that interrupt them needlessly. A spend or transfer must ' +
      'not wait for its notice.',
  },
  'D-120': {
    gap: 'A body that arrives after its head, and a credential that ends in between.',
    choice:
      'A credential is checked when the head arrives, and again when the body is complete: a call gets the response that a new call ' +
      'would get at that time, in every process. A body may take as long as below after its head; then the call is 408 and the ' +
      'connection closed. A change of credentials or rights checks the credential of its caller once more, in the transaction that ' +
      'makes it. An event stream sends nothing after its credential has ended.',
    why: 'An ended credential must have no further effect; otherwise a thief could keep calls half sent.',
  },
  'D-121': {
    gap: 'How often a short code may be guessed.',
    choice:
      'Tries of codes of six digits, mailed ones and those of an authenticator app (or a recovery code in their place), are counted ' +
      'for the account that they open, and mailed ones for the address that they were mailed to as well, whoever sends them, from ' +
      'any address, in a window of minutes and one of a day that begin with the first try. A right code is not counted. Beyond a ' +
      'limit every code is 429 `rate_limited` with `Retry-After`, right or wrong, and is not compared. As many wrong second factors ' +
      'after a right password as below are mailed to the owner of the address, once a day at most. D-91 bounds passwords.',
    why:
      'A million codes are few for an attacker with many accounts, addresses and days. A wrong second factor after a right password ' +
      'indicates that somebody else may know the password.',
  },
  'D-122': {
    gap: 'Which proofs of identity a recovered account keeps. An extension.',
    choice:
      'A password that is set with a mailed code ends the passkeys, the second factor by passkey, the authenticator app and the ' +
      'recovery codes that were added or replaced in the days below, unfinished set-ups of them, and a pending change of address. A ' +
      'change that the present address could undo cannot be undone by another address later. A mail says so, and lists the older ' +
      'passkeys, authenticator app and recovery codes, which stay. The mail about an added passkey has a code that takes it back, as ' +
      'that about an authenticator app does (D-107). Undoing a change signs nobody in: that needs the password (a new one only if ' +
      '`new_password` was sent) and a second factor from before.',
    why: 'Recovering an account must not leave the thief a way in, and access to the mails alone must not bypass a long-standing second factor.',
  },
  'D-123': {
    gap: 'Where a browser may be redirected without a click.',
    choice:
      'Only to redirect URIs of approved apps. If the app is pending or rejected, or its owner suspended, the pages for authorize ' +
      'and logout name the host and have a button. `is_approved` distinguishes the two cases.',
    why: 'Anybody can register an app. A link to Plaza must not redirect to a page that nobody has approved.',
  },
  'D-124': {
    gap: 'Texts that other people read, and persons who are muted or blocked.',
    choice:
      'Every field whose schema has `x-read-as` is read by others: it has at least one visible character (an optional one may be empty), and no ' +
      'bidirectional embedding or override (U+202A to U+202E); a `name` has no control character and no formatting of direction at all. Else ' +
      '422. While a person is muted, chat, new names of channels, game and lobby of their presence, descriptions of transfers, and another username are ' +
      '403 `muted`; bad words of all of these are masked. Channels and tables are found by their names as sent. A transfer to a person who has blocked the sender gets the response for an unknown person.',
    why: 'A blank or reordered text can imitate another one. A mute must cover every way to write to others.',
  },
  'D-125': {
    gap: 'The language of mails. An extension.',
    choice:
      'Mails are in the language of the person: the first one of `Accept-Language` that the service has, at registration, or at the next login ' +
      'of an account that has none; `PUT /api/auth/language` sets another. Without any, and for people without an account, it is English. The API, its ' +
      'failures and the documentation are in English.',
    why: 'Mails are read outside the console, which has the language of the browser. Programs read the API.',
  },
  'D-128': {
    gap: 'OpenID Connect, refined.',
    choice:
      '`prompt=login`, `prompt=select_account`, `max_age=0` and a sign-in older than `max_age` each ask for one sign-in, after which ' +
      'the request continues: `after_sign_in` says that the page has asked, and is accepted for a sign-in within the time below. An ' +
      '`id_token_hint` that is not genuine, or names another person than the one signed in, is `login_required` with `prompt=none`, ' +
      'and asks for a sign-in otherwise. `request`, `request_uri` and `registration` are refused by name, and a `response_mode` ' +
      'other than `query` is `invalid_request`; other unknown parameters are ignored. A logout whose address is not registered ' +
      'offers to sign out, and stays.',
    why:
      'A person who is asked twice would enter the same authenticator code twice, which is refused. A parameter that changes what is ' +
      'asked cannot be ignored.',
  },
  'D-126': {
    gap: 'How a caller learns the outcome of a change of a deployment. An extension.',
    choice:
      'A change and a rollback return `release`: its id, its status, and the reason of a failure. `?wait=` sets how long the call ' +
      'waits for the outcome. `replicas` counts when a deployment is created, too. A change without any field that it knows is 422 ' +
      '`nothing_to_change`; unknown fields beside known ones are ignored. `env_set` of a name below is 422: the platform sets it. ' +
      'While a release waits for a registry or a host, its pending entry in the deploy log says why. `is_stopping` is true until the ' +
      'deployment has stopped, and 409 `not_allowed_now` contains the status that prevents the call. A refused image is 422 ' +
      '`image_not_allowed` with the places that the app may use. The health check of an image counts: a release serves once it ' +
      'succeeds, or its port answers and it has no result for long. The check of a domain answers with `found`, the records that DNS ' +
      'has. A WebSocket whose container ends gets the close code 1012.',
    why: 'A build server learns the outcome from one call; a misspelled field must not look like a success.',
  },
  'D-127': {
    gap: 'Empty bodies, content codings, Host and If-None-Match.',
    choice:
      'A request without a byte of body has no body, whatever Content-Type, Content-Length or Transfer-Encoding say. A body with a ' +
      'Content-Encoding is 415 with `Accept-Encoding: identity`. Two Host headers, a malformed one, or none in HTTP/1.1 are 400. ' +
      '`If-None-Match` takes lists and `*` and compares weakly; each content coding of an answer has its own entity tag.',
    why: 'RFC 9110 and RFC 9112 require it; clients, caches and proxies rely on it.',
  },
  'D-129': {
    gap: 'One proof for several changes of an account. An extension.',
    choice:
      '`POST /api/auth/proof` takes a proof (D-107) and answers `proved_until`: for that long every call of the session that takes a proof goes ' +
      'without its fields. Changing the roles of admins, making a client secret, ending the other sessions and the export ask for a proof too; for ' +
      'these a sign-in of the same last minutes counts as well, and without any they are 403 `proof_required`. A changed password ends the ' +
      'session and its proof. With `ADMIN_SECOND_FACTOR=required` the calls of admins whose password alone signs in are 403 `second_factor_required`.',
    why:
      'A stolen or open session must not be enough to take over the account, and nobody should type a password five times in five ' +
      'minutes.',
  },
  'D-133': {
    gap: 'A client secret with fewer permissions than the app. An extension.',
    choice:
      'Making a secret takes `name`, `permissions`, `expires_at` and `allowed_addresses` (networks in CIDR notation; the address of ' +
      'a caller as in D-05). The permissions are `token` (token endpoint and revocation), `payments_read` (balance, transfers, holds ' +
      'and payouts), `payments` (refunds, capture, void), `payouts`, `deploy` (`/api/deploy`), `registry` (the token of the ' +
      'registry) and `webhooks` (`GET /api/app/events`); `payments` and `payouts` include `payments_read`. Each operation declares ' +
      'its permission, which the document shows as `x-secret-permission`. Without these fields a secret may do everything. A call ' +
      'that it lacks the permission for, or from another network, is 403 `secret_not_permitted` with the `permission` of the call, ' +
      'and 400 `unauthorized_client` at the token and revocation endpoints. A secret that has expired is refused like one that was ' +
      'deleted. The list says who made a secret, and when and from where it was last used. It stays when its maker leaves. The ' +
      'people of the app get a notice and a mail before a longer-lived secret expires, by the number of days below.',
    why: 'A build server that can only deploy cannot lose the points of the app, and keys bound to a person break when the person leaves.',
  },
  'D-150': {
    gap: 'When a continually renewed grant ends. An extension.',
    choice:
      'A grant ends after the time below since its consent (`REFRESH_TOKEN_MAX_TTL`), however often it is renewed: its tokens expire ' +
      'then, and the app sends the person to sign in again. The token response has `refresh_token_expires_in`. Grants that an older ' +
      'version made count from the upgrade.',
    why: 'A stolen refresh token that is renewed in time would otherwise stay valid forever (OWASP ASVS 5, V10.4.8).',
  },
  'D-151': {
    gap: 'Pushed authorization requests (RFC 9126). An extension.',
    choice:
      '`POST /api/oauth/par` takes the parameters of an authorization request and the client as at the token endpoint, checks them, and answers 201 with a ' +
      '`request_uri` of 256 random bits. `/oauth/authorize` with `client_id` and `request_uri` opens it once, within the first time below; ' +
      'the person then has the second time to sign in and allow, and one code is issued for it. Afterwards it is 400 `invalid_request_uri`. With ' +
      '`require_par` (off by default) an app takes no other requests. Other values of `request_uri` stay `request_uri_not_supported`.',
    why: 'Nobody can change a request in the browser, and its parameters are checked before the person sees a page.',
  },
  'D-152': {
    gap: 'Tokens that are bound to a key of the client (DPoP, RFC 9449). An extension.',
    choice:
      'A request with a `DPoP` header at the token endpoint gets tokens that are bound to the key of the proof: `token_type` is `DPoP`, and introspection ' +
      'has `cnf.jkt`. They are sent as `Authorization: DPoP` with a proof for each call, and as Bearer they are 401 `invalid_token`. A proof is signed with one of the ' +
      'algorithms below (`Ed25519` is the name of RFC 9864 for EdDSA), names method and address of the request under `PUBLIC_URL`, is made within the time below, has the ' +
      'nonce of the last `DPoP-Nonce` header, and is used once in all processes. Nonces derive from `SECRET_KEYS`. A code is bound by `dpop_jkt`, or by a proof at the PAR endpoint. ' +
      'Refresh tokens of a request without a secret are bound to the key: they are exchanged with a proof of it, and need no secret. All others need the secret as before, and ' +
      'may change the key. With `require_dpop` (off by default) an app gets no tokens without a proof. Requests without a proof are answered as before. ' +
      'The tokens of agents may be bound too: a proof for `/mcp` covers the call of the tool. The list of connected apps has `bound_to_key`.',
    why: 'A stolen token is useless without the key, which never leaves the client. The address is not compared with the `Host` header, since a proxy may change it.',
  },
  'D-154': {
    gap: 'The rest of OpenID Connect Core that certified providers have. An extension.',
    choice:
      '`POST /oauth/authorize` takes a form as GET takes a query. Parameters that change what is asked are refused by name: `request_not_supported`, ' +
      '`request_uri_not_supported`, `registration_not_supported`; other optional ones are ignored: `display`, `ui_locales`, `claims_locales`, `claims`, `acr_values`, ' +
      '`login_hint`. Each module of the conformance plan "Basic OP" is a test, with PKCE added.',
    why: 'The plan sends no PKCE, which the specification demands, so its suite cannot run; its cases can.',
  },
  'D-155': {
    gap: 'How apps are notified of a sign-out (OpenID Connect Back-Channel Logout 1.0). An extension.',
    choice:
      'An app may have a `backchannel_logout_uri`, under the rules of webhook addresses (D-101). Identity tokens have a `sid`, a random id of the session of ' +
      'sign-in at this app. When the session is ended (a sign-out, here or by an app, or a change of the password) or the connection ends (a disconnect, a suspension, ' +
      'the deletion of the account), the app gets one POST with a `logout_token`: signed with the keys of identity tokens, `typ` `logout+jwt`, `iss`, `aud`, `sub`, ' +
      '`sid`, `iat`, `exp`, `jti` and `events`. Codes of the session that are not redeemed yet are void. A session that merely expires sends nothing, and a ' +
      'sign-in is forgotten with its session, 30 days after that expired. Attempts last at most as long as below; otherwise retries, switching off and the list of deliveries are those of ' +
      'webhooks, among which the address is listed with the purpose `logout`. The token is made at each attempt and not stored. When a person deletes the account, ' +
      'every app that they ever connected gets the event `account.deleted`.',
    why: 'Otherwise a person who signs out at a shared computer stays signed in to every app. All tokens have `sid`, so `backchannel_logout_session_required` changes nothing.',
  },
  'D-156': {
    gap: 'Agents that act for a person. An extension.',
    choice:
      '`POST /mcp` is a server of the Model Context Protocol, with its own RFC 9728 metadata at `/.well-known/oauth-protected-resource/mcp`. Its tools are the ' +
      'endpoints that the contract marks, with their texts and schemas; a token lists those that it has the scope for, and a call of a tool is a call of the ' +
      'endpoint, with its limits and errors. `resource` (RFC 8707) at the authorization and token endpoints and in pushed requests takes the address of the API, the default, or ' +
      '`{PUBLIC_URL}/mcp`; any other is `invalid_target`, and so is one at the token endpoint that was not granted. A token works at its own resource only, and is 401 `invalid_token` at the ' +
      'other. Introspection shows `aud`. A person allows each sign-in of an agent: no consent is remembered. A tool that moves points asks the person by form elicitation, with app, amount and ' +
      'receiver, unless they have set a daily limit for the app (D-100), which then bounds it. A client that cannot ask gets `confirmation_needed`. Without such a limit, ' +
      'tools of an app move at most as many points of a person in 24 hours as below (`AGENT_DAILY_LIMIT`), then 409 `spending_limit_reached`. An answer moves points once. A request is one message; a list of messages is refused. Requests with the `Origin` of another site are 403. ' +
      'A client of a metadata document (D-36) may ask for `points:spend` too.',
    why:
      'A question protects against mistakes of a model. A dishonest program can answer it itself; only a limit protects against ' +
      'that. A token made for an agent must not bypass the question.',
  },
  'D-157': {
    gap: 'Deployments from a terminal. An extension.',
    choice:
      '`plaza login` opens `/cli` in the console with the `port` it listens on, a `state`, a `code_challenge` (S256) and the `name` of the machine. The person ' +
      'chooses an app of theirs, or of a team in which they are a developer, and gives a proof (D-107). `POST /api/oauth/my-apps/{id}/cli-codes` makes a ' +
      'code, which the browser takes to `http://127.0.0.1:{port}/` with the state, and nowhere else. `POST /api/cli/token` exchanges it with the verifier, ' +
      'once and within the seconds below, for a secret (D-133) named after the machine, which ends after the days below. It has the permissions ' +
      '`deploy`, `webhooks` and `payments_read`; that of a developer of the team has `deploy`. Otherwise the answer is 400 `invalid_grant` and no secret is made. The ' +
      'person has to be signed in and to have the role when the code is exchanged. `DELETE /api/deploy/secret` deletes the secret of the call.',
    why: 'Nobody has to copy a secret into a terminal, where it would stay in a history, and the terminal’s secret cannot move points.',
  },
  'D-164': {
    gap: 'The person behind a referral code. An extension.',
    choice:
      '`GET /api/public/referrals/{code}` answers the name of the person and the points for both; an unknown code, and that of somebody who is ' +
      'suspended or has left, is 404. The page of the registration says who invites, and so do the tags and the picture that other services ' +
      'show for its link. For `/u/{username}` the tags show the name in the address, even without such an account, unless it imitates staff ' +
      '(D-118). Every page of the console answers HTML, whatever `Accept` says.',
    why: 'People follow a link if it says who sends it and what they gain.',
  },
  'D-166': {
    gap: 'Staying signed in to the console. An extension.',
    choice:
      'A sign-in by the console, which browsers mark with `Sec-Fetch-Site: same-origin`, sets an HttpOnly, SameSite=Strict cookie with the ' +
      'prefix `__Host-`. With it `POST /api/auth/session/renew` gives a new JWT of the same session, also after the JWT has expired; the one ' +
      'before ends after 30 seconds. A session ends 30 days after its last renewal (`SESSION_IDLE_TTL`), 180 days after the sign-in ' +
      '(`SESSION_MAX_TTL`), and that of an admin 12 hours after the sign-in. Renewals within the same 30 seconds give the same JWT number, so tabs ' +
      'do not end each other. Without the cookie it is 401 `invalid_token`, however often it is tried: a limit would let an expired JWT keep its owner from renewing. A JWT lives for `JWT_TTL`.',
    why:
      'People stay signed in where they use Plaza, and a stolen JWT expires within hours, because no script can read the cookie that ' +
      'renews it.',
  },
  'D-165': {
    gap: 'A display name, a picture and a time zone of a person, and a logo of an app that the platform keeps. An extension.',
    choice:
      '`PUT /api/auth/profile` sets `display_name`, which others see next to the username, and `time_zone`. A display name that ' +
      'imitates the platform or its staff (D-118) or contains a bad word (D-74) gets 422, and a muted person cannot set one. `PUT ' +
      '/api/auth/picture` takes a PNG, JPEG or WebP file in base64 within the bounds below; it is decoded only if its header is ' +
      'within them, and kept as a square WebP without metadata, which `/pictures/{id}` serves to the pages of the console while the ' +
      'person is not suspended. `PUT /api/oauth/my-apps/{id}/logo` takes the same files and keeps all of the picture, with ' +
      '`{PUBLIC_URL}/logos/{app}?…` as the `logo_url` of the app, so that a change of it is seen and reviewed as any other (D-110, ' +
      'D-117); the picture is deleted when the `logo_url` changes, also when the app is withdrawn.',
    why: 'Usernames are ASCII and unique; people have other names, and the username beside the name still says who it is.',
  },
  'D-160': {
    gap: 'Push messages while the console is closed. An extension.',
    choice:
      'Web Push (RFC 8030, 8291, 8292) for the kinds of notices of D-119: `POST /api/notices/devices` registers the browser of the ' +
      'session that calls, with the kinds that it wants; the same endpoint again changes them. A message has the kind, a title in ' +
      'the language of the person, a link and a tag, and no text of a chat; a device may ask for the text of direct messages ' +
      '(`with_texts`). A muted kind is not pushed, and messages that add to an unread notice are not pushed again. Endpoints are ' +
      'bound by `WEBHOOK_ADDRESSES` as webhooks are. A device is deleted when its push service answers 404 or 410, when its session ' +
      'ends or expires, and with the account. A push that its service refuses for now (429, 5xx) is tried four times within a ' +
      'minute. If a service gives no answer within 5 s, nothing is sent to that person for a minute. A push service keeps pushes as ' +
      'long as below. The console can be installed, asks for permission only after a press of the button, and without a network ' +
      'shows the last data with their age.',
    why:
      'People close the console. Most people permanently refuse a request for permission at load, and others can read a chat text on ' +
      'a locked screen.',
  },
  'D-161': {
    gap: 'Messages between two people. An extension.',
    choice:
      'Friends write to each other at `/api/social/direct/{user_id}`, with the form, bounds, filter, keys and order of messages in a ' +
      'channel. Without a friendship, which a block ends too, writing is 403 `not_friends`, and so is reading where the two never ' +
      'wrote; what they wrote stays readable to both. Others have no access: the conversation has no id that a client sees. Both get ' +
      '`direct_message` on their event streams. Either can report a message of the other; admins see only that message.',
    why: 'People who know each other want to talk without an audience. A friendship is an agreement to hear from each other.',
  },
  'D-162': {
    gap: 'Unread, edited and deleted messages, and reactions. An extension.',
    choice:
      'A person has one read position per conversation or channel, which only moves forward; nobody else sees it. `GET /api/social/unread` counts ' +
      'from it, in the conversations and channels with the newest messages. The sender edits a message for the time below and deletes it at any time: it keeps its place, with `removed: true`, ' +
      '`removed_by: "sender"` and the text below, and admins can read the original as long as in D-109. An edited text is masked like a new one, and a muted person ' +
      'edits nothing. Everyone who can write reacts, with each reaction of a fixed list once per message. Streams send `message_changed` after an ' +
      'edit or a reaction, without `my_reactions`. A report keeps the text of its time.',
    why: 'A typing error should be correctable, and a reported text must not be. Read receipts would put people under pressure to answer.',
  },
  'D-130': {
    gap: 'Payouts of an app to people. An extension.',
    choice:
      '`POST /api/app/payouts` moves points from the balance of the app, less what D-131 holds, to a person who is connected to the app; nothing is ' +
      'minted. Everybody else is 409 `recipient_not_connected`, whatever the reason: unknown, left, suspended or never connected. The owner of the app is ' +
      'a person like any other. `POST /api/app/payouts/batch` takes the number of items below. Each is paid or refused by itself, under the key (key, ' +
      'index), and a replay returns all outcomes, refusals too; of two different batches with one key the second is 422 and pays nothing. ' +
      'The items are booked in transactions of 128. A malformed item fails the whole call. The kind of the movement is `payout`, the event `points.paid_out`.',
    why: 'Prizes, creators and sellers are paid from what an app earned. One keyed call has no steps between which a crash could pay twice.',
  },
  'D-131': {
    gap: 'Withdrawals of an app’s income by its owner. An extension.',
    choice:
      '`POST /api/oauth/my-apps/{id}/withdrawals` moves points of the app to the account of its owner, with a proof (D-107); the ' +
      'kind of the movement is `withdrawal`. Points that came in during the last `EARNINGS_HELD_DAYS` (0 by default) leave an app ' +
      'only by refunds: a withdrawal of them is 409 `earnings_held`, a payout 409 `insufficient_points`. A refund of such a spend ' +
      'uses the held points. `held_earnings` of the balance is the amount. The ledger counts it from its own rows, under the lock of ' +
      'the account.',
    why:
      'An operator pays for hosting with what the app earned (D-62). Refunds stay possible, and a leaked secret cannot take held ' +
      'points.',
  },
  'D-132': {
    gap: 'The limit on payouts of an app. An extension.',
    choice:
      'The payouts of an app in the hours below are bounded by `PAYOUT_DAILY_LIMIT` (none by default), or in its place by an amount that admins set for the ' +
      'app with `PUT /api/admin/apps/{id}/payout-limit`; beyond it 409 `payout_limit_reached`. The ledger counts its own rows, under the lock of the ' +
      'account, as in D-100; nothing gives points of the limit back. Withdrawals do not count: they need a proof.',
    why: 'A leaked secret or a faulty loop must not empty an app immediately.',
  },
  'D-137': {
    gap: 'Points that a person sends and requests without an app. An extension.',
    choice:
      '`POST /api/points/transfers` books immediately, by the rules of D-46 and D-89; a block in either direction is 404. The sender ' +
      'has a verified address and is not muted. More than `SEND_PROOF_ABOVE` points at once need a proof (D-129), or are 403 ' +
      '`proof_required`; more than `SEND_DAILY_LIMIT` in 24 hours are 409 `send_limit_reached`. Descriptions pass the filter of ' +
      'chat. Only friends ask each other (403 `not_friends`). A request is paid, declined or cancelled once, then 409 ' +
      '`request_closed`; it expires after the days below, and the number of open ones is limited, as is that of an hour: each one ' +
      'sends a notice. A block declines or cancels the open ones of the two without a notice. Movements have the kind `direct`, and ' +
      'the history of a person names the other one.',
    why: 'People pay each other back. A stolen session must not empty an account, and asking must not become a way to pester strangers.',
  },
  'D-163': {
    gap: 'Streaks and boards of learning. An extension.',
    choice:
      'A day on which a person completes a step, a repeated one too, continues the streak at `GET /api/btc-progress/streak`. The day ' +
      'is that of the time zone that the profile has at that moment (D-165), or of UTC, and stays the same when the zone changes. ' +
      '`GET /api/btc-progress/{path}/board` has two boards, by the number of steps that a person has ever completed, the earlier one ' +
      'first: `friends`, and `all`, who are those that agreed with `PUT /api/btc-progress/listing`. It answers the first places and ' +
      'the own place with its neighbours. People with a block between them, and suspended people, are excluded.',
    why: 'A streak and a board among friends invite people to return. Nobody is shown to strangers without consent.',
  },
  'D-134': {
    gap: 'Apps that several people work on. An extension.',
    choice:
      'A team owns apps, and its members have the roles `viewer`, `developer`, `admin` and `owner`, each including those before it. Every operation on an app ' +
      'or a team declares the least role that it needs (`x-team-role`): viewers read everything but secrets, developers change settings, deploy and test webhooks, ' +
      'admins have secrets, refunds and members, owners move apps and delete the team. A member with a lower role gets 403 `role_required` with that `role`, ' +
      'others 404. Where a token must be that of the owner (D-33), one of an admin of the team is too, and under `/api/deploy` one of a developer, to read one of a viewer. ' +
      'Nobody gives a role above their own or changes a member above it. An invitation names a mail address; only the person who has verified it accepts it, once, ' +
      'within the days below, while the member who invited may still invite. A team always has an owner who is not suspended: the last one cannot leave, lose the role or delete the account ' +
      '(409 `last_owner`). A member without the second factor that the team requires can only leave, and has access again with one; ' +
      'such an owner counts as an owner. One of its owners is the `owner_id` of its apps, for whom an app with its own secret acts; when that person leaves or is ' +
      'suspended, another owner takes the place, and D-88 holds only where there is none. A person who is given an app accepts it first. Hosting is paid from the ' +
      'balance of a team’s app. Notices about an app go to its developers and everybody above. A change holds from the next call on, in every process, and a call that runs when it is made is done as a whole or refused.',
    why:
      'A password shared by several people cannot be revoked for one of them, and an app must outlive the account of the person who ' +
      'registered it.',
  },
  'D-135': {
    gap: 'Admins with limited rights. An extension.',
    choice:
      'A person may have several of the roles `administrator` (everything), `support` (people: D-110), `moderator` (cases, chat), ' +
      '`finance` (awards, payments, the ledger), `hosting` (hosts, tiers, deployments), `reviewer` (apps, scopes, webhooks that ' +
      'fail) and `auditor`, who reads everything and changes nothing. Every operation of admins declares the roles that may call it, ' +
      'each alone (`x-admin-roles`); administrators may call all of them, auditors every GET. Operations without an obvious role, ' +
      'such as the audit log, jobs, campaigns, tiers of people and suspensions without a case, are for administrators. Without any ' +
      'role the answer is 403 `forbidden`, without the right one 403 `role_required`, whose `role` is one that would do. `is_admin` ' +
      'is true for whoever has a role; setting it to true grants `administrator`, to false takes all roles away. Roles are set with ' +
      'a reason and a proof, are in the audit log, and hold from the next call on, in every process, for open streams, and for calls ' +
      'whose body is still arriving. Nobody can remove their own roles (409 `own_roles`). The last administrator who is not ' +
      'suspended cannot lose the role, be suspended or delete the account (409 `last_administrator`, which was `last_admin` in 0.2). ' +
      'Only an administrator ends the sessions or takes the second factor of an admin, or suspends one: otherwise a lesser role ' +
      'could take the account over. Notices of pending decisions go to the admins who may decide them. Admins of 0.1 and 0.2 are ' +
      'administrators.',
    why:
      'A person who answers mails about lost passwords needs no right to mint points, and an auditor needs none to change audited ' +
      'data.',
  },
  'D-136': {
    gap: 'A second person for large awards and payout limits. An extension.',
    choice:
      'With the setting `REVIEW_AMOUNT` (off by default), an award of more points, and a payout limit above it, wait for a second ' +
      'person with the role `finance`: the answer is 202 `{review}`, also for a repetition with the same Idempotency-Key, which ' +
      'shows the outcome. A payout limit of null counts as that of the installation, and as above where there is none. Another ' +
      'person than the one who asked approves or rejects it once, within the days below, or it is void; the person who asked gets ' +
      '403 `own_review`. When it is approved, the person who asked must still have the right, and the act is performed in the same ' +
      'transaction; if it fails, the review stays open. The count of waiting reviews leaves out those that the caller asked for.',
    why: 'A stolen session or one dishonest person must not mint points at will.',
  },
} satisfies Record<string, DecisionText>

export type DecisionId = keyof typeof decision_texts
