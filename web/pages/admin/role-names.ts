import type { AdminRole } from '../../../contract/kinds/admin-roles.ts'
import { t, type TextKey } from '../../texts.ts'

const role_labels = {
  administrator: 'admin.roles.administrator',
  support: 'admin.roles.support',
  moderator: 'admin.roles.moderator',
  finance: 'admin.roles.finance',
  hosting: 'common.hosting',
  reviewer: 'admin.roles.reviewer',
  auditor: 'admin.roles.auditor',
} as const satisfies Record<AdminRole, TextKey>

export const roleNames = (roles: readonly AdminRole[]) => roles.map((role) => t(role_labels[role])).join(', ')
