import { Button, Group, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import {
  acceptApp,
  acceptInvitation,
  declineInvitation,
  listOwnInvitations,
  listTeams,
} from '../../../contract/teams.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { t } from '../../texts.ts'
import { roleLabel } from './roles.ts'

type Waiting = AnswerOf<typeof listOwnInvitations>

/** The teams that invite the person, and the apps that are offered. */
export default function Invitations() {
  const query = useApiQuery(listOwnInvitations, {})
  return (
    <>
      <PageHead title={t('build.teams.invitations')} about={t('build.invitations.about')} />
      <Section maw={760}>
        <QueryResult
          query={query}
          empty={
            <EmptyState icon="mail" title={t('build.invitations.none')}>
              {t('build.invitations.none-text')}
            </EmptyState>
          }
        >
          {({ invitations, apps }) => (
            <Rows label={t('build.teams.invitations')}>
              {invitations.map((one) => (
                <Invitation key={one.code} invitation={one} />
              ))}
              {apps.map((app) => (
                <OfferedApp key={app.app_id} app={app} />
              ))}
            </Rows>
          )}
        </QueryResult>
      </Section>
    </>
  )
}

const stale = [listOwnInvitations, listTeams, listMyApps]

function Invitation({ invitation }: { invitation: Waiting['invitations'][number] }) {
  const { code, team_name, role, invited_by_username, expires_at } = invitation
  const router = useRouter()
  const accept = useApiMutation(acceptInvitation, {
    invalidates: stale,
    onDone: ({ team }) => {
      notify(t('build.invitations.joined'))
      void router.navigate({ to: '/teams/$id', params: { id: team.id } })
    },
  })
  const decline = useApiMutation(declineInvitation, { invalidates: stale })
  return (
    <Row
      lead="users"
      action={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={decline.isPending}
            onClick={() => decline.mutate({ params: { code } })}
          >
            {t('account.point-requests.decline')}
          </Button>
          <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate({ params: { code } })}>
            {t('people.friends.accept-2')}
          </Button>
        </Group>
      }
    >
      <Text fw={600} className="user-content">
        {team_name}
      </Text>
      <Text size="sm" c="dimmed">
        <RichText
          k="build.invitations.invited"
          person={<bdi className="user-content">{invited_by_username}</bdi>}
          role={roleLabel(role)}
          time={<RelativeTime at={expires_at} />}
        />
      </Text>
      <FailureNote error={accept.error ?? decline.error} />
    </Row>
  )
}

function OfferedApp({ app: { app_id, app_name, offered_by_username, expires_at } }: { app: Waiting['apps'][number] }) {
  const router = useRouter()
  const accept = useApiMutation(acceptApp, {
    invalidates: stale,
    onDone: () => {
      notify(t('build.invitations.app-is-yours'))
      void router.navigate({ to: '/apps/$id', params: { id: app_id } })
    },
  })
  return (
    <Row
      lead="app"
      action={
        <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate({ params: { id: app_id } })}>
          {t('people.friends.accept-2')}
        </Button>
      }
    >
      <Text fw={600} className="user-content">
        {app_name}
      </Text>
      <Text size="sm" c="dimmed">
        <RichText
          k="build.invitations.offered"
          person={<bdi className="user-content">{offered_by_username}</bdi>}
          time={<RelativeTime at={expires_at} />}
        />
      </Text>
      <FailureNote error={accept.error} />
    </Row>
  )
}
