import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { adminListApps } from '../../../../contract/admin.ts'
import { adminEndSessions, adminListConnections, adminListSessions } from '../../../../contract/admin-users.ts'
import { useApiQuery, usePagedQuery } from '../../../api/hooks.ts'
import { useRefresh } from '../../../api/refresh.ts'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { notify } from '../../../ui/notify.tsx'
import { EmptyState, QueryResult, Section } from '../../../ui/page-parts.tsx'
import { deviceName } from '../../account/user-agent.ts'
import { ListCard } from '../list-card.tsx'
import { ReasonForm } from '../reason-form.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { person_reads, type Person } from './types.ts'

/** Where the person is signed in. */
export function PersonSessions({ person: { id, username } }: { person: Person }) {
  const query = useApiQuery(adminListSessions, { params: { id } })
  const refresh = useRefresh(person_reads)
  const [ending, setEnding] = useState<{ id: string; device: string }>()
  return (
    <Section>
      <QueryResult query={query} rows={3}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <EmptyState icon="lock" title="Signed in nowhere" />
          ) : (
            <Stack gap="md" role="list" aria-label="Sessions">
              {sessions.map((session) => (
                <Group key={session.id} role="listitem" justify="space-between" gap="xs">
                  <div>
                    <Text size="sm" fw={600}>
                      {deviceName(session.user_agent)}
                    </Text>
                    <Text size="xs" c="dimmed">
                      Signed in <RelativeTime at={session.inserted_at} />, ends <RelativeTime at={session.expires_at} />
                    </Text>
                  </div>
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setEnding({ id: session.id, device: deviceName(session.user_agent) })}
                    aria-label={`End the session on ${deviceName(session.user_agent)}`}
                  >
                    End…
                  </Button>
                </Group>
              ))}
            </Stack>
          )
        }
      </QueryResult>
      {ending && (
        <ReasonForm
          endpoint={adminEndSessions}
          id={id}
          title={`End the session on ${ending.device}?`}
          body={() => ({ session_id: ending.id })}
          action="End the session"
          danger
          onDone={() => {
            refresh()
            notify('The session is over.')
          }}
          onClose={() => setEnding(undefined)}
        >
          {username} is signed out there at once, and can sign in again.
        </ReasonForm>
      )}
    </Section>
  )
}

/** The apps that the person has registered. */
export function PersonApps({ person: { id } }: { person: Person }) {
  const list = usePagedQuery(adminListApps, { query: { owner_id: id } })
  return (
    <ListCard list={list} lines={3} empty={<EmptyState icon="app" title="No app registered" />}>
      <div className="scroll-x" tabIndex={0} role="region" aria-label="Apps">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>App</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Scopes</Table.Th>
              <Table.Th>Registered</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.rows.map((app) => (
              <Table.Tr key={app.id}>
                <Table.Td className="user-content">{app.app_name}</Table.Td>
                <Table.Td>
                  <StatusBadge status={app.changed_since_approval ? 'changed since approval' : app.status} />
                </Table.Td>
                <Table.Td>{app.allowed_scopes.join(', ')}</Table.Td>
                <Table.Td>
                  <RelativeTime at={app.inserted_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </ListCard>
  )
}

/** The apps that the person lets act for them. */
export function PersonConnections({ person: { id } }: { person: Person }) {
  const query = useApiQuery(adminListConnections, { params: { id } })
  return (
    <Section>
      <QueryResult query={query} rows={3}>
        {({ connections }) =>
          connections.length === 0 ? (
            <EmptyState icon="plug" title="No app connected" />
          ) : (
            <Stack gap="md" role="list" aria-label="Connected apps">
              {connections.map(({ app_id, app_name, scopes, connected_at, last_used, daily_limit }) => (
                <div key={app_id} role="listitem">
                  <Text size="sm" fw={600} className="user-content">
                    {app_name}
                  </Text>
                  <Text size="sm">
                    {scopes.join(', ')}
                    {daily_limit !== null && ` · at most ${formatNumber(daily_limit)} points a day`}
                  </Text>
                  <Text size="xs" c="dimmed">
                    Connected <RelativeTime at={connected_at} />, last used <RelativeTime at={last_used} />
                  </Text>
                </div>
              ))}
            </Stack>
          )
        }
      </QueryResult>
    </Section>
  )
}
