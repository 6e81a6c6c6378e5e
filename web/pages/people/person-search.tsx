import { Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { removeFriend, searchUsers, user_search_min, user_search_results_max } from '../../../contract/social.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { messageValidatorsOf } from '../../forms/validation.ts'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, QueryResult } from '../../ui/page-parts.tsx'
import { ReportButton } from './report-button.tsx'
import { PersonRow } from './person-row.tsx'
import { BlockDialog } from './person-actions.tsx'
import {
  people_lists,
  useSentRequests,
  useRequestFriend,
  useFriendRelations,
  type Person,
  type FriendRelation,
} from './friend-relations.ts'

const check = messageValidatorsOf(searchUsers.query).q

/** Searches people by prefix of their username while typing. The query is in the URL. */
export function PersonSearch() {
  const { q = '' } = useSearch({ from: '/people' })
  const router = useRouter()
  const [typed, setTyped] = useState(q)
  const [settled] = useDebouncedValue(typed.trim(), 250)
  const error = settled === '' ? undefined : check?.(settled)
  const long_enough = [...settled].length >= user_search_min
  const found = useApiQuery(searchUsers, { query: { q: settled } }, { enabled: long_enough && error === undefined })
  useEffect(() => {
    if (settled === q) return
    void router.navigate({ to: '/people', search: settled === '' ? {} : { q: settled }, replace: true })
  }, [settled, q, router])
  return (
    <Stack>
      <TextInput
        label="Username"
        description={`Type at least ${user_search_min} letters of its beginning.`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={long_enough ? error : undefined}
        leftSection={<Icon name="search" size={16} />}
        rightSection={found.isFetching && <Loader size="xs" />}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        type="search"
        maw={420}
      />
      {long_enough && error === undefined && (
        <QueryResult query={found}>{({ users }) => <Results users={users} q={settled} />}</QueryResult>
      )}
    </Stack>
  )
}

function Results({ users, q }: { users: Person[]; q: string }) {
  const relationTo = useFriendRelations()
  if (users.length === 0)
    return (
      <EmptyState icon="search" title={`Nobody’s username begins with “${q}”`}>
        Check the spelling. People are found by username only, not by e-mail address.
      </EmptyState>
    )
  return (
    <div role="list" aria-label="People found">
      {users.map((person) => (
        <Result key={person.id} person={person} relation={relationTo(person.id)} />
      ))}
      {users.length === user_search_results_max && (
        <Text size="sm" c="dimmed" mt="sm">
          These are the first {user_search_results_max}. Type more of the name to narrow them down.
        </Text>
      )}
    </div>
  )
}

function Result({ person, relation }: { person: Person; relation: FriendRelation }) {
  const [blocking, setBlocking] = useState(false)
  const ask = useRequestFriend(person)
  const { remove } = useSentRequests()
  const withdraw = useApiMutation(removeFriend, {
    invalidates: people_lists,
    onDone: () => {
      remove(person.id)
      notify(`The request to ${person.username} is withdrawn.`)
    },
  })
  return (
    <PersonRow
      person={person}
      about={
        { none: undefined, friend: 'Your friend', request_received: 'Asks to be your friend', request_sent: 'Asked' }[
          relation.kind
        ]
      }
      error={ask.error ?? withdraw.error}
      actions={
        <Group gap="xs">
          {(relation.kind === 'none' || relation.kind === 'request_received') && (
            <Button
              size="xs"
              variant={relation.kind === 'request_received' ? 'filled' : 'light'}
              loading={ask.isPending}
              onClick={() => ask.mutate({ body: { friend_id: person.id } })}
              aria-label={
                relation.kind === 'request_received'
                  ? `Accept ${person.username}`
                  : `Ask to be friends: ${person.username}`
              }
            >
              {relation.kind === 'request_received' ? 'Accept' : 'Ask to be friends'}
            </Button>
          )}
          {relation.kind === 'request_sent' && (
            <Button
              size="xs"
              variant="default"
              loading={withdraw.isPending}
              onClick={() => withdraw.mutate({ params: { id: relation.friendship_id } })}
              aria-label={`Withdraw the request to ${person.username}`}
            >
              Withdraw
            </Button>
          )}
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => setBlocking(true)}
            aria-label={`Block ${person.username}`}
          >
            Block
          </Button>
          <ReportButton person={person} />
          {blocking && <BlockDialog person={person} onClose={() => setBlocking(false)} />}
        </Group>
      }
    />
  )
}
