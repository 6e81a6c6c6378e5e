import { Group } from '@mantine/core'
import { adminListApps } from '../../../contract/admin-apps.ts'
import { isId } from '../../../contract/schema.ts'
import { deployment_statuses } from '../../../contract/states.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'
import { SearchField } from '../../ui/debounced-field.tsx'
import { knownValue } from './search.ts'
import { UserPicker } from './user-picker.tsx'

export type DeploymentFilter = Partial<Record<'status' | 'health_status' | 'owner_id' | 'app_id', string>>

interface DeploymentFiltersProps {
  filter: DeploymentFilter
  change: (changes: DeploymentFilter) => void
}

/** Filters by state, by an owner, found by name, and by one of the owner's apps. */
export function DeploymentFilters({ filter, change }: DeploymentFiltersProps) {
  const grow = { flex: '1 1 10rem', maw: 300 }
  return (
    <Group align="flex-start" gap="sm" role="search" aria-label={t('admin.deployments.filter-deployments')}>
      <Select
        {...grow}
        label={t('common.status')}
        placeholder={t('common.any')}
        data={[...deployment_statuses]}
        value={knownValue(deployment_statuses, filter.status) ?? null}
        onChange={(word) => change({ status: word ?? undefined })}
        clearable
      />
      <SearchField
        {...grow}
        label={t('admin.deployments.health')}
        placeholder={t('common.any')}
        value={filter.health_status}
        onSearch={(text) => change({ health_status: text })}
      />
      <UserPicker
        {...grow}
        label={t('common.owner')}
        placeholder={t('admin.deployments.anybody')}
        value={filter.owner_id ?? null}
        onChange={(owner_id) => change({ owner_id: owner_id ?? undefined, app_id: undefined })}
        clearable
      />
      <AppPicker filter={filter} change={change} grow={grow} />
    </Group>
  )
}

function AppPicker({ filter, change, grow }: DeploymentFiltersProps & { grow: object }) {
  const { owner_id, app_id } = filter
  const has_owner = owner_id !== undefined && isId(owner_id)
  const apps = useApiQuery(
    adminListApps,
    { query: { limit: 100, ...(has_owner && { owner_id }) } },
    { enabled: has_owner },
  )
  const options = (apps.data?.data ?? []).map(({ id, app_name }) => ({ value: id, label: app_name }))
  const came_from =
    app_id === undefined || options.some(({ value }) => value === app_id)
      ? []
      : [{ value: app_id, label: t('admin.deployment-filters.the-one-that-you-came-from') }]
  return (
    <Select
      {...grow}
      label={t('common.app')}
      placeholder={has_owner ? t('common.any') : t('admin.deployment-filters.choose-an-owner-first')}
      data={[...came_from, ...options]}
      value={app_id ?? null}
      onChange={(id) => change({ app_id: id ?? undefined })}
      disabled={!has_owner && app_id === undefined}
      clearable
    />
  )
}
