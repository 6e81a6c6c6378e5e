import type { Sql, Tx } from '../platform/postgres/database.ts'
import { Failure, invalidField } from '../platform/failure.ts'
import { any_name, readNameSearch } from '../platform/name-search.ts'
import { cursorId, pageSize, toPage, type PageQuery } from '../platform/page.ts'
import type { AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { UserOrder, UserState } from '../../contract/admin.ts'
import { refuseLastAdministrator } from './admin-roles.service.ts'
import type { AccountsDeps } from './service.ts'
import { endAllSessions, userTag } from './sessions.service.ts'
import { changeUser, findProfile, listUsersInOrder, type ListedUser } from './store.ts'

interface UserQuery extends PageQuery {
  q?: string
  state?: UserState
  role?: AdminRole
  sort?: UserOrder
}

/** A page of users; `q` is the prefix of a username or address, or an id. */
export async function listUsers(db: Sql, query: UserQuery, now: Date) {
  const { q, state, role, sort = '-inserted_at' } = query
  const size = pageSize(query)
  const search = q === undefined ? any_name : readNameSearch(q)
  const rows = await listUsersInOrder(db, {
    ...search,
    state: state ?? null,
    role: role ?? null,
    now,
    sort,
    last_id: cursorId(query),
    rows_max: size + 1,
  })
  return toPage<ListedUser>(rows, size, (row) => row.id)
}

export interface UserUpdate {
  tier?: string
  signup_multiplier?: number
  is_admin?: boolean
  suspended?: boolean
}

/**
 * Changes a user for an admin, in the admin's transaction (D-16, D-40). A suspension ends the user's login sessions and
 * the access of apps to the account, and suspends the user's apps and deployments (D-88). `turned` says whether a
 * suspension began or ended. Fails with `not_found`, `last_administrator`, or `validation_failed` for an unknown tier.
 */
export async function updateUser(
  deps: AccountsDeps,
  tx: Tx,
  user_id: string,
  { tier, signup_multiplier, is_admin, suspended }: UserUpdate,
) {
  const { clock, tiers, events, invalidations } = deps
  if (tier !== undefined && !tiers.some(({ name }) => name === tier))
    throw invalidField('tier', ['one_of', { values: tiers.map(({ name }) => name).join(', ') }])
  const now = clock()
  if (is_admin === false || suspended === true) await refuseLastAdministrator(tx, user_id)
  const before = await changeUser(
    tx,
    user_id,
    {
      tier: tier ?? null,
      signup_multiplier: signup_multiplier ?? null,
      is_admin: is_admin ?? null,
      suspended: suspended ?? null,
    },
    now,
  )
  const user = await findProfile(tx, user_id)
  if (!before || !user) throw new Failure('not_found', { user_id })
  if (suspended === true) {
    await endAllSessions(deps, tx, user_id, null)
    await events.access_revoked(tx, { user_id, now })
    await events.suspended(tx, { user_id, now })
  }
  if (suspended === false) await events.reactivated(tx, { user_id, now })
  await invalidations.publish(tx, [userTag(user_id)])
  return { user, turned: turnOf(before, user) }
}

function turnOf({ was_suspended }: { was_suspended: boolean }, { suspended }: { suspended: boolean }) {
  if (was_suspended === suspended) return null
  return suspended ? 'suspended' : 'reactivated'
}
