import { Stack } from '@mantine/core'
import { adminListApps, app_orders } from '../../../contract/admin-apps.ts'
import { app_statuses } from '../../../contract/app-fields.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { numberColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { Link } from '../../ui/link.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { SearchField } from '../../ui/debounced-field.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import type { AdminApp } from './app-changes.tsx'
import { AppLink } from './app-link.tsx'
import { TableCard } from './list-card.tsx'
import { PersonLink } from './person-link.tsx'
import { knownValue } from './search.ts'
import { StateFilter } from '../../ui/filter.tsx'
import { StatusBadge } from './status-badge.tsx'
import { t } from '../../texts.ts'

export default function Apps() {
  const [{ q = '', status, ...search }, change] = useUrlState('/admin/apps')
  const sort = knownValue(app_orders, search.sort) ?? '-inserted_at'
  const known = knownValue(app_statuses, status)
  const apps = usePagedQuery(adminListApps, {
    query: { ...(known && { status: known }), ...(q !== '' && { q }), sort },
  })
  return (
    <>
      <PageHead title={t('common.apps')} about={t('admin.apps.newest-first')} />
      <Stack>
        <SearchField
          label={t('common.name')}
          description={t('admin.apps.the-beginning-of-the-name-or')}
          value={q}
          onSearch={(text) => change({ q: text })}
          is_reading={apps.isFetching}
          maxLength={100}
          maw={420}
        />
        <StateFilter
          value={known}
          onChange={(chosen) => change({ status: chosen })}
          states={{ pending: t('common.pending'), approved: t('common.approved'), rejected: t('common.rejected') }}
        />
        <TableCard
          list={apps}
          label={t('common.apps')}
          columns={appColumns()}
          order={{ sort, onSort: (chosen) => change({ sort: chosen }) }}
          empty={<EmptyState icon="app" title={t('admin.apps.no-app-found')} />}
        />
      </Stack>
    </>
  )
}

export const appColumns = (): Column<AdminApp>[] => [
  {
    head: t('common.app'),
    sorts: 'app_name',
    cell: ({ id, app_name }) => <AppLink id={id} name={app_name} />,
  },
  {
    head: t('common.owner'),
    cell: ({ owner_id, owner_username, team_id, team_name }) =>
      team_id === null ? (
        <PersonLink id={owner_id} name={owner_username} />
      ) : (
        <Link to="/admin/apps" search={{ q: team_id }} size="sm" className="user-content">
          {t('admin.apps.team', { name: team_name ?? '' })}
        </Link>
      ),
  },
  {
    head: t('common.status'),
    cell: ({ changed_since_approval, status }) => (
      <StatusBadge status={changed_since_approval ? t('common.changed-since-approval-2') : status} />
    ),
  },
  { head: t('common.scopes'), visibleFrom: 'sm', cell: ({ allowed_scopes }) => allowed_scopes.join(', ') },
  numberColumn(t('common.points'), ({ points }) => points, { sorts: '-points' }),
  timeColumn(t('common.registered'), ({ inserted_at }) => inserted_at, { sorts: 'inserted_at' }),
]
