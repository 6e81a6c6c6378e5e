import type { AuditAction } from '../../contract/kinds/audit-actions.ts'
import type { UserState } from '../../contract/admin.ts'
import type { UserCaller } from '../../contract/caller.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import { changeRoles, refuseOwnRoles, requireAdmin, requireAdminAmongAll } from '../accounts/admin-roles.service.ts'
import type { AccountsDeps } from '../accounts/service.ts'
import { listUsers, updateUser, type UserUpdate } from '../accounts/users.service.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { newId } from '../platform/ids.ts'
import { singleFlight } from '../platform/single-flight.ts'
import type { PageQuery } from '../platform/page.ts'
import type { ActOfOwner } from '../oauth/service.ts'
import {
  decideApp,
  decideScopeRequest,
  markAppSeen,
  reviewApp,
  reviewApps,
  reviewScopeRequests,
} from '../oauth/review.service.ts'
import { checkLedger } from '../points/ledger-check.service.ts'
import type { ModerationEvents } from '../social/moderation.service.ts'
import { countPending, insertAudit } from './store.ts'

export interface AdminDeps {
  accounts: AccountsDeps
}

export interface AdminModerationDeps extends AdminDeps {
  events: ModerationEvents
}

interface AuditedAction {
  action: AuditAction
  target_id: string | null
  details: Record<string, unknown>
}

/**
 * Makes a change and writes its audit entry in one transaction (D-81), which also checks the caller's role (D-120,
 * D-135). Fails with `invalid_token`, `admin_only` or `role_required`.
 */
export function audited<Result>(
  { accounts }: AdminDeps,
  caller: UserCaller,
  entry: AuditedAction | ((result: Result) => AuditedAction),
  change: (tx: Tx, now: Date) => Promise<Result>,
  requireRight: (deps: AccountsDeps, tx: Tx, caller: UserCaller) => Promise<void> = requireAdmin,
): Promise<Result> {
  const now = accounts.clock()
  return accounts.db.transaction(async (tx) => {
    await requireRight(accounts, tx, caller)
    const result = await change(tx, now)
    await insertAuditEntry(tx, now, caller, typeof entry === 'function' ? entry(result) : entry)
    return result
  })
}

/** Audits an action of the service's operator through `npm run admin`; the entry has no actor. */
export const auditFromOutside = (
  tx: Tx,
  now: Date,
  {
    action,
    target_id = null,
    details,
  }: { action: AuditAction; target_id?: string | null; details: Record<string, unknown> },
) => insertAudit(tx, { id: newId(), actor_id: null, action, target_id, details, now })

/** Audits that the service's operator gave a user a role. */
export const auditGrantedAdmin = (
  tx: Tx,
  { user_id, roles, now }: { user_id: string; roles: readonly AdminRole[]; now: Date },
) =>
  auditFromOutside(tx, now, {
    target_id: user_id,
    ...(roles.join() === 'administrator'
      ? { action: 'user.update', details: { is_admin: true } }
      : { action: 'user.roles', details: { roles } }),
  })

export const auditOwner = (tx: Tx, act: ActOfOwner) => insertAudit(tx, { id: newId(), ...act })

export const insertAuditEntry = (
  tx: Tx,
  now: Date,
  { user_id }: Pick<UserCaller, 'user_id'>,
  { action, target_id, details }: AuditedAction,
) => insertAudit(tx, { id: newId(), actor_id: user_id, action, target_id, details, now })

// Apps and scope requests

export const listApps = (
  { accounts: { db } }: AdminDeps,
  query: PageQuery & { status?: string; owner_id?: string; changed?: boolean },
) => reviewApps(db.adHoc, query)

/** An app, with the number of its people and the last use of its secrets. Fails with `not_found`. */
export const getAppForAdmins = ({ accounts: { db } }: AdminDeps, app_id: string) => reviewApp(db, app_id)

/** Approves an app. Fails with `not_found`. */
export const approveApp = (deps: AdminDeps, caller: UserCaller, app_id: string, { listed }: { listed?: boolean }) =>
  audited(deps, caller, { action: 'app.approve', target_id: app_id, details: { listed } }, (tx, now) =>
    decideApp(deps.accounts.invalidations, tx, app_id, {
      status: 'approved',
      listed: listed ?? null,
      reason: null,
      now,
    }),
  )

/** Rejects an app or withdraws its approval. Fails with `not_found`. */
export const rejectApp = (deps: AdminDeps, caller: UserCaller, app_id: string, { reason }: { reason?: string }) =>
  audited(deps, caller, { action: 'app.reject', target_id: app_id, details: { reason } }, (tx, now) =>
    decideApp(deps.accounts.invalidations, tx, app_id, {
      status: 'rejected',
      listed: null,
      reason: reason ?? null,
      now,
    }),
  )

/** Marks the changes of an app since its approval as seen (D-110). Fails as `markAppSeen` does. */
export const seeApp = (
  deps: AdminDeps,
  caller: UserCaller,
  app_id: string,
  { updated_at, reason }: { updated_at: string; reason: string },
) =>
  audited(deps, caller, { action: 'app.seen', target_id: app_id, details: { reason } }, (tx) =>
    markAppSeen(tx, app_id, updated_at),
  )

export const listScopeRequests = ({ accounts: { db } }: AdminDeps, query: PageQuery & { status?: string }) =>
  reviewScopeRequests(db.adHoc, query)

/** Approves or denies a scope request. Fails with `not_found` or `already_decided`. */
export const resolveScopeRequest = (
  deps: AdminDeps,
  caller: UserCaller,
  request_id: string,
  { status, reason }: { status: 'approved' | 'denied'; reason?: string },
) =>
  audited(deps, caller, { action: `scope_request.${status}`, target_id: request_id, details: { reason } }, (tx, now) =>
    decideScopeRequest(deps.accounts.invalidations, tx, request_id, {
      status,
      decided_by: caller.user_id,
      reason: reason ?? null,
      now,
    }),
  )

export const pending_counted_max = 100

/** The numbers of decisions that wait for the caller, each counted up to 100. */
export const pendingCounts = ({ accounts: { db, clock } }: AdminDeps, { user_id }: UserCaller) =>
  countPending(db, pending_counted_max, clock(), user_id)

// Users

export const listAllUsers = (
  { accounts: { db, clock } }: AdminDeps,
  query: PageQuery & { q?: string; state?: UserState },
) => listUsers(db.adHoc, query, clock())

/**
 * Changes a user, who gets a notice of a suspension and of its end. Fails with `not_found`, `last_administrator` or
 * `validation_failed`.
 */
export const changeUser = (
  deps: AdminModerationDeps,
  caller: UserCaller,
  user_id: string,
  { reason, ...update }: UserUpdate & { reason?: string },
) => {
  const { tier, signup_multiplier, is_admin, suspended } = update
  const details = { tier, signup_multiplier, is_admin, suspended, reason }
  const entry = { action: 'user.update', target_id: user_id, details } as const
  const change = async (tx: Tx, now: Date) => {
    if (is_admin === false) await refuseOwnRoles(tx, caller, user_id)
    const { user, turned } = await updateUser(deps.accounts, tx, user_id, update)
    if (turned) {
      const actions = [turned === 'suspended' ? ('suspend' as const) : ('reactivate' as const)]
      await deps.events.person_moderated(tx, {
        user_id,
        case_id: null,
        actions,
        reason: reason ?? null,
        muted_until: null,
        now,
      })
    }
    return user
  }
  return audited(deps, caller, entry, change, requireAdminAmongAll)
}

/** Gives a person exactly these roles (D-135). Fails as `changeRoles` does. */
export async function changeUserRoles(
  deps: AdminDeps,
  caller: UserCaller,
  user_id: string,
  { roles, reason }: { roles: readonly AdminRole[]; reason: string },
) {
  const { user } = await audited(
    deps,
    caller,
    (changed: Awaited<ReturnType<typeof changeRoles>>) => ({
      action: 'user.roles',
      target_id: user_id,
      details: { roles: changed.roles, before: changed.before, reason },
    }),
    (tx) => changeRoles(deps.accounts, tx, caller, { user_id, roles }),
    requireAdminAmongAll,
  )
  return user
}

// Points

/** Checks the ledger; concurrent calls share one run. */
export const openLedgerCheck = ({ accounts }: AdminDeps) => singleFlight(() => checkLedger(accounts))
