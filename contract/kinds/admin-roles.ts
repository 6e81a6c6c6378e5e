/** The roles of admins (D-135); a person may have several. */
export const admin_roles = [
  'administrator',
  'support',
  'moderator',
  'finance',
  'hosting',
  'reviewer',
  'auditor',
] as const
export type AdminRole = (typeof admin_roles)[number]

export const isAdminRole = (text: string): text is AdminRole => (admin_roles as readonly string[]).includes(text)

/** At least one role; refusals name the first. */
export type NeededRoles = readonly [AdminRole, ...AdminRole[]]

/** The roles that may call an endpoint for admins: the declared ones, administrators and, for reads, auditors. */
export const rolesAllowedAt = ({ method, admin_roles: [first, ...others] }: AdminEndpoint): NeededRoles => [
  first,
  ...others,
  'administrator',
  ...(method === 'GET' ? (['auditor'] as const) : []),
]

interface AdminEndpoint {
  method: string
  admin_roles: NeededRoles
}

/** Whether one of these roles may call an endpoint for admins. */
export const mayCall = (roles: readonly AdminRole[], endpoint: AdminEndpoint) =>
  rolesAllowedAt(endpoint).some((role) => roles.includes(role))
