import { Text } from '@mantine/core'
import type { Declaration } from '../../../contract/endpoint.ts'
import { includesRole } from '../../../contract/kinds/member-roles.ts'
import type { MyApp } from './access.ts'
import { roleLabel } from './roles.ts'
import { t } from '../../texts.ts'

/** Whether the person's role in an app permits a call. */
export const may = ({ role }: Pick<MyApp, 'role'>, { team_role = 'viewer' }: Declaration) =>
  includesRole(role, team_role)

/** Replaces a part of a page that the person's role does not permit. */
export const NeedsRole = ({ of: { team_role = 'viewer' } }: { of: Declaration }) => (
  <Text size="sm" c="dimmed">
    {t('build.roles.needs', { role: roleLabel(team_role) })}
  </Text>
)
