import type { ReactNode } from 'react'
import type { Declaration } from '../../contract/endpoint.ts'
import { mayCall, type AdminRole } from '../../contract/kinds/admin-roles.ts'
import type { Page } from '../page.ts'
import { currentSession, useSession } from './session.ts'

interface Viewer {
  is_admin: boolean
  admin_roles?: readonly AdminRole[]
}

/** The roles of the person. Right after a sign-in they are unknown: an admin counts as an administrator until they are read. */
const rolesOf = ({ is_admin, admin_roles = ['administrator'] }: Viewer) => (is_admin ? admin_roles : [])

const may = (user: Viewer | undefined, { method, admin_roles }: Pick<Declaration, 'method' | 'admin_roles'>) =>
  admin_roles === undefined || (user !== undefined && mayCall(rolesOf(user), { method, admin_roles }))

/** Whether the person may make the call, outside components. */
export const mayNow = (call: Declaration) => may(currentSession()?.user, call)

/** Whether the person may make the call (D-135). */
export const useMay = (call: Declaration) => may(useSession().session?.user, call)

/** Shows its children to people who may make the call. */
export const May = ({ call, children }: { call: Declaration; children: ReactNode }) => useMay(call) && children

/** Whether a person may open a page of admins; every person may open others. */
export const mayOpen = (
  { access, admin_roles, is_form }: Pick<Page, 'access' | 'admin_roles' | 'is_form'>,
  user: Viewer,
) => access !== 'admin' || (user.is_admin && may(user, { method: is_form ? 'POST' : 'GET', admin_roles }))
