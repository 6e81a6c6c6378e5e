import { Badge, Button, Group, Stack } from '@mantine/core'
import { answerFriend, listBlocks, removeFriend, unblockUser } from '../../../contract/social.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { notify } from '../../ui/notify.tsx'
import { LoadMore, EmptyState, PageHead, QueryResult, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { FriendList } from './friend-list.tsx'
import { PersonRow } from './person-row.tsx'
import { ReportButton } from './report-button.tsx'
import {
  people_lists,
  useFriends,
  usePendingFriends,
  useSentRequests,
  useFriendEvents,
  type SentRequest,
  type Person,
} from './friend-relations.ts'
import { StreamContext, useEvents } from './use-events.ts'
import { usePresenceHeartbeat, useFriendsPresence } from './use-presence.ts'

export default function Friends() {
  const stream = useEvents([], useFriendEvents())
  usePresenceHeartbeat()
  return (
    <StreamContext value={stream}>
      <PageHead
        title="Friends"
        about="Friends see each other’s e-mail address, whether the other is online and in which game or lobby, and when they last were."
        actions={
          <LinkButton to="/people" size="sm">
            Find people
          </LinkButton>
        }
      />
      <Stack>
        <Requests />
        <SentRequests />
        <YourFriends />
        <Blocked />
      </Stack>
    </StreamContext>
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
          Requests to you {pending.data && <Badge>{formatNumber(pending.data.length)}</Badge>}
        </Group>
      }
      about="Whoever you accept sees your e-mail address, whether you are online and in which game or lobby, and when you last were. You see theirs."
    >
      <QueryResult query={pending}>
        {(requests) => (
          <div role="list" aria-label="Requests to you">
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
          ? `${person.username} and you are friends.`
          : `The request of ${person.username} is rejected.`,
      ),
  })
  const respond = (action: 'accept' | 'reject') => answer.mutate({ params: { id: friendship_id }, body: { action } })
  return (
    <PersonRow
      person={person}
      about={
        <>
          Asked <RelativeTime at={sent_at} />
        </>
      }
      error={answer.error}
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            loading={answer.isPending && answer.variables?.body.action === 'accept'}
            onClick={() => respond('accept')}
            aria-label={`Accept ${person.username}`}
          >
            Accept
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={answer.isPending && answer.variables?.body.action === 'reject'}
            onClick={() => respond('reject')}
            aria-label={`Reject ${person.username}`}
          >
            Reject
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
      title="Requests from you"
      about="Requests that you sent during this visit. To withdraw an older one, find the person and ask again: it is still the same request."
    >
      <div role="list" aria-label="Requests from you">
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
      notify(`The request to ${request.username} is withdrawn.`)
    },
  })
  return (
    <PersonRow
      person={request}
      about="Has not answered yet"
      error={withdraw.error}
      actions={
        <Button
          size="xs"
          variant="default"
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate({ params: { id: request.friendship_id } })}
          aria-label={`Withdraw the request to ${request.username}`}
        >
          Withdraw
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
    <Section title="Your friends">
      <QueryResult query={friends}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState icon="users" title="No friends yet">
              Find somebody by their username and ask. They appear here when they accept.
            </EmptyState>
          ) : (
            <FriendList
              friends={[...all.filter(({ id }) => isOnline(id)), ...all.filter(({ id }) => !isOnline(id))]}
              presence={presence}
            />
          )
        }
      </QueryResult>
    </Section>
  )
}

function Blocked() {
  const blocks = usePagedQuery(listBlocks, {})
  if (blocks.data && blocks.rows.length === 0) return null
  return (
    <Section title="Blocked" about="You do not see what they write, and they do not find you.">
      {blocks.error && <FailureNote error={blocks.error} onRetry={() => void blocks.refetch()} />}
      {blocks.isPending && <LoadingSkeleton rows={2} />}
      <div role="list" aria-label="Blocked people">
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
    onDone: () => notify(`${person.username} is no longer blocked.`),
  })
  return (
    <PersonRow
      person={person}
      about={
        <>
          Blocked <RelativeTime at={blocked_at} />
        </>
      }
      error={unblock.error}
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={unblock.isPending}
            onClick={() => unblock.mutate({ params: { user_id: person.id } })}
            aria-label={`Unblock ${person.username}`}
          >
            Unblock
          </Button>
          <ReportButton person={person} />
        </Group>
      }
    />
  )
}
