import { Badge, Button, Group, SimpleGrid, Stack, Table, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { listMyApps, listScopeRequests, requestScopes, updateMyApp } from '../../../contract/oauth-apps.ts'
import { isScope, requestable_scopes, type Scope } from '../../../contract/scopes.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { ScopeChoice } from './scope-choice.tsx'

type ScopeRequest = AnswerOf<typeof listScopeRequests>[number]

/** The scopes of an app: remove some, or request more from an admin. */
export function AppScopes({ app }: { app: MyApp }) {
  const requests = useApiQuery(listScopeRequests, { params: { id: app.id } })
  const pending = (requests.data ?? [])
    .filter(({ status }) => status === 'pending')
    .flatMap(({ requested_scopes }) => requested_scopes)
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <AllowedScopes key={app.allowed_scopes.join(' ')} app={app} />
        <ScopeRequestForm app={app} pending={pending} />
      </SimpleGrid>
      <Section
        title="Scope requests"
        about="An admin decides each request. You get the decision by mail. Approved scopes are added to the app immediately."
      >
        <QueryResult query={requests}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState icon="queue" title="You have not asked for any scope" />
            ) : (
              <RequestTable requests={all} />
            )
          }
        </QueryResult>
      </Section>
    </Stack>
  )
}

function AllowedScopes({ app }: { app: MyApp }) {
  const allowed = requestable_scopes.filter((scope) => app.allowed_scopes.includes(scope))
  const [selected, setSelected] = useState<string[]>(allowed)
  const [confirming, setConfirming] = useState(false)
  const removed = allowed.filter((scope) => !selected.includes(scope))
  useUnsaved(removed.length > 0)
  const update = useApiMutation(updateMyApp, {
    invalidates: [listMyApps],
    onDone: () => {
      setConfirming(false)
      notify('The scopes are removed.')
    },
  })
  return (
    <Section title="What the app may do" about="Untick what it does not need. Only an admin can grant it again.">
      {allowed.length === 0 ? (
        <EmptyState icon="lock" title="The app may use no scope" />
      ) : (
        <ScopeChoice label="Allowed scopes" offered={allowed} value={selected} onChange={setSelected} />
      )}
      {removed.length > 0 && (
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setSelected(allowed)}>
            Undo
          </Button>
          <Button onClick={() => setConfirming(true)}>
            Remove {removed.length === 1 ? removed[0] : `${removed.length} scopes`}
          </Button>
        </Group>
      )}
      <Confirm
        opened={confirming}
        onClose={() => setConfirming(false)}
        title={`Remove ${removed.join(', ')}?`}
        action="Remove"
        onConfirm={() => update.mutate({ params: { id: app.id }, body: { allowed_scopes: selected } })}
        busy={update.isPending}
        error={update.error}
      >
        <Text size="sm">
          New authorizations with {removed.length === 1 ? 'it' : 'them'} are refused from now on. To have{' '}
          {removed.length === 1 ? 'it' : 'them'} again you must ask an admin.
        </Text>
      </Confirm>
    </Section>
  )
}

function ScopeRequestForm({ app, pending }: { app: MyApp; pending: string[] }) {
  const { ask } = useSearch({ from: '/apps/$id' })
  const offered = requestable_scopes.filter((scope) => !app.allowed_scopes.includes(scope))
  const [selected, setSelected] = useState<string[]>(
    ask !== undefined && isScope(ask) && offered.includes(ask) ? [ask] : [],
  )
  useUnsaved(selected.some((scope) => scope !== ask))
  const call = useApiMutation(requestScopes, {
    invalidates: [listScopeRequests],
    onDone: () => {
      setSelected([])
      notify('Request sent. An admin decides.')
    },
  })
  if (offered.length === 0) return null
  const notes = Object.fromEntries(
    offered.filter((scope) => pending.includes(scope)).map((scope): [Scope, string] => [scope, 'Asked for already']),
  )
  return (
    <Section title="Ask for more" about="An admin decides. The app’s description should say what it needs them for.">
      <ScopeChoice label="Scopes to ask for" offered={offered} value={selected} onChange={setSelected} notes={notes} />
      <Group justify="flex-end" mt="md">
        <FailureNote error={call.error} />
        <Button
          disabled={selected.length === 0}
          loading={call.isPending}
          onClick={() => call.mutate({ params: { id: app.id }, body: { requested_scopes: selected } })}
        >
          Ask an admin
        </Button>
      </Group>
    </Section>
  )
}

const status_texts: Record<string, { color: string; label: string; about: string }> = {
  pending: {
    color: 'yellow',
    label: 'Pending review',
    about: 'An admin has not decided yet. There is nothing for you to do.',
  },
  approved: {
    color: 'plaza',
    label: 'Approved',
    about: 'The app may use it. People who let it in before are asked again once it is requested.',
  },
  denied: {
    color: 'red',
    label: 'Denied',
    about: 'The reason came by mail. Say in the description what it is for, then ask again.',
  },
}

const RequestTable = ({ requests }: { requests: ScopeRequest[] }) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label="Scope requests">
    <Table miw={560}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Scopes</Table.Th>
          <Table.Th>Answer</Table.Th>
          <Table.Th>What it means</Table.Th>
          <Table.Th>Asked</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {requests.map((request) => {
          const { color, label, about } = status_texts[request.status] ?? {
            color: 'gray',
            label: request.status,
            about: '',
          }
          return (
            <Table.Tr key={request.id}>
              <Table.Td>{request.requested_scopes.join(', ')}</Table.Td>
              <Table.Td>
                <Badge color={color}>{label}</Badge>
              </Table.Td>
              <Table.Td c="dimmed" fz="sm">
                {about}
              </Table.Td>
              <Table.Td>
                <RelativeTime at={request.inserted_at} />
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  </div>
)
