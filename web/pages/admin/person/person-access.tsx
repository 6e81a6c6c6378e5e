import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { updateUser } from '../../../../contract/admin.ts'
import { adminListApps } from '../../../../contract/admin-apps.ts'
import { adminEndSessions, adminListConnections, adminListSessions } from '../../../../contract/admin-users.ts'
import { useApiQuery, usePagedQuery } from '../../../api/hooks.ts'
import { useMay } from '../../../session/rights.tsx'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { EmptyState, QueryResult, Section } from '../../../ui/page-parts.tsx'
import { deviceName } from '../../../ui/device-name.ts'
import { AppLink } from '../app-link.tsx'
import { appColumns } from '../apps.tsx'
import { TableCard } from '../list-card.tsx'
import { ReasonDialog } from '../decision-dialogs.tsx'
import { person_reads, type Person } from './types.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

export function PersonSessions({ person: { id, username, is_admin } }: { person: Person }) {
  const query = useApiQuery(adminListSessions, { params: { id } })
  const may_end = useMay(is_admin ? updateUser : adminEndSessions)
  const [ending, setEnding] = useState<{ id: string; device: string }>()
  return (
    <Section>
      <QueryResult
        query={query}
        rows={3}
        empty={<EmptyState icon="lock" title={t('admin.person-access.signed-in-nowhere')} />}
      >
        {({ sessions }) => (
          <Stack gap="md" role="list" aria-label={t('common.sessions')}>
            {sessions.map((session) => (
              <Group key={session.id} role="listitem" justify="space-between" gap="xs">
                <div>
                  <Text size="sm" fw={600}>
                    {deviceName(session.user_agent)}
                  </Text>
                  <Text size="xs" c="dimmed">
                    <RichText
                      k="admin.person-access.signed-in-ends"
                      used={<RelativeTime at={session.last_used_at} />}
                      time={<RelativeTime at={session.inserted_at} />}
                      time_2={<RelativeTime at={session.expires_at} />}
                    />
                  </Text>
                </div>
                {may_end && (
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => setEnding({ id: session.id, device: deviceName(session.user_agent) })}
                    aria-label={t('admin.person-access.end-the-session-on', {
                      user_agent: deviceName(session.user_agent),
                    })}
                  >
                    {t('admin.person-access.end')}
                  </Button>
                )}
              </Group>
            ))}
          </Stack>
        )}
      </QueryResult>
      {ending && (
        <ReasonDialog
          endpoint={adminEndSessions}
          id={id}
          title={t('admin.person-access.end-the-session-on-2', { device: ending.device })}
          body={() => ({ session_id: ending.id })}
          action={t('admin.person-access.end-the-session')}
          danger
          invalidates={person_reads}
          done={t('admin.person-access.the-session-is-over')}
          onClose={() => setEnding(undefined)}
        >
          {t('admin.person-access.is-signed-out-there-at-once', { username })}
        </ReasonDialog>
      )}
    </Section>
  )
}

/** The apps that the person has registered. */
export function PersonApps({ person: { id } }: { person: Person }) {
  const list = usePagedQuery(adminListApps, { query: { owner_id: id } })
  return (
    <TableCard
      list={list}
      label={t('common.apps')}
      columns={appColumns()}
      empty={<EmptyState icon="app" title={t('admin.person-access.no-app-registered')} />}
    />
  )
}

/** The apps that have access for the person. */
export function PersonConnections({ person: { id } }: { person: Person }) {
  const query = useApiQuery(adminListConnections, { params: { id } })
  return (
    <Section>
      <QueryResult
        query={query}
        rows={3}
        empty={<EmptyState icon="plug" title={t('admin.person-access.no-app-connected')} />}
      >
        {({ connections }) => (
          <Stack gap="md" role="list" aria-label={t('common.connected-apps')}>
            {connections.map(({ app_id, app_name, scopes, connected_at, last_used, daily_limit }) => (
              <div key={app_id} role="listitem">
                <AppLink id={app_id} name={app_name} />
                <Text size="sm">
                  {scopes.join(', ')}
                  {daily_limit !== null &&
                    ` ${t('admin.person-access.at-most-points-a-day', { daily_limit: formatNumber(daily_limit) })}`}
                </Text>
                <Text size="xs" c="dimmed">
                  <RichText
                    k="admin.person-access.connected-last-used"
                    time={<RelativeTime at={connected_at} />}
                    time_2={<RelativeTime at={last_used} />}
                  />
                </Text>
              </div>
            ))}
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}
