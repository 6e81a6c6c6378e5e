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
      <PageHead title="Users" about="Newest first. Every change is recorded in the audit log." />
      <Stack>
        <TextInput
          label="Search"
          description="The beginning of a username or e-mail address, or a whole id"
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
            <EmptyState icon="users" title="No user found">
              The search looks at the beginning of usernames and e-mail addresses, and at whole ids.
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
  <div className="scroll-x" tabIndex={0} role="region" aria-label="Users">
    <Table highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>User</Table.Th>
          <Table.Th visibleFrom="sm">E-mail address</Table.Th>
          <Table.Th>Tier</Table.Th>
          <Table.Th ta="right">Points</Table.Th>
          <Table.Th visibleFrom="sm">Joined</Table.Th>
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
                {user.is_admin && <Badge size="sm">admin</Badge>}
                {user.suspended && (
                  <Badge size="sm" color="red">
                    suspended
                  </Badge>
                )}
              </Group>
            </Table.Td>
            <Table.Td visibleFrom="sm" className="user-content">
              {user.email}
              {!user.email_verified && (
                <Badge size="sm" color="gray" ml={6}>
                  not verified
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
