import { Badge, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { listMyApps, listScopeRequests, requestScopes, updateMyApp } from '../../../contract/oauth-apps.ts'
import { isScope, requestable_scopes, type Scope } from '../../../contract/kinds/scopes.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { DataTable, timeColumn, type Column } from '../../ui/data-table.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import classes from '../../ui/table.module.css'
import type { MyApp } from './access.ts'
import { may } from './may.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { t } from '../../texts.ts'

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
        {may(app, requestScopes) && <ScopeRequestForm app={app} pending={pending} />}
      </SimpleGrid>
      <Section title={t('common.scope-requests')} about={t('build.app-scopes.an-admin-decides-each-request-you')}>
        <QueryResult
          query={requests}
          empty={<EmptyState icon="queue" title={t('build.app-scopes.you-have-not-asked-for-any')} />}
        >
          {(all) => <DataTable label={t('common.scope-requests')} rows={all} columns={columns()} miw={560} />}
        </QueryResult>
      </Section>
    </Stack>
  )
}

function AllowedScopes({ app }: { app: MyApp }) {
  const allowed = requestable_scopes.filter((scope) => app.allowed_scopes.includes(scope))
  const [selected, setSelected] = useState<string[]>(allowed)
  const removed = allowed.filter((scope) => !selected.includes(scope))
  useUnsaved(removed.length > 0)
  return (
    <Section
      title={t('build.app-scopes.what-the-app-may-do')}
      about={may(app, updateMyApp) && t('build.app-scopes.untick-what-it-does-not-need')}
    >
      {allowed.length === 0 ? (
        <EmptyState icon="lock" title={t('build.app-scopes.the-app-may-use-no-scope')} />
      ) : (
        <ScopeChoice
          label={t('build.app-scopes.allowed-scopes')}
          offered={allowed}
          value={selected}
          onChange={setSelected}
          disabled={!may(app, updateMyApp)}
        />
      )}
      {removed.length > 0 && (
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setSelected(allowed)}>
            {t('common.undo')}
          </Button>
          <ConfirmButton
            label={t('build.app-scopes.remove', { count: removed.length, scope: removed.join() })}
            button={{ size: 'sm', variant: 'filled' }}
            endpoint={updateMyApp}
            input={{ params: { id: app.id }, body: { allowed_scopes: selected } }}
            invalidates={[listMyApps]}
            done={() => t('build.app-scopes.the-scopes-are-removed')}
            title={t('build.app-scopes.remove-2', { removed: removed.join(', ') })}
            action={t('common.remove-2')}
          >
            <Text size="sm">{t('build.app-scopes.new-authorizations-with-count-are', { count: removed.length })}</Text>
          </ConfirmButton>
        </Group>
      )}
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
      notify(t('build.app-scopes.request-sent-an-admin-decides'))
    },
  })
  if (offered.length === 0) return null
  const notes = Object.fromEntries(
    offered
      .filter((scope) => pending.includes(scope))
      .map((scope): [Scope, string] => [scope, t('build.app-scopes.asked-for-already')]),
  )
  return (
    <Section
      title={t('build.app-scopes.ask-for-more')}
      about={t('build.app-scopes.an-admin-decides-the-apps-description')}
    >
      <ScopeChoice
        label={t('build.app-scopes.scopes-to-ask-for')}
        offered={offered}
        value={selected}
        onChange={setSelected}
        notes={notes}
      />
      <Group justify="flex-end" mt="md">
        <FailureNote error={call.error} />
        <Button
          disabled={selected.length === 0}
          loading={call.isPending}
          onClick={() => call.mutate({ params: { id: app.id }, body: { requested_scopes: selected } })}
        >
          {t('build.app-scopes.ask-an-admin')}
        </Button>
      </Group>
    </Section>
  )
}

const statuses = (): Record<string, { color: string; label: string; about: string }> => ({
  pending: {
    color: 'yellow',
    label: t('common.pending-review'),
    about: t('build.app-scopes.an-admin-has-not-decided-yet'),
  },
  approved: {
    color: 'plaza',
    label: t('common.approved'),
    about: t('build.app-scopes.the-app-may-use-it-people'),
  },
  denied: {
    color: 'red',
    label: t('common.denied'),
    about: t('build.app-scopes.the-reason-came-by-mail-say'),
  },
})

const columns = (): Column<ScopeRequest>[] => [
  { head: t('common.scopes'), cell: ({ requested_scopes }) => requested_scopes.join(', ') },
  {
    head: t('build.app-scopes.answer'),
    cell: ({ status }) => (
      <Badge color={statuses()[status]?.color ?? 'gray'}>{statuses()[status]?.label ?? status}</Badge>
    ),
  },
  {
    head: t('build.app-scopes.what-it-means'),
    className: classes.quiet,
    cell: ({ status }) => statuses()[status]?.about,
  },
  timeColumn(t('common.asked'), ({ inserted_at }) => inserted_at),
]
