/** The roles of team members; each includes the roles before it (D-134). */
export const member_roles = ['viewer', 'developer', 'admin', 'owner'] as const
export type MemberRole = (typeof member_roles)[number]

export const includesRole = (role: MemberRole, other: MemberRole) =>
  member_roles.indexOf(role) >= member_roles.indexOf(other)
