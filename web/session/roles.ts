import type { Declaration } from '../../contract/endpoint.ts'
import { mayCall, type AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { Page } from '../page.ts'

export interface Viewer {
  is_admin: boolean
  admin_roles?: readonly AdminRole[]
}

/**
 * The roles of the person. Right after a sign-in they are unknown: an admin counts as an administrator until they are
 * read.
 */
const rolesOf = ({ is_admin, admin_roles = ['administrator'] }: Viewer) => (is_admin ? admin_roles : [])

/** Whether a person may make the call (D-135). */
export const may = (user: Viewer | undefined, { method, admin_roles }: Pick<Declaration, 'method' | 'admin_roles'>) =>
  admin_roles === undefined || (user !== undefined && mayCall(rolesOf(user), { method, admin_roles }))

/** Whether a person may open a page; only admin pages are restricted. */
export const mayOpen = (
  { access, admin_roles, is_form }: Pick<Page, 'access' | 'admin_roles' | 'is_form'>,
  user: Viewer,
) => access !== 'admin' || (user.is_admin && may(user, { method: is_form ? 'POST' : 'GET', admin_roles }))
