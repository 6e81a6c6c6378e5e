import type { MemberRole } from '../../../contract/kinds/member-roles.ts'
import { t } from '../../texts.ts'

const labels: Record<MemberRole, () => string> = {
  viewer: () => t('build.roles.viewer'),
  developer: () => t('build.roles.developer'),
  admin: () => t('console.page.admin'),
  owner: () => t('common.owner'),
}

export const roleLabel = (role: MemberRole) => labels[role]()

const notes: Record<MemberRole, () => string> = {
  viewer: () => t('build.roles.viewer-may'),
  developer: () => t('build.roles.developer-may'),
  admin: () => t('build.roles.admin-may'),
  owner: () => t('build.roles.owner-may'),
}

/** The additional permissions of a role, as a sentence. */
export const roleNote = (role: MemberRole) => notes[role]()

/** The roles as options of a select. */
export const roleOptions = (roles: readonly MemberRole[]) => roles.map((value) => ({ value, label: roleLabel(value) }))
