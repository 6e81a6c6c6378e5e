// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { EventStream } from '../event-stream.ts'
import type { CallOptions, KeyedOptions, StreamOptions } from '../options.ts'
import type { AdminApp, AdminCampaign, AdminDeployTier, AdminDeployment, AdminHold, AdminPerson, AdminScopeRequest, AdminSession, AdminTransfer, AdminUser, AppStatus, AuditEntry, CaseDetail, ConnectedApp, ContainerHost, DeployLogEntry, DeployRelease, DeploymentStatus, FailedJob, FailingWebhook, HistoryEntry, HoldStatus, LedgerCheck, MessageResponse, ModerationCase, OutputLine, PaymentMethod, RawMessage, ReplicaUsage, RequestsPoint, ScopeRequestStatus, SurfaceType, TransferKind } from './resources.ts'

/** What a person may call who is an admin. */
export interface AdminCalls {
  /**
   * How much waits for an admin’s decision
   *
   * For badges: each is counted up to 100 only. The lists themselves have all of it.
   *
   * `GET /api/admin/pending`
   */
  readonly countPending: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** How many apps are pending; counted up to 100 */
    apps: number
    /** How many apps changed since their approval; counted up to 100 */
    changed_apps: number
    /** How many scope requests are pending; counted up to 100 */
    scope_requests: number
    /** How many cases of reports are open; counted up to 100 */
    cases: number
  }>

  /**
   * Apps, newest first
   *
   * Of all owners. The queue of what is to be reviewed is `status=pending`.
   *
   * `GET /api/admin/apps`
   */
  readonly adminListApps: (input?: {
    /** What the review has come to; people can authorize approved apps only */
    status?: AppStatus | undefined
    /** Only apps of this person */
    owner_id?: string | undefined
    /** The beginning of the name, in any case, or an id */
    q?: string | undefined
    /** Only apps whose name, logo, website or redirect URIs changed since approval */
    changed?: boolean | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AdminApp[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Approve an app, and list it in the directory or not
   *
   * People can authorize it from now on. Approving again changes the listing only.
   *
   * `POST /api/admin/apps/{id}/approve`. Refuses with `not_found`.
   */
  readonly approveApp: (input: {
    /** The id of the app */
    id: string
    /** Whether the public directory shows it; left out, that stays */
    listed?: boolean | undefined
  }, options?: CallOptions) => Promise<AdminApp>

  /**
   * Reject an app, or withdraw its approval: all its codes, tokens and sessions stop at once
   *
   * Its open holds are freed. Its owner can submit it again.
   *
   * `POST /api/admin/apps/{id}/reject`. Refuses with `not_found`.
   */
  readonly rejectApp: (input: {
    /** The id of the app */
    id: string
    /** Why, which the owner of the app reads */
    reason?: string | undefined
  }, options?: CallOptions) => Promise<AdminApp>

  /**
   * Mark what changed of an app since its approval as seen: it counts as approved as it is
   *
   * Refused where its owner has changed it again meanwhile. To withdraw the approval, reject the app.
   *
   * `POST /api/admin/apps/{id}/seen`. Refuses with `not_found`, `not_allowed_now`.
   */
  readonly markAppSeen: (input: {
    /** The id of the app */
    id: string
    /** The `updated_at` of the app that you looked at */
    updated_at: string
    /** Why, which the audit log keeps */
    reason: string
  }, options?: CallOptions) => Promise<AdminApp>

  /**
   * Scope requests, newest first
   *
   * Of all apps. The queue of what is to be decided is `status=pending`.
   *
   * `GET /api/admin/scope-requests`
   */
  readonly adminListScopeRequests: (input?: {
    /** What the request has come to */
    status?: ScopeRequestStatus | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AdminScopeRequest[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Grant a scope request: its scopes join the app’s allowed_scopes
   *
   * People are asked for them the next time. A request is decided once.
   *
   * `POST /api/admin/scope-requests/{id}/approve`. Refuses with `not_found`, `already_decided`.
   */
  readonly approveScopeRequest: (input: {
    /** The id of the scope request */
    id: string
  }, options?: CallOptions) => Promise<AdminScopeRequest>

  /**
   * Deny a scope request
   *
   * The app keeps the scopes that it has. A request is decided once.
   *
   * `POST /api/admin/scope-requests/{id}/deny`. Refuses with `not_found`, `already_decided`.
   */
  readonly denyScopeRequest: (input: {
    /** The id of the scope request */
    id: string
    /** Why, which the owner of the app reads */
    reason?: string | undefined
  }, options?: CallOptions) => Promise<AdminScopeRequest>

  /**
   * Users, newest first; `q` is the beginning of a username or e-mail address, or an id
   *
   * Suspended ones, too.
   *
   * `GET /api/admin/users`
   */
  readonly adminListUsers: (input?: {
    /** The beginning of a username or address, in any case, or an id */
    q?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AdminUser[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Set a user’s tier, multiplier, admin right or suspension
   *
   * What is left out stays. A suspension ends all sessions and tokens of the user at once, and withdraws the apps
   * that the user owns. The user is mailed when one begins and when it ends, with the reason where there is one.
   * `is_admin` needs a proof or a sign-in of the last minutes.
   *
   * `PUT /api/admin/users/{id}`. Refuses with `not_found`, `last_admin`, `proof_required`.
   */
  readonly updateUser: (input: {
    /** The id of the person */
    id: string
    /** One of the ranks of this installation */
    tier?: string | undefined
    /** What points for referrals are multiplied by */
    signup_multiplier?: number | undefined
    /** Whether the person may call `/api/admin` */
    is_admin?: boolean | undefined
    /** Whether the account is suspended: it can do nothing then */
    suspended?: boolean | undefined
    /** Why, which the audit log keeps */
    reason?: string | undefined
  }, options?: CallOptions) => Promise<AdminUser>

  /**
   * A person’s account, with what hangs on it
   *
   * Apps, holds, deployments, reports and audit entries of the person are filters of their own lists.
   *
   * `GET /api/admin/users/{id}`. Refuses with `not_found`.
   */
  readonly adminGetUser: (input: {
    /** The id of the person */
    id: string
  }, options?: CallOptions) => Promise<AdminPerson>

  /**
   * Award points to a user, on behalf of an app or of the platform
   *
   * With an `Idempotency-Key` the call may be repeated safely: it is applied once.
   *
   * `POST /api/admin/points/award`. Refuses with `user_not_found`, `not_found`, `points_limit_reached`,
   * `idempotency_key_reused`, `outcome_unknown`.
   */
  readonly awardPoints: (input: {
    /** The id of the person */
    user_id: string
    /** How many points, a whole number */
    amount: number
    /** What it is for, which the person reads in the history */
    description?: string | undefined
    /** The app on whose behalf; without it, the platform */
    app_id?: string | undefined
    /** Why, which the audit log keeps */
    reason?: string | undefined
  }, options?: KeyedOptions) => Promise<{
    /** The id of the movement, for refunds, lists and questions */
    transfer_id: string
    /** What the person can spend now, in points, without what is held */
    points: number
  }>

  /**
   * A chat message as it was really typed; that you looked at it is noted in the audit log
   *
   * For moderation. Nobody else is shown `body`. Of a message that was removed it is kept for a while, and is then
   * what others read.
   *
   * `GET /api/admin/messages/{id}`. Refuses with `not_found`.
   */
  readonly adminGetMessage: (input: {
    /** The id of the message */
    id: string
  }, options?: CallOptions) => Promise<RawMessage>

  /**
   * Check the ledger: debits equal credits, and every balance equals its transfers
   *
   * Reads every transfer in one snapshot. Sums are decimal text: they may exceed what a JSON number holds.
   *
   * `GET /api/admin/ledger/check`
   */
  readonly checkLedger: (input?: Record<string, never>, options?: CallOptions) => Promise<LedgerCheck>

  /**
   * Who changed what, newest first; `target_name` is what the target is called now, if it is there and has a name
   *
   * Entries are never changed or deleted.
   *
   * `GET /api/admin/audit`
   */
  readonly listAudit: (input?: {
    /** What was done, such as `app.approve` */
    action?: string | undefined
    /** The id of the admin who did it */
    actor_id?: string | undefined
    /** The id of what it was done to */
    target_id?: string | undefined
    /** The whole name of the admin who did it, in any case */
    actor?: string | undefined
    /** The whole name of the person, app, campaign, tier or deployment it was done to, in any case */
    target?: string | undefined
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
    data: AuditEntry[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Who changed what as a CSV file, newest first, of any length
   *
   * With the filters of the list. `details` is JSON. A cell that a spreadsheet would take for a formula begins with
   * an apostrophe.
   *
   * `GET /api/admin/audit.csv`
   */
  readonly exportAudit: (input?: {
    /** What was done, such as `app.approve` */
    action?: string | undefined
    /** The id of the admin who did it */
    actor_id?: string | undefined
    /** The id of what it was done to */
    target_id?: string | undefined
    /** The whole name of the admin who did it, in any case */
    actor?: string | undefined
    /** The whole name of the person, app, campaign, tier or deployment it was done to, in any case */
    target?: string | undefined
    /** From this moment on */
    from?: string | undefined
    /** Before this moment, which is left out itself */
    to?: string | undefined
  }, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>

  /**
   * Campaigns with their counts, newest first
   *
   * Those that are over, too.
   *
   * `GET /api/admin/campaigns`
   */
  readonly adminListCampaigns: (input?: {
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AdminCampaign[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Create a campaign
   *
   * Without dates and max_impressions it runs unbounded, as long as it is active.
   *
   * `POST /api/admin/campaigns`
   */
  readonly createCampaign: (input: {
    /** Its name, which apps are told */
    name: string
    surface_type: SurfaceType
    /** What an event is worth, a decimal number; each event keeps the rate of its moment */
    payout_rate: number
    /** How often it is chosen beside others: one of 2 twice as often as one of 1 */
    weight?: number | undefined
    /** Whether it is shown at all */
    active?: boolean | undefined
    /** From when it is shown; null for at once */
    starts_at?: string | null | undefined
    /** Until when it is shown; null for no end */
    ends_at?: string | null | undefined
    /** How often it is shown at most; null for no bound */
    max_impressions?: number | null | undefined
    /** A word for its bitcoin tier, which apps are told; null for none */
    bitcoin_tier?: string | null | undefined
    /** Whom the campaign is meant for, in fields that admins define; null where it is not said */
    targeting_metadata?: Record<string, unknown> | null | undefined
  }, options?: CallOptions) => Promise<AdminCampaign>

  /**
   * Change a campaign: what is sent is set, what is left out stays, null takes a bound away
   *
   * Counts go on.
   *
   * `PUT /api/admin/campaigns/{id}`. Refuses with `not_found`.
   */
  readonly updateCampaign: (input: {
    /** The id of the campaign */
    id: string
    /** Its name, which apps are told */
    name?: string | undefined
    surface_type?: SurfaceType | undefined
    /** What an event is worth, a decimal number; each event keeps the rate of its moment */
    payout_rate?: number | undefined
    /** How often it is chosen beside others: one of 2 twice as often as one of 1 */
    weight?: number | undefined
    /** Whether it is shown at all */
    active?: boolean | undefined
    /** From when it is shown; null for at once */
    starts_at?: string | null | undefined
    /** Until when it is shown; null for no end */
    ends_at?: string | null | undefined
    /** How often it is shown at most; null for no bound */
    max_impressions?: number | null | undefined
    /** A word for its bitcoin tier, which apps are told; null for none */
    bitcoin_tier?: string | null | undefined
    /** Whom the campaign is meant for, in fields that admins define; null where it is not said */
    targeting_metadata?: Record<string, unknown> | null | undefined
  }, options?: CallOptions) => Promise<AdminCampaign>

  /**
   * Any deployment, a destroyed one too
   *
   * With the names of its app and its owner. An unknown one is 404.
   *
   * `GET /api/admin/deployments/{id}`. Refuses with `not_found`.
   */
  readonly adminGetDeployment: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<{
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
    /** The name of the app, as people see it */
    app_name: string
    /** The name of the person who made it */
    owner_username: string
  }>

  /**
   * What was done to any deployment, and with what result
   *
   * At most the 1,000 newest entries. What admins did has no name here: it is in the audit log.
   *
   * `GET /api/admin/deployments/{id}/logs`. Refuses with `not_found`.
   */
  readonly adminListDeployLog: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The entries, newest first */
    logs: DeployLogEntry[]
  }>

  /**
   * The releases of any deployment, and what became of them
   *
   * As its owner sees them: names of the environment, never values.
   *
   * `GET /api/admin/deployments/{id}/releases`. Refuses with `not_found`.
   */
  readonly adminListDeploymentReleases: (input: {
    /** The id of the deployment */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The newest first; 50 are kept */
    releases: DeployRelease[]
  }>

  /**
   * Go back to an earlier release of any deployment; its owner reads the reason in the deploy log
   *
   * As its owner does it, with what it costs the owner; without `release_id` to the last one before the present one
   * that served. A destroyed deployment and an unknown release are 404; where none served before, the answer is
   * 409.
   *
   * `POST /api/admin/deployments/{id}/rollback`. Refuses with `not_found`, `not_allowed_now`, `suspended`,
   * `image_not_allowed`, `insufficient_points`.
   */
  readonly adminRollBackDeployment: (input: {
    /** The id of the deployment */
    id: string
    /** The release to go back to; the last good one before by default */
    release_id?: string | undefined
    /** Why, which the owner reads in the deploy log */
    reason: string
  }, options?: CallOptions) => Promise<AdminDeployment>

  /**
   * What any deployment used, and the requests for it
   *
   * As its owner sees it under `/api/deploy/apps/{id}/metrics`.
   *
   * `GET /api/admin/deployments/{id}/metrics`. Refuses with `not_found`.
   */
  readonly adminGetDeploymentMetrics: (input: {
    /** The id of the deployment */
    id: string
    /** How far back */
    period?: '24h' | '30d' | undefined
  }, options?: CallOptions) => Promise<{
    /** The period that was asked for */
    period: '24h' | '30d'
    /** When the first interval begins */
    from: string
    /** When the last interval ends */
    to: string
    /** How long the interval of a point is */
    step_seconds: number
    /** How much memory the container may use, in MB */
    memory_limit_mb: number
    /** How much processor time it may use, in thousandths of a core */
    cpu_limit_millicores: number
    /** By container; empty where nothing was measured */
    replicas: ReplicaUsage[]
    /** The oldest first; none for intervals without requests */
    requests: RequestsPoint[]
  }>

  /**
   * The last lines that the containers of any deployment wrote, oldest first
   *
   * That you looked is noted in the audit log. Of a destroyed deployment it is there until it is deleted.
   *
   * `GET /api/admin/deployments/{id}/output`. Refuses with `not_found`.
   */
  readonly adminGetDeploymentOutput: (input: {
    /** The id of the deployment */
    id: string
    /** How many of the last lines */
    tail?: number | undefined
  }, options?: CallOptions) => Promise<{
    /** The lines, oldest first */
    lines: OutputLine[]
  }>

  /**
   * Search in the output of any deployment, newest line first
   *
   * As its owner does it. That you looked is noted in the audit log. Of a destroyed deployment it is there until it
   * is deleted. Further pages belong to the look at the first one.
   *
   * `GET /api/admin/deployments/{id}/output/search`. Refuses with `not_found`.
   */
  readonly adminSearchDeploymentOutput: (input: {
    /** The id of the deployment */
    id: string
    /** Lines that hold this text, in large or small letters; all lines without it */
    q?: string | undefined
    /** Lines written at this time or later */
    from?: string | undefined
    /** Lines written before this time */
    to?: string | undefined
    /** Lines of this replica only */
    replica?: number | undefined
    /** How many lines a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: OutputLine[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * The last lines that the containers of any deployment wrote, and then each new one
   *
   * Server-sent events, as its owner gets them. That you looked is noted in the audit log. Of a destroyed
   * deployment it is there until it is deleted.
   *
   * `GET /api/admin/deployments/{id}/output/stream`. Refuses with `not_found`, `rate_limited`.
   */
  readonly adminFollowDeploymentOutput: (input: {
    /** The id of the deployment */
    id: string
    /** How many of the last lines */
    tail?: number | undefined
  }, options?: StreamOptions) => EventStream<{ line: OutputLine; ended: Record<string, never> }>

  /**
   * Deploy tiers, newest first, retired ones too
   *
   * The catalogue that apps choose from is `GET /api/deploy/tiers`.
   *
   * `GET /api/admin/tiers`
   */
  readonly adminListDeployTiers: (input?: {
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AdminDeployTier[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Add a deploy tier to the catalogue
   *
   * It is offered at once. Prices count where `BILLING=on`.
   *
   * `POST /api/admin/tiers`. Refuses with `slug_taken`.
   */
  readonly createDeployTier: (input: {
    /** Its name, for people */
    name: string
    /** Its name in requests, which apps send as `tier`; each is there once */
    slug: string
    payment_method: PaymentMethod
    /** How much memory a container may use, in MB */
    memory_limit_mb: number
    /** How much processor time it may use, in thousandths of a core */
    cpu_limit_millicores: number
    /** Whether deployments may have a domain of their own */
    custom_domain_allowed?: boolean | undefined
    /** How many replicas a deployment may have */
    replicas_max?: number | undefined
    /** Points that the owner gets for 30 days */
    monthly_stipend_points?: number | undefined
    /** How much further ads of the app reach, a decimal number as text */
    ad_reach_multiplier?: string | undefined
    /** The price for 30 days, in points; null for none */
    monthly_cost_points?: number | null | undefined
    /** The price for 30 days, in satoshis; null for none */
    monthly_cost_sats?: number | null | undefined
  }, options?: CallOptions) => Promise<AdminDeployTier>

  /**
   * Change or retire a deploy tier
   *
   * Limits hold for deployments made from now on, prices from the next cycle of each. A retired tier is offered no
   * more; deployments on it stay.
   *
   * `PUT /api/admin/tiers/{id}`. Refuses with `not_found`, `slug_taken`.
   */
  readonly updateDeployTier: (input: {
    /** The id of the deploy tier */
    id: string
    /** Its name, for people */
    name?: string | undefined
    /** Its name in requests, which apps send as `tier`; each is there once */
    slug?: string | undefined
    payment_method?: PaymentMethod | undefined
    /** How much memory a container may use, in MB */
    memory_limit_mb?: number | undefined
    /** How much processor time it may use, in thousandths of a core */
    cpu_limit_millicores?: number | undefined
    /** Whether deployments may have a domain of their own */
    custom_domain_allowed?: boolean | undefined
    /** How many replicas a deployment may have */
    replicas_max?: number | undefined
    /** Points that the owner gets for 30 days */
    monthly_stipend_points?: number | undefined
    /** How much further ads of the app reach, a decimal number as text */
    ad_reach_multiplier?: string | undefined
    /** The price for 30 days, in points; null for none */
    monthly_cost_points?: number | null | undefined
    /** The price for 30 days, in satoshis; null for none */
    monthly_cost_sats?: number | null | undefined
    /** Whether it is offered no more; deployments on it stay */
    retired?: boolean | undefined
  }, options?: CallOptions) => Promise<AdminDeployTier>

  /**
   * Deployments of all apps, newest first
   *
   * Destroyed ones, too.
   *
   * `GET /api/admin/deployments`
   */
  readonly adminListDeployments: (input?: {
    /** What the container was last seen to do; never what was merely asked for */
    status?: DeploymentStatus | undefined
    /** Such as `unhealthy` or `crash_loop` */
    health_status?: string | undefined
    /** The id of the person who made it */
    owner_id?: string | undefined
    /** The id of the app */
    app_id?: string | undefined
    /** The beginning of the subdomain, in any case, or an id */
    q?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AdminDeployment[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Container hosts, as workers last saw them, and whether they isolate apps
   *
   * Those that were in the settings of a worker within a day, by name; at most 500.
   *
   * `GET /api/admin/container-hosts`
   */
  readonly listContainerHosts: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The hosts, by name */
    hosts: ContainerHost[]
  }>

  /**
   * Stop a deployment until an admin reactivates it; its owner reads the reason in the deploy log
   *
   * Nobody pays for that time. One that an admin has suspended already is 409, a destroyed one 404.
   *
   * `POST /api/admin/deployments/{id}/suspend`. Refuses with `not_found`, `not_allowed_now`.
   */
  readonly suspendDeployment: (input: {
    /** The id of the deployment */
    id: string
    /** Why, which the owner reads in the deploy log */
    reason: string
  }, options?: CallOptions) => Promise<AdminDeployment>

  /**
   * Lift an admin’s suspension: what the owner wanted before holds again
   *
   * One that is not suspended by an admin is 409.
   *
   * `POST /api/admin/deployments/{id}/reactivate`. Refuses with `not_found`, `not_allowed_now`.
   */
  readonly reactivateDeployment: (input: {
    /** The id of the deployment */
    id: string
    /** Why, which the owner reads in the deploy log */
    reason?: string | undefined
  }, options?: CallOptions) => Promise<AdminDeployment>

  /**
   * Record that a cycle of a deployment on a bitcoin tier was paid
   *
   * For one that awaits payment, or whose cycle is about to end. Otherwise 409 `not_allowed_now`.
   *
   * `POST /api/admin/deployments/{id}/payment`. Refuses with `not_found`, `not_allowed_now`.
   */
  readonly recordDeploymentPayment: (input: {
    /** The id of the deployment */
    id: string
    /** How it was paid, for the deploy log */
    note?: string | undefined
  }, options?: CallOptions) => Promise<AdminDeployment>

  /**
   * Jobs that failed for good, such as mails that no server took, newest first
   *
   * A job is tried again by itself, ever less often, until its attempts are used up; then it stands here for 30
   * days. `error` is why the last attempt failed, null when the process was killed. `total` is how many there are,
   * at most 10,000.
   *
   * `GET /api/admin/jobs`
   */
  readonly adminListJobs: (input?: {
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: FailedJob[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
    /** How many there are, at most 10,000 */
    total: number
  }>

  /**
   * Try a job again that failed for good, with all its attempts
   *
   * It leaves the list at once, and comes back if it fails again.
   *
   * `POST /api/admin/jobs/{id}/retry`. Refuses with `not_found`.
   */
  readonly retryJob: (input: {
    /** The id of the job */
    id: string
  }, options?: CallOptions) => Promise<FailedJob>

  /**
   * Give up a job that failed for good
   *
   * It leaves the list; what it was to do is not done.
   *
   * `POST /api/admin/jobs/{id}/discard`. Refuses with `not_found`.
   */
  readonly discardJob: (input: {
    /** The id of the job */
    id: string
  }, options?: CallOptions) => Promise<FailedJob>

  /**
   * Any movement of points by its id, with its two accounts and its refunds
   *
   * What the app wrote with it for itself alone (`metadata`) is not shown.
   *
   * `GET /api/admin/transfers/{id}`. Refuses with `not_found`.
   */
  readonly adminGetTransfer: (input: {
    /** The id of the movement */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The movement */
    transfer: AdminTransfer
    /** The movements that returned points of it, oldest first */
    refunds: AdminTransfer[]
    /** How many points of it were returned so far */
    refunded_amount: number
  }>

  /**
   * Holds of all apps, newest first
   *
   * Settled ones, too. What the app noted for itself alone (`metadata`) is not shown. `from` and `to` bound
   * `inserted_at`.
   *
   * `GET /api/admin/holds`
   */
  readonly adminListHolds: (input?: {
    /** `open` until the points are taken (`captured`) or freed (`released`); then it stays */
    status?: HoldStatus | undefined
    /** The id of the app */
    app_id?: string | undefined
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
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AdminHold[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Webhooks that fail, and those that were switched off for it, newest first
   *
   * Their owners were mailed when they were switched off, and switch them on again themselves.
   *
   * `GET /api/admin/webhooks`
   */
  readonly adminListWebhooks: (input?: {
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: FailingWebhook[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * Where a person is signed in, newest first
   *
   * Sessions of the console; those of apps end with their connection.
   *
   * `GET /api/admin/users/{id}/sessions`. Refuses with `not_found`.
   */
  readonly adminListSessions: (input: {
    /** The id of the person */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The sessions that are not over */
    sessions: AdminSession[]
  }>

  /**
   * The apps that a person has connected, newest connection first
   *
   * Those that are connected now.
   *
   * `GET /api/admin/users/{id}/connections`. Refuses with `not_found`.
   */
  readonly adminListConnections: (input: {
    /** The id of the person */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The connected apps */
    connections: ConnectedApp[]
  }>

  /**
   * The movements of a person’s points, newest first
   *
   * As the person sees them, with the same filters.
   *
   * `GET /api/admin/users/{id}/movements`. Refuses with `not_found`.
   */
  readonly adminListMovements: (input: {
    /** The id of the person */
    id: string
    /**
     * Why points moved: `charge` and `stipend` are of hosting, `play` occurs in a sandbox only, `closure` when
     * somebody left
     */
    kind?: TransferKind | undefined
    /** `in` where the account got the points, `out` where it gave them */
    direction?: 'in' | 'out' | undefined
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
   * Sign a person out, everywhere or from one session
   *
   * At once, in every process. The person can sign in again.
   *
   * `POST /api/admin/users/{id}/sessions/end`. Refuses with `not_found`.
   */
  readonly adminEndSessions: (input: {
    /** The id of the person */
    id: string
    /** The session to end; without it, all */
    session_id?: string | undefined
    /** Why, which the audit log keeps */
    reason: string
  }, options?: CallOptions) => Promise<{
    /** How many sessions were ended */
    ended: number
  }>

  /**
   * Mail a person the code that verifies the address again
   *
   * A code that was mailed before is void then.
   *
   * `POST /api/admin/users/{id}/verification`. Refuses with `not_found`, `already_verified`.
   */
  readonly adminSendVerification: (input: {
    /** The id of the person */
    id: string
    /** Why, which the audit log keeps */
    reason: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Mail a person who lost the second factor a code that proves the address
   *
   * The person tells you the code, or opens the link in the mail. An earlier code is void then.
   *
   * `POST /api/admin/users/{id}/second-factor/proof`. Refuses with `not_found`, `totp_not_enabled`.
   */
  readonly startSecondFactorProof: (input: {
    /** The id of the person */
    id: string
    /** Why, which the audit log keeps */
    reason: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Enter the code that the person told you
   *
   * 8 digits; after a few wrong ones another has to be mailed.
   *
   * `POST /api/admin/users/{id}/second-factor/confirm`. Refuses with `not_found`, `invalid_code`.
   */
  readonly confirmSecondFactorProof: (input: {
    /** The id of the person */
    id: string
    /** The code of the mail */
    code: string
    /** Why, which the audit log keeps */
    reason: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * Take away the second factor of a person who proved the address
   *
   * Its recovery codes too, and all sessions end. The person is told by mail, and signs in with the password alone.
   *
   * `POST /api/admin/users/{id}/second-factor/remove`. Refuses with `not_found`, `totp_not_enabled`,
   * `not_allowed_now`.
   */
  readonly removeSecondFactor: (input: {
    /** The id of the person */
    id: string
    /** Why, which the audit log keeps */
    reason: string
  }, options?: CallOptions) => Promise<MessageResponse>

  /**
   * What was reported: with `status=open` the queue, oldest first; else newest first
   *
   * All reports of one message, or of one person, are one case until it is decided.
   *
   * `GET /api/admin/cases`
   */
  readonly adminListCases: (input?: {
    /** `open` until an admin decides; a case is decided once */
    status?: 'open' | 'decided' | undefined
    /** Only about this person */
    user_id?: string | undefined
    /** Only what this person reported */
    reporter_id?: string | undefined
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: ModerationCase[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * A case with its reports, the messages around, and what is known of both sides
   *
   * What was really typed is had by `GET /api/admin/messages/{id}`, which is noted in the audit log.
   *
   * `GET /api/admin/cases/{id}`. Refuses with `not_found`.
   */
  readonly adminGetCase: (input: {
    /** The id of the case */
    id: string
  }, options?: CallOptions) => Promise<CaseDetail>

  /**
   * Decide a case, once: dismiss it, or remove the message, mute or suspend the person
   *
   * All that is decided happens together or not at all. Those who reported are told whether something was done, and
   * the person is told what and why. `muted_until` is needed with `mute`, and goes with nothing else.
   *
   * `POST /api/admin/cases/{id}/decide`. Refuses with `not_found`, `user_not_found`, `already_decided`,
   * `last_admin`.
   */
  readonly decideCase: (input: {
    /** The id of the case */
    id: string
    /** `dismiss` alone, or what to do: `remove_message` only where a message was reported */
    actions: ('dismiss' | 'remove_message' | 'mute' | 'suspend')[]
    /** Until when the person may not write in chat: a time to come */
    muted_until?: string | undefined
    /** Why, which the audit log keeps, and the person reads where something is done */
    reason: string
  }, options?: CallOptions) => Promise<ModerationCase>

  /**
   * Let a person write in chat only after a time, or at once again
   *
   * The person is told by mail. They can read meanwhile.
   *
   * `POST /api/admin/users/{id}/mute`. Refuses with `not_found`.
   */
  readonly setChatMute: (input: {
    /** The id of the person */
    id: string
    /** Until when the person may not write: a time to come; null ends it */
    muted_until: string | null
    /** Why, which the audit log keeps, and the person reads where something is done */
    reason: string
  }, options?: CallOptions) => Promise<{
    /** Until when the person may not write in chat; null where they may */
    muted_until: string | null
  }>
}
