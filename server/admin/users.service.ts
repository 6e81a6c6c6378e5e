import type { AuditAction } from '../../contract/kinds/audit-actions.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { requireRoleOver } from '../accounts/admin-roles.service.ts'
import { requestVerification } from '../accounts/registration.service.ts'
import {
  confirmToldCode,
  isSecondFactorOn,
  proofOf,
  removeSecondFactor,
  startSecondFactorProof,
} from '../accounts/second-factor-proofs.service.ts'
import { getProfile, isPerson } from '../accounts/service.ts'
import { endSessionsOf, listSessionsOf } from '../accounts/sessions.service.ts'
import { connectedApps } from '../oauth/connections.service.ts'
import { secondsAfter } from '../platform/clock.ts'
import { Failure } from '../platform/failure.ts'
import { newId } from '../platform/ids.ts'
import type { Tx } from '../platform/postgres/database.ts'
import { listMovements, type HistoryQuery } from '../points/history.service.ts'
import type { PointsDeps } from '../points/service.ts'
import { standingOf } from '../social/moderation.service.ts'
import { audited, type AdminDeps } from './service.ts'
import { insertAuditOnce } from './store.ts'
import { countBelongings } from './users.store.ts'

export interface AdminUsersDeps extends AdminDeps {
  points: Pick<PointsDeps, 'reads' | 'totals'>
}

async function refuseUnknown({ accounts: { db } }: AdminDeps, user_id: string) {
  if (!(await isPerson(db, user_id))) throw new Failure('not_found', { user_id })
}

/**
 * Repeated views of the same part of a person by an admin within this time make one audit entry, because the console
 * polls.
 */
const look_seconds = 600

/** Audits that an admin viewed a part of a person (D-110). */
function auditLook(
  { accounts: { db, clock } }: AdminDeps,
  { user_id: actor_id }: UserCaller,
  target_id: string,
  at: string,
) {
  const now = clock()
  const entry = { id: newId(), actor_id, action: 'user.read', target_id, details: { at }, now } as const
  return insertAuditOnce(db, entry, secondsAfter(now, -look_seconds))
}

/** A person's account with apps, deployments and sessions (D-110); audited. Fails with `not_found`. */
export async function getPerson(deps: AdminDeps, caller: UserCaller, user_id: string) {
  const { accounts } = deps
  const profile = await getProfile(accounts, user_id)
  await auditLook(deps, caller, user_id, 'account')
  const [belongings, standing, has_second_factor, second_factor_proof] = await Promise.all([
    countBelongings(accounts.db, user_id),
    standingOf(accounts, user_id),
    isSecondFactorOn(accounts, user_id),
    proofOf(accounts, user_id),
  ])
  return { ...profile, ...belongings, ...standing, has_second_factor, second_factor_proof }
}

/** The sessions of a person. Fails with `not_found`. */
export async function listSessions(deps: AdminDeps, caller: UserCaller, user_id: string) {
  await refuseUnknown(deps, user_id)
  await auditLook(deps, caller, user_id, 'sessions')
  return { sessions: await listSessionsOf(deps.accounts, user_id) }
}

/** The apps that a person has connected. Fails with `not_found`. */
export async function listConnections(deps: AdminDeps, caller: UserCaller, user_id: string) {
  await refuseUnknown(deps, user_id)
  await auditLook(deps, caller, user_id, 'connections')
  return { connections: await connectedApps(deps.accounts, user_id) }
}

/** A page of the movements of a person's points. Fails with `not_found` or `validation_failed`. */
export async function listMovementsOf(deps: AdminUsersDeps, caller: UserCaller, user_id: string, query: HistoryQuery) {
  await refuseUnknown(deps, user_id)
  await auditLook(deps, caller, user_id, 'movements')
  return listMovements(deps.points, user_id, query)
}

interface Because {
  reason: string
}

/** Signs a person out. Fails with `not_found`, also for a session that has ended. */
export const endSessions = (
  deps: AdminDeps,
  caller: UserCaller,
  user_id: string,
  { session_id, reason }: Because & { session_id?: string },
) =>
  audited(
    deps,
    caller,
    ({ ended }: { ended: number }) => ({
      action: 'user.end_sessions',
      target_id: user_id,
      details: { session_id, ended, reason },
    }),
    async (tx) => {
      await refuseUnknown(deps, user_id)
      await requireRoleOver(deps.accounts, tx, caller, user_id)
      const ended = await endSessionsOf(deps.accounts, tx, { user_id, session_id })
      if (session_id !== undefined && ended === 0) throw new Failure('not_found', { session_id })
      return { ended }
    },
  )

const byReason = (
  deps: AdminDeps,
  caller: UserCaller,
  user_id: string,
  { action, reason }: Because & { action: AuditAction },
  change: (tx: Tx) => Promise<unknown>,
) =>
  audited(deps, caller, { action, target_id: user_id, details: { reason } }, async (tx) => {
    await requireRoleOver(deps.accounts, tx, caller, user_id)
    return change(tx)
  })

/** Mails the verification code again. Fails with `not_found` or `already_verified`. */
export async function sendVerification(deps: AdminDeps, caller: UserCaller, user_id: string, { reason }: Because) {
  await refuseUnknown(deps, user_id)
  await byReason(deps, caller, user_id, { action: 'user.send_verification', reason }, (tx) =>
    requestVerification({ db: tx }, user_id),
  )
}

/** Mails a code that proves the address. Fails with `not_found` or `totp_not_enabled`. */
export const startProof = (deps: AdminDeps, caller: UserCaller, user_id: string, { reason }: Because) =>
  byReason(deps, caller, user_id, { action: 'user.start_proof', reason }, (tx) =>
    startSecondFactorProof(deps.accounts, tx, { user_id, started_by: caller.user_id }),
  )

/**
 * Enters the code that the person read out. Fails with `not_found` or `invalid_code`, which consumes an attempt and is
 * audited.
 */
export async function confirmProof(
  deps: AdminDeps,
  caller: UserCaller,
  user_id: string,
  { code, reason }: Because & { code: string },
) {
  // Outside the transaction below: a wrong attempt must count although the call fails.
  await confirmToldCode(deps.accounts, user_id, code).catch(async (error: unknown) => {
    if (error instanceof Failure && error.code === 'invalid_code')
      await byReason(deps, caller, user_id, { action: 'user.wrong_code', reason }, async () => {})
    throw error
  })
  await byReason(deps, caller, user_id, { action: 'user.confirm_proof', reason }, () => Promise.resolve())
}

/** Removes the second factor. Fails with `not_found`, `totp_not_enabled` or `address_not_proved`. */
export const takeSecondFactor = (deps: AdminDeps, caller: UserCaller, user_id: string, { reason }: Because) =>
  byReason(deps, caller, user_id, { action: 'user.remove_second_factor', reason }, (tx) =>
    removeSecondFactor(deps.accounts, tx, user_id),
  )
