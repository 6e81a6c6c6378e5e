import { Badge, Group, Loader, Stack, Table, TextInput } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { adminListUsers } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { ListCard } from './list-card.tsx'
import { useDebouncedField } from '../../ui/debounced-field.ts'
import { Link } from '../../ui/link.tsx'
import { t } from '../../texts.ts'

type AdminUser = AnswerOf<typeof adminListUsers>['data'][number]

export default function Users() {
  const { q = '' } = useSearch({ from: '/admin/users' })
  const router = useRouter()
  const search = (text: string | undefined) =>
    void router.navigate({ to: '/admin/users', search: { q: text }, replace: true, ignoreBlocker: true })
  const [typed, setTyped] = useDebouncedField(q, search)
  const users = usePagedQuery(adminListUsers, { query: { ...(q !== '' && { q }) } })
  return (
    <>
      <PageHead title={t('common.users')} about={t('admin.users.newest-first-every-change-is-recorded')} />
      <Stack>
        <TextInput
          label={t('admin.users.search')}
          description={t('admin.users.the-beginning-of-a-username-or')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          leftSection={<Icon name="search" size={16} />}
          rightSection={users.isFetching && <Loader size="xs" />}
          type="search"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
          maw={420}
        />
        <ListCard
          list={users}
          lines={6}
          empty={
            <EmptyState icon="users" title={t('admin.users.no-user-found')}>
              {t('admin.users.the-search-looks-at-the-beginning')}
            </EmptyState>
          }
        >
          <UserTable users={users.rows} />
        </ListCard>
      </Stack>
    </>
  )
}

const UserTable = ({ users }: { users: readonly AdminUser[] }) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.users')}>
    <Table highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('common.user')}</Table.Th>
          <Table.Th visibleFrom="sm">{t('common.e-mail-address')}</Table.Th>
          <Table.Th>{t('common.tier')}</Table.Th>
          <Table.Th ta="right">{t('common.points')}</Table.Th>
          <Table.Th visibleFrom="sm">{t('common.joined')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {users.map((user) => (
          <Table.Tr key={user.id}>
            <Table.Td>
              <Group gap={6}>
                <Link to="/admin/users/$id" params={{ id: user.id }} size="sm" className="user-content">
                  {user.username}
                </Link>
                {user.is_admin && <Badge size="sm">{t('common.admin')}</Badge>}
                {user.suspended && (
                  <Badge size="sm" color="red">
                    {t('common.suspended')}
                  </Badge>
                )}
              </Group>
            </Table.Td>
            <Table.Td visibleFrom="sm" className="user-content">
              {user.email}
              {!user.email_verified && (
                <Badge size="sm" color="gray" ml={6}>
                  {t('common.not-verified')}
                </Badge>
              )}
            </Table.Td>
            <Table.Td>
              {user.tier}
              {user.signup_multiplier > 1 && ` ×${user.signup_multiplier}`}
            </Table.Td>
            <Table.Td ta="right" className="number">
              {formatNumber(user.points)}
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <RelativeTime at={user.inserted_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </div>
)
