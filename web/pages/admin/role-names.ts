import type { AdminRole } from '../../../contract/kinds/admin-roles.ts'
import { t, type PlainTextKey } from '../../texts.ts'

export const role_facts = {
  administrator: { name: 'admin.roles.administrator', about: 'admin.roles.about-administrator' },
  support: { name: 'admin.roles.support', about: 'admin.roles.about-support' },
  moderator: { name: 'admin.roles.moderator', about: 'admin.roles.about-moderator' },
  finance: { name: 'admin.roles.finance', about: 'admin.roles.about-finance' },
  hosting: { name: 'common.hosting', about: 'admin.roles.about-hosting' },
  reviewer: { name: 'admin.roles.reviewer', about: 'admin.roles.about-reviewer' },
  auditor: { name: 'admin.roles.auditor', about: 'admin.roles.about-auditor' },
} as const satisfies Record<AdminRole, { name: PlainTextKey; about: PlainTextKey }>

export const roleNames = (roles: readonly AdminRole[]) => roles.map((role) => t(role_facts[role].name)).join(', ')
