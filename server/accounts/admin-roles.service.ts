import { admin_roles, type AdminRole, type NeededRoles } from '../../contract/kinds/admin-roles.ts'
import type { UserCaller } from '../../contract/caller.ts'
import { Failure } from '../platform/failure.ts'
import type { Tx } from '../platform/postgres/database.ts'
import type { AccountsDeps } from './service.ts'
import { requireSession, userTag } from './sessions.service.ts'
import { findProfile, findUser, lockAdmins, setAdminRoles } from './store.ts'

/**
 * Refuses people without one of these roles (D-135). Fails with `admin_only`, or with `role_required`, which names the
 * first role.
 */
export function requireAdminRole(roles: readonly AdminRole[], allowed: NeededRoles) {
  if (roles.length === 0) throw new Failure('admin_only')
  if (!allowed.some((role) => roles.includes(role)))
    throw new Failure('role_required', { roles }, { body: { role: allowed[0] } })
}

/**
 * Like `requireSession`, for acts of admins: also checks the role again. Fails with `invalid_token`, or as
 * `requireAdminRole` does.
 */
export async function requireAdmin(deps: Pick<AccountsDeps, 'clock'>, tx: Tx, caller: UserCaller) {
  const { allowed_roles = ['administrator'] } = caller
  requireAdminRole((await requireSession(deps, tx, caller)).admin_roles, allowed_roles)
}

/**
 * Like `requireAdmin`, for acts that may end an admin's role. Locks all admins first, in one order, so that two admins
 * who demote each other do not deadlock.
 */
export async function requireAdminAmongAll(deps: Pick<AccountsDeps, 'clock'>, tx: Tx, caller: UserCaller) {
  await lockAdmins(tx)
  await requireAdmin(deps, tx, caller)
}

/**
 * Requires the role administrator for an act on an admin's account; otherwise a lesser role could take that account
 * over. Fails as `requireAdmin` does.
 */
export async function requireRoleOver(deps: AccountsDeps, tx: Tx, caller: UserCaller, user_id: string) {
  if ((await findUser(tx, user_id))?.is_admin)
    await requireAdmin(deps, tx, { ...caller, allowed_roles: ['administrator'] })
}

/** Locks all admins. Fails with `last_administrator` if this person is the only administrator who is not suspended. */
export async function refuseLastAdministrator(tx: Tx, user_id: string) {
  if (isOnlyAdministrator(await lockAdmins(tx), user_id)) throw new Failure('last_administrator', { user_id })
}

/** Refuses people who remove their own roles. Fails with `last_administrator` or `own_roles`. */
export async function refuseOwnRoles(tx: Tx, caller: UserCaller, user_id: string) {
  if (user_id !== caller.user_id) return
  await refuseLastAdministrator(tx, user_id)
  throw new Failure('own_roles')
}

/** Whether this person is the only administrator among the admins. */
export const isOnlyAdministrator = (
  admins: readonly { id: string; admin_roles: readonly AdminRole[] }[],
  user_id: string,
) => {
  const administrators = admins.filter(({ admin_roles }) => admin_roles.includes('administrator'))
  return administrators.length === 1 && administrators[0]?.id === user_id
}

/**
 * Gives a person exactly these roles, in the administrator's transaction. Every process applies them from the next call
 * on. `before` are the previous roles. Fails with `own_roles`, `last_administrator` or `not_found`.
 */
export async function changeRoles(
  { invalidations }: Pick<AccountsDeps, 'invalidations'>,
  tx: Tx,
  caller: UserCaller,
  { user_id, roles }: { user_id: string; roles: readonly AdminRole[] },
) {
  if (user_id === caller.user_id) throw new Failure('own_roles')
  if (!roles.includes('administrator')) await refuseLastAdministrator(tx, user_id)
  const sorted = admin_roles.filter((role) => roles.includes(role))
  const changed = await setAdminRoles(tx, user_id, sorted)
  const user = await findProfile(tx, user_id)
  if (!changed || !user) throw new Failure('not_found', { user_id })
  await invalidations.publish(tx, [userTag(user_id)])
  return { user, before: changed.before, roles: sorted }
}
