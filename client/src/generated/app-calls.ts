// Printed from the OpenAPI document by `npm run print`: edit the contract, not this file.
import type { CallOptions, KeyedOptions } from '../options.ts'
import type { AppBalance, AppEvent, AppTransfer, BalanceSeries, Hold, HoldStatus, RefundResult, SettledHold, TransferKind } from './resources.ts'

/** What an app itself may call. */
export interface AppCalls {
  /**
   * The app’s holds, newest first
   *
   * Settled ones stay in the list. Without `from` and `to`, of all time; they bound `inserted_at`.
   *
   * `GET /api/app/holds`
   */
  readonly listHolds: (input?: {
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
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: Hold[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * One hold of the app
   *
   * As it counts at this moment: one whose time is over is released, also before the job came by.
   *
   * `GET /api/app/holds/{id}`. Refuses with `not_found`.
   */
  readonly getHold: (input: {
    /** The id of the hold */
    id: string
  }, options?: CallOptions) => Promise<SettledHold>

  /**
   * Take held points, all or a part; the rest is freed
   *
   * A hold has one outcome: of parallel calls one wins, the others get 409 `hold_settled` with the hold as it is.
   *
   * `POST /api/app/holds/{id}/capture`. Refuses with `not_found`, `app_not_approved`, `hold_settled`,
   * `points_limit_reached`, `idempotency_key_reused`, `outcome_unknown`, `overloaded`.
   */
  readonly captureHold: (input: {
    /** The id of the hold */
    id: string
    /** How many of the held points to take; without it, all */
    amount?: number | undefined
    /** What it is for, which the person reads in the history */
    description?: string | undefined
  }, options?: KeyedOptions) => Promise<SettledHold>

  /**
   * Free held points
   *
   * All of them, for an order that is not delivered. A hold that is settled is 409, with the hold as it is.
   *
   * `POST /api/app/holds/{id}/void`. Refuses with `not_found`, `hold_settled`, `idempotency_key_reused`,
   * `outcome_unknown`, `overloaded`.
   */
  readonly voidHold: (input: {
    /** The id of the hold */
    id: string
  }, options?: KeyedOptions) => Promise<SettledHold>

  /**
   * What the app has, and what is held for it
   *
   * As it is at this moment. `points` is `total_earned` less `total_spent`.
   *
   * `GET /api/app/balance`
   */
  readonly getOwnBalance: (input?: Record<string, never>, options?: CallOptions) => Promise<AppBalance>

  /**
   * Every movement of the app’s points, and every transfer it made, newest first
   *
   * `from` and `to` bound `inserted_at`: from that moment on, and before that moment.
   *
   * `GET /api/app/transfers`
   */
  readonly listAppTransfers: (input?: {
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
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AppTransfer[]
    /** What to send as `cursor` for the next page; null on the last one */
    next_cursor: string | null
  }>

  /**
   * One movement, with its refunds
   *
   * By the `transfer_id` of a spend, transfer or refund, or the `id` of a list. Another app’s is 404.
   *
   * `GET /api/app/transfers/{id}`. Refuses with `not_found`.
   */
  readonly getAppTransfer: (input: {
    /** The id of the movement */
    id: string
  }, options?: CallOptions) => Promise<{
    /** The movement */
    transfer: AppTransfer
    /** How many points of it were returned so far */
    refunded_amount: number
    /** The movements that returned points of it, oldest first */
    refunds: AppTransfer[]
  }>

  /**
   * The same list as CSV (RFC 4180), newest first
   *
   * Streamed, whole and without pages. A cell that a spreadsheet would take for a formula begins with an
   * apostrophe.
   *
   * `GET /api/app/transfers.csv`
   */
  readonly exportAppTransfers: (input?: {
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
  }, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>

  /**
   * Return points of a spend to the person who spent them
   *
   * All of it, or a part; all refunds of a spend together never exceed it. Possible after the person disconnected
   * the app and after the app lost its approval, too.
   *
   * `POST /api/app/refunds`. Refuses with `not_found`, `refund_exceeds_spend`, `insufficient_points`,
   * `points_limit_reached`, `idempotency_key_reused`, `outcome_unknown`, `overloaded`.
   */
  readonly createRefund: (input: {
    /** The spend, or the capture of a hold, that is returned */
    transfer_id: string
    /** How many points to return; without it, all that were not returned yet */
    amount?: number | undefined
    /** Why, which the person reads in the history */
    reason?: string | undefined
  }, options?: KeyedOptions) => Promise<RefundResult>

  /**
   * The app’s events of the last 30 days, oldest first
   *
   * For an app that was down, or that polls. `next_cursor` is where the next call continues, also after the last
   * event: keep it, and nothing is missed or read twice. Events are recorded while the app has a webhook, and for
   * 30 days after each call of this; `recorded_since` says since when.
   *
   * `GET /api/app/events`
   */
  readonly listAppEvents: (input?: {
    /** How many rows a page has at most */
    limit?: number | undefined
    /** The `next_cursor` of the page before, with the same filters; without it, the first page */
    cursor?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The rows of this page; empty where there are none */
    data: AppEvent[]
    /** What to send as `cursor` next time; null before the first event */
    next_cursor: string | null
    /** Whether more events are there already */
    has_more: boolean
    /** Since when the events of this app are recorded without a gap */
    recorded_since: string
  }>

  /**
   * A token for the private registry, for pushes and pulls of an app’s own images
   *
   * Registries send clients here (`WWW-Authenticate: Bearer realm=…`); `docker login` with the app’s client_id and
   * secret is all that people do. The token allows what the app may do of what `scope` asks for: to push and pull
   * below `<client_id>/`, and to pull below `shared/`. What it may not do is left out, and the registry then
   * refuses it. It ends after five minutes. For another service than the private registry: 404.
   *
   * `GET /api/deploy/registry/token`. Refuses with `app_not_approved`, `insufficient_scope`, `not_found`.
   */
  readonly getRegistryToken: (input: {
    /** The name of the registry, as in `GET /api/deploy/availability` */
    service: string
    /**
     * What is asked for, such as `repository:<client_id>/web:pull,push`; several are separated by spaces, or each
     * has a parameter of its own
     */
    scope?: string[] | string | undefined
    /** Sent by Docker, and ignored */
    account?: string | undefined
    /** The name of the program, sent by Docker, and ignored */
    client_id?: string | undefined
    /** Sent by `docker login`, and ignored: there is no refresh token */
    offline_token?: string | undefined
  }, options?: CallOptions) => Promise<{
    /** The token, for the Authorization header of calls to the registry */
    token: string
    /** The same, by the name that OAuth has for it */
    access_token: string
    /** For how many seconds it is good */
    expires_in: number
    /** When it was made */
    issued_at: string
  }>

  /**
   * What the app earned, returned and had, by day or month
   *
   * One row for each day or month of UTC, the oldest first, those without movements too. `from` is the first day,
   * and `to` the first that is left out; without them, the last 30 days, or 12 months. `spent` is what was
   * refunded, and `balance` what the app had when the period ended.
   *
   * `GET /api/app/balance/series`
   */
  readonly getAppSeries: (input?: {
    /** Whether a row is a day or a month, of UTC */
    unit?: 'day' | 'month' | undefined
    /** The first day, as in 2026-01-31 */
    from?: string | undefined
    /** The first day that is left out */
    to?: string | undefined
  }, options?: CallOptions) => Promise<BalanceSeries>
}
