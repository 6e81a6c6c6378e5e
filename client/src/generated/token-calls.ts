// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { EventStream } from '../event-stream.ts'
import type { CallOptions, KeyedOptions, StreamOptions } from '../options.ts'
import type { AdEvent, Analytics, App, ExternalUser, HistoryEntry, Hold, MadeHold, OperatorApp, PointsBalance, ServedCampaign, SpendResult, SurfaceType, TransferKind, TransferResult } from './resources.ts'

/** What an app may call that acts for a person. */
export interface TokenCalls {
  /**
   * The profile of the user for whom the token acts
   *
   * The fields stand in `user`, and the standard claims at the top level too, where OAuth clients look.
   *
   * `GET /api/external/user`
   */
  readonly getExternalUser: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The person; later versions may add fields */
    user: ExternalUser
    /** The id of the person, which never changes */
    id: string
    /** The same as `id`, as OpenID Connect calls it */
    sub: string
    /** The same as `username` */
    name: string
    /** The e-mail address of the account */
    email: string
    /** Whether a mailed code has shown that the address is theirs */
    email_verified: boolean
    [name: string]: unknown
  }>

  /**
   * The same by POST, for clients of OpenID Connect that ask so
   *
   * The token is sent in the Authorization header; a form or JSON body is ignored.
   *
   * `POST /api/external/user`
   */
  readonly postUserinfo: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The person; later versions may add fields */
    user: ExternalUser
    /** The id of the person, which never changes */
    id: string
    /** The same as `id`, as OpenID Connect calls it */
    sub: string
    /** The same as `username` */
    name: string
    /** The e-mail address of the account */
    email: string
    /** Whether a mailed code has shown that the address is theirs */
    email_verified: boolean
    [name: string]: unknown
  }>

  /**
   * The user’s session in this app
   *
   * It begins with a code exchange. Any call with its tokens counts as a heartbeat, this one too.
   *
   * `GET /api/external/session/status`
   */
  readonly getSessionStatus: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** Whether there is a session that is not over */
    session_active: boolean
    /** Its id; null without a session */
    session_id: string | null
    /** Points that the app awarded since it began; null without a session */
    points_earned: number | null
    /** When the app last called for this person; null without a session */
    last_heartbeat: string | null
    /** Whether that was within the last two minutes, by default */
    is_alive: boolean
  }>

  /**
   * End the user’s session in this app; its tokens stay good
   *
   * Only the session token stops working. To end all access, revoke the refresh token.
   *
   * `POST /api/external/session/end`. Refuses with `not_found`.
   */
  readonly endSession: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** A sentence for people; programs go by the status */
    message: string
    /** The id of the session that is over */
    session_id: string
  }>

  /**
   * The balance of the user
   *
   * As it is at this moment. Another app may change it right afterwards: only a spend or a hold makes sure of
   * points.
   *
   * `GET /api/external/points`
   */
  readonly getPoints: (input?: Record<string, never>, options?: CallOptions) => Promise<PointsBalance>

  /**
   * The points that the app has earned
   *
   * What the app of the token has now, refunds taken off. The app itself reads more under `/api/app/balance`.
   *
   * `GET /api/external/app/balance`
   */
  readonly getAppBalance: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** What the account of the app has, in points */
    points: number
  }>

  /**
   * Spend points of the user; the app earns them
   *
   * With an `Idempotency-Key` the call may be repeated safely: it is applied once. All of it moves, or nothing.
   *
   * `POST /api/external/points/spend`. Refuses with `insufficient_points`, `spending_limit_reached`,
   * `points_limit_reached`, `idempotency_key_reused`, `outcome_unknown`, `overloaded`.
   */
  readonly spendPoints: (input: {
    /** How many points, a whole number */
    amount: number
    /** What it is for, which the person reads in the history */
    description?: string | undefined
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** Texts by name for the app alone: at most 16, of 500 characters each */
    metadata?: Record<string, string> | undefined
  }, options?: KeyedOptions) => Promise<SpendResult>

  /**
   * Send points of the user to another user
   *
   * With an `Idempotency-Key` the call may be repeated safely: it is applied once. Sending to oneself is 422. Bad
   * words of the description are masked, and a muted person sends none.
   *
   * `POST /api/external/points/transfer`. Refuses with `user_not_found`, `muted`, `insufficient_points`,
   * `spending_limit_reached`, `points_limit_reached`, `idempotency_key_reused`, `outcome_unknown`, `overloaded`.
   */
  readonly transferPoints: (input: {
    /** How many points, a whole number */
    amount: number
    /** Who gets the points; 404 where the account is unknown or suspended, or has blocked the sender */
    to_user_id: string
    /** What it is for, which the person reads in the history */
    description?: string | undefined
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** Texts by name for the app alone: at most 16, of 500 characters each */
    metadata?: Record<string, string> | undefined
  }, options?: KeyedOptions) => Promise<TransferResult>

  /**
   * Every movement of the user’s points, newest first
   *
   * What is held is no movement until it is captured. Filters narrow the list; `from` is included and `to` is not.
   * Movements by other apps are among them, without their `reference`.
   *
   * `GET /api/external/points/history`
   */
  readonly pointsHistory: (input?: {
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
   * Set points of the user aside; the app captures or frees them later
   *
   * Held points are still the user’s, but not available. The app captures all or part of them, or voids the hold; a
   * hold that expires is freed. With an `Idempotency-Key` the call may be repeated safely: it is applied once.
   *
   * `POST /api/external/points/holds`. Refuses with `insufficient_points`, `spending_limit_reached`,
   * `idempotency_key_reused`, `outcome_unknown`, `overloaded`.
   */
  readonly createHold: (input: {
    /** How many points, a whole number */
    amount: number
    /** The app’s own name for it, such as an order number; the person sees it too */
    reference?: string | undefined
    /** Texts by name for the app alone: at most 16, of 500 characters each */
    metadata?: Record<string, string> | undefined
    /** After how many seconds the hold is freed by itself, at most seven days */
    expires_in?: number | undefined
  }, options?: KeyedOptions) => Promise<MadeHold>

  /**
   * Be told of the user’s balance and of your holds as they change
   *
   * Server-sent events, without end. It begins with a `balance`; another one comes with every change, and a `hold`
   * with every change of a hold of this app. To go on where a broken stream ended, send the id of the last event as
   * `Last-Event-ID` or `last_event_id`, within a day. After `reset` read the holds again: what came in between is
   * no longer kept. `session_ended` says that the access token is valid no longer: refresh it and go on.
   * `connection_ended` says that the user has disconnected the app.
   *
   * `GET /api/external/events`. Refuses with `rate_limited`.
   */
  readonly readPointEvents: (input?: Record<string, never>, options?: StreamOptions) => EventStream<{
    balance: PointsBalance
    hold: Hold
    reset: Record<string, never>
    session_ended: Record<string, never>
    connection_ended: Record<string, never>
  }>

  /**
   * A campaign to show on a surface
   *
   * Chosen by weight at random among those that run now. Report what came of it with `POST
   * /api/external/ads/event`.
   *
   * `GET /api/external/ads/serve`. Refuses with `no_campaign`.
   */
  readonly serveAd: (input: {
    /** Where an ad is shown */
    surface_type: SurfaceType
  }, options?: CallOptions) => Promise<{
    /** What to show */
    campaign: ServedCampaign
  }>

  /**
   * Record that an ad was seen or clicked
   *
   * Pays nothing by itself. 404 where the campaign does not run, or its impressions are used up.
   *
   * `POST /api/external/ads/event`. Refuses with `not_found`.
   */
  readonly recordAdEvent: (input: {
    /** The `id` of the campaign that was served */
    campaign_id: string
    /** Whether it was seen or clicked */
    event_type: 'impression' | 'click'
    /** Where the ad was shown */
    surface_type?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** What was recorded */
    event: AdEvent
  }>

  /**
   * How many users the app has, and its spends and awards of the last days
   *
   * Numbers of events and people, no points.
   *
   * `GET /api/operator/analytics`
   */
  readonly getAnalytics: (input?: {
    /** Over how many of the last days spends and awards are counted */
    window_days?: number | undefined
  }, options?: CallOptions) => Promise<{
    /** The figures of the app of the token */
    analytics: Analytics
  }>

  /**
   * The app of the token, as its owner sees it
   *
   * The token must be that of the app’s owner.
   *
   * `GET /api/operator/app`. Refuses with `not_app_owner`.
   */
  readonly getOperatorApp: (input?: Record<string, never>, options?: CallOptions) => Promise<{
    /** The app of the token */
    app: OperatorApp
  }>

  /**
   * Change the app of the token
   *
   * The token must be that of the app’s owner. What is left out stays.
   *
   * `PUT /api/operator/app`. Refuses with `not_app_owner`.
   */
  readonly updateOperatorApp: (input?: {
    /** What the app is for; null clears it */
    app_description?: string | null | undefined
    /** The name that people see when they are asked, without control characters */
    app_name?: string | undefined
    /**
     * Where codes may be sent: https, http on loopback, or a scheme of your own with a dot; compared character by
     * character
     */
    redirect_uris?: string[] | undefined
    /** The pages of the app: http or https; null clears it */
    website_url?: string | null | undefined
  }, options?: CallOptions) => Promise<{
    /** The app as it is now */
    app: App
  }>
}
