import { Badge, Group, Stack } from '@mantine/core'
import { adminListUsers, user_orders } from '../../../contract/admin.ts'
import { admin_roles } from '../../../contract/kinds/admin-roles.ts'
import type { AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { numberColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { TableCard } from './list-card.tsx'
import { role_facts, roleNames } from './role-names.ts'
import { knownValue } from './search.ts'
import { StateFilter } from '../../ui/filter.tsx'
import { SearchField } from '../../ui/debounced-field.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { Link } from '../../ui/link.tsx'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'

type AdminUser = AnswerOf<typeof adminListUsers>['data'][number]

export default function Users() {
  const [{ q = '', state, ...search }, change] = useUrlState('/admin/users')
  const sort = knownValue(user_orders, search.sort) ?? '-inserted_at'
  const role = knownValue(admin_roles, search.role)
  const users = usePagedQuery(adminListUsers, {
    query: { ...(q !== '' && { q }), ...(state && { state }), ...(role && { role }), sort },
  })
  return (
    <>
      <PageHead title={t('common.users')} about={t('admin.users.newest-first-every-change-is-recorded')} />
      <Stack>
        <Group align="flex-end">
          <SearchField
            label={t('admin.users.search')}
            description={t('admin.users.the-beginning-of-a-username-or')}
            value={q}
            onSearch={(text) => change({ q: text })}
            is_reading={users.isFetching}
            maxLength={254}
            flex="1 1 20rem"
            maw={420}
          />
          <Select
            label={t('admin.roles.title')}
            placeholder={t('common.any')}
            data={admin_roles.map((value) => ({ value, label: t(role_facts[value].name) }))}
            value={role ?? null}
            onChange={(chosen) => change({ role: chosen ?? undefined })}
            clearable
          />
        </Group>
        <StateFilter
          value={state}
          onChange={(chosen) => change({ state: chosen })}
          states={{
            admin: t('admin.users.admins'),
            muted: t('common.muted'),
            suspended: t('common.suspended-2'),
            unverified: t('admin.users.not-verified'),
          }}
        />
        <TableCard
          list={users}
          label={t('common.users')}
          columns={columns()}
          order={{ sort, onSort: (chosen) => change({ sort: chosen }) }}
          highlightOnHover
          empty={
            <EmptyState icon="users" title={t('admin.users.no-user-found')}>
              {t('admin.users.the-search-looks-at-the-beginning')}
            </EmptyState>
          }
        />
      </Stack>
    </>
  )
}

const columns = (): Column<AdminUser>[] => [
  {
    head: t('common.user'),
    sorts: 'username',
    cell: (user) => (
      <Group gap={6}>
        <Link to="/admin/users/$id" params={{ id: user.id }} size="sm" className="user-content">
          {user.username}
        </Link>
        {user.is_admin && <Badge size="sm">{roleNames(user.admin_roles)}</Badge>}
        {user.suspended && (
          <Badge size="sm" color="red">
            {t('common.suspended')}
          </Badge>
        )}
      </Group>
    ),
  },
  {
    head: t('common.e-mail-address'),
    on_phone: 'line',
    className: 'user-content',
    cell: ({ email, email_verified }) => (
      <>
        {email}
        {!email_verified && (
          <Badge size="sm" color="gray" ml={6}>
            {t('common.not-verified')}
          </Badge>
        )}
      </>
    ),
  },
  {
    head: t('common.tier'),
    cell: ({ tier, signup_multiplier }) => (signup_multiplier > 1 ? `${tier} ×${signup_multiplier}` : tier),
  },
  numberColumn(t('common.points'), ({ points }) => points, { sorts: '-points' }),
  timeColumn(t('common.joined'), ({ inserted_at }) => inserted_at, { sorts: 'inserted_at' }),
]
