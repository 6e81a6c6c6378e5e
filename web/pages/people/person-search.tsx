import { Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { removeFriend, searchUsers, user_search_min, user_search_results_max } from '../../../contract/social.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { people_lists } from '../../api/live-queries.ts'
import { messageValidatorsOf } from '../../forms/validation.ts'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, QueryResult } from '../../ui/page-parts.tsx'
import { ReportButton } from './report-button.tsx'
import { PersonRow } from './person-row.tsx'
import { BlockDialog } from './person-actions.tsx'
import {
  useSentRequests,
  useRequestFriend,
  useFriendRelations,
  type Person,
  type FriendRelation,
} from './friend-relations.ts'
import { t } from '../../texts.ts'

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
        label={t('common.username')}
        description={t('people.person-search.type-at-least-letters-of-its', { user_search_min })}
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
      <EmptyState icon="search" title={t('people.person-search.nobodys-username-begins-with', { q })}>
        {t('people.person-search.check-the-spelling-people-are-found')}
      </EmptyState>
    )
  return (
    <div role="list" aria-label={t('people.person-search.people-found')}>
      {users.map((person) => (
        <Result key={person.id} person={person} relation={relationTo(person.id)} />
      ))}
      {users.length === user_search_results_max && (
        <Text size="sm" c="dimmed" mt="sm">
          {t('people.person-search.these-are-the-first-type-more', { user_search_results_max })}
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
      notify(t('common.the-request-to-is-withdrawn', { username: person.username }))
    },
  })
  return (
    <PersonRow
      person={person}
      about={
        {
          none: undefined,
          friend: t('people.person-search.your-friend'),
          request_received: t('people.person-search.asks-to-be-your-friend'),
          request_sent: t('common.asked'),
        }[relation.kind]
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
                  ? t('common.accept', { username: person.username })
                  : t('people.person-search.ask-to-be-friends', { username: person.username })
              }
            >
              {relation.kind === 'request_received'
                ? t('people.friends.accept-2')
                : t('people.person-search.ask-to-be-friends-2')}
            </Button>
          )}
          {relation.kind === 'request_sent' && (
            <Button
              size="xs"
              variant="default"
              loading={withdraw.isPending}
              onClick={() => withdraw.mutate({ params: { id: relation.friendship_id } })}
              aria-label={t('common.withdraw-the-request-to', { username: person.username })}
            >
              {t('common.withdraw')}
            </Button>
          )}
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => setBlocking(true)}
            aria-label={t('people.person-search.block', { username: person.username })}
          >
            {t('common.block-2')}
          </Button>
          <ReportButton person={person} />
          {blocking && <BlockDialog person={person} onClose={() => setBlocking(false)} />}
        </Group>
      }
    />
  )
}
