import { Badge, Button, Group, Stack } from '@mantine/core'
import { answerFriend, listBlocks, removeFriend, unblockUser } from '../../../contract/social.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { people_lists } from '../../api/live-queries.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { LoadMore, EmptyState, PageHead, QueryResult, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { FriendList } from './friend-list.tsx'
import { PersonRow } from './person-row.tsx'
import { ReportButton } from './report-button.tsx'
import {
  useFriends,
  usePendingFriends,
  useSentRequests,
  useFriendEvents,
  type SentRequest,
  type Person,
} from './friend-relations.ts'
import { usePresenceHeartbeat, useFriendsPresence } from './use-presence.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function Friends() {
  useFriendEvents()
  usePresenceHeartbeat()
  return (
    <>
      <PageHead
        title={t('common.friends')}
        about={t('people.friends.friends-see-each-others-e-mail')}
        actions={
          <LinkButton to="/people" size="sm">
            {t('common.find-people')}
          </LinkButton>
        }
      />
      <Stack>
        <Requests />
        <SentRequests />
        <YourFriends />
        <Blocked />
      </Stack>
    </>
  )
}

/** Received requests. Renders nothing if there are none. */
function Requests() {
  const pending = usePendingFriends()
  if (pending.data?.length === 0) return null
  return (
    <Section
      title={
        <Group gap="xs" component="span">
          {t('people.friends.requests-to-you')} {pending.data && <Badge>{formatNumber(pending.data.length)}</Badge>}
        </Group>
      }
      about={t('people.friends.a-person-you-accept-sees-your')}
    >
      <QueryResult query={pending}>
        {(requests) => (
          <div role="list" aria-label={t('people.friends.requests-to-you')}>
            {requests.map(({ friendship_id, sent_at, ...person }) => (
              <Request key={friendship_id} person={person} friendship_id={friendship_id} sent_at={sent_at} />
            ))}
          </div>
        )}
      </QueryResult>
    </Section>
  )
}

function Request({ person, friendship_id, sent_at }: { person: Person; friendship_id: string; sent_at: string }) {
  const answer = useApiMutation(answerFriend, {
    invalidates: people_lists,
    onDone: ({ status }) =>
      notify(
        status === 'accepted'
          ? t('common.and-you-are-friends', { username: person.username })
          : t('people.friends.the-request-of-is-rejected', { username: person.username }),
      ),
  })
  const respond = (action: 'accept' | 'reject') => answer.mutate({ params: { id: friendship_id }, body: { action } })
  return (
    <PersonRow
      person={person}
      about={<RichText k="people.friends.asked" time={<RelativeTime at={sent_at} />} />}
      error={answer.error}
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            loading={answer.isPending && answer.variables?.body.action === 'accept'}
            onClick={() => respond('accept')}
            aria-label={t('common.accept', { username: person.username })}
          >
            {t('people.friends.accept-2')}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={answer.isPending && answer.variables?.body.action === 'reject'}
            onClick={() => respond('reject')}
            aria-label={t('people.friends.reject', { username: person.username })}
          >
            {t('common.reject')}
          </Button>
          <ReportButton person={person} />
        </Group>
      }
    />
  )
}

function SentRequests() {
  const { sent_requests } = useSentRequests()
  if (sent_requests.length === 0) return null
  return (
    <Section
      title={t('people.friends.requests-from-you')}
      about={t('people.friends.requests-that-you-sent-during-this')}
    >
      <div role="list" aria-label={t('people.friends.requests-from-you')}>
        {sent_requests.map((request) => (
          <SentRequestRow key={request.id} request={request} />
        ))}
      </div>
    </Section>
  )
}

function SentRequestRow({ request }: { request: SentRequest }) {
  const { remove } = useSentRequests()
  const withdraw = useApiMutation(removeFriend, {
    invalidates: people_lists,
    onDone: () => {
      remove(request.id)
      notify(t('common.the-request-to-is-withdrawn', { username: request.username }))
    },
  })
  return (
    <PersonRow
      person={request}
      about={t('people.friends.has-not-answered-yet')}
      error={withdraw.error}
      actions={
        <Button
          size="xs"
          variant="default"
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate({ params: { id: request.friendship_id } })}
          aria-label={t('common.withdraw-the-request-to', { username: request.username })}
        >
          {t('common.withdraw')}
        </Button>
      }
    />
  )
}

function YourFriends() {
  const friends = useFriends()
  const presence = useFriendsPresence()
  const isOnline = (id: string) => presence?.get(id)?.status === 'online'
  return (
    <Section title={t('common.your-friends')}>
      <QueryResult
        query={friends}
        empty={
          <EmptyState icon="users" title={t('people.friends.no-friends-yet')}>
            {t('people.friends.find-somebody-by-their-username-and')}
          </EmptyState>
        }
      >
        {(all) => (
          <FriendList
            friends={[...all.filter(({ id }) => isOnline(id)), ...all.filter(({ id }) => !isOnline(id))]}
            presence={presence}
          />
        )}
      </QueryResult>
    </Section>
  )
}

function Blocked() {
  const blocks = usePagedQuery(listBlocks, {})
  if (blocks.data && blocks.rows.length === 0) return null
  return (
    <Section title={t('people.friends.blocked')} about={t('people.friends.you-do-not-see-what-they')}>
      {blocks.error && <FailureNote error={blocks.error} onRetry={() => void blocks.refetch()} />}
      {blocks.isPending && <LoadingSkeleton rows={2} />}
      <div role="list" aria-label={t('people.friends.blocked-people')}>
        {blocks.rows.map(({ user_id, username, blocked_at }) => (
          <BlockedRow key={user_id} person={{ id: user_id, username }} blocked_at={blocked_at} />
        ))}
      </div>
      <LoadMore query={blocks} />
    </Section>
  )
}

function BlockedRow({ person, blocked_at }: { person: Person; blocked_at: string }) {
  const unblock = useApiMutation(unblockUser, {
    invalidates: people_lists,
    onDone: () => notify(t('people.friends.is-no-longer-blocked', { username: person.username })),
  })
  return (
    <PersonRow
      is_blocked
      person={person}
      about={<RichText k="people.friends.blocked-2" time={<RelativeTime at={blocked_at} />} />}
      error={unblock.error}
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={unblock.isPending}
            onClick={() => unblock.mutate({ params: { user_id: person.id } })}
            aria-label={t('people.friends.unblock', { username: person.username })}
          >
            {t('people.friends.unblock-2')}
          </Button>
          <ReportButton person={person} />
        </Group>
      }
    />
  )
}
