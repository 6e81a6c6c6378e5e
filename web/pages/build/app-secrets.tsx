import { Badge, Button, Code, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { createSecret, deleteSecret, listSecrets } from '../../../contract/oauth-apps.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { DataTable, timeColumn, type Column } from '../../ui/data-table.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { SecretDialog } from './saved-secret.tsx'
import { NewSecret } from './new-secret.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Secret = AnswerOf<typeof listSecrets>['secrets'][number]

const { secrets_max } = decisions.client_secrets

/** The client secrets of an app, with their last use: add one, delete old ones. */
export function AppSecrets({ app }: { app: MyApp }) {
  const query = useApiQuery(listSecrets, { params: { id: app.id } })
  const [created, setCreated] = useState<string>()
  const add = useApiMutation(createSecret, {
    invalidates: [listSecrets],
    onDone: ({ client_secret }) => setCreated(client_secret),
  })
  return (
    <Stack>
      <Section
        title={t('build.app-secrets.client-secrets')}
        about={t('build.app-secrets.an-app-may-have-up-to', { secrets_max })}
        actions={
          <Button onClick={() => add.mutate({ params: { id: app.id } })} loading={add.isPending}>
            {t('build.app-secrets.add-a-secret')}
          </Button>
        }
      >
        <Stack>
          <FailureNote error={add.error} />
          <QueryResult query={query}>
            {({ secrets }) =>
              secrets.length === 0 ? (
                <EmptyState icon="key" title={t('build.app-secrets.the-app-has-no-secret')}>
                  {t('build.app-secrets.without-one-it-can-exchange-codes')}
                </EmptyState>
              ) : (
                <DataTable
                  label={t('build.app-secrets.client-secrets')}
                  rows={secrets}
                  columns={columnsOf(app)}
                  miw={480}
                />
              )
            }
          </QueryResult>
        </Stack>
      </Section>
      <RotationAdvice />
      <SecretDialog title={t('build.app-secrets.the-new-secret')}>
        {created !== undefined && (
          <NewSecret
            client_id={app.client_id}
            client_secret={created}
            next_label={t('common.done')}
            onNext={() => {
              setCreated(undefined)
              add.reset()
            }}
          />
        )}
      </SecretDialog>
    </Stack>
  )
}

const Deletion = ({ app, secret: { id, hint, last_used_at } }: { app: MyApp; secret: Secret }) => (
  <ConfirmButton
    label={t('common.delete')}
    button={{
      variant: 'subtle',
      color: 'red',
      'aria-label': t('build.app-secrets.delete-the-secret-ending-in-2', { hint }),
    }}
    endpoint={deleteSecret}
    input={{ params: { id: app.id, secret_id: id } }}
    invalidates={[listSecrets]}
    done={() => t('build.app-secrets.the-secret-ending-in-is-deleted', { hint })}
    title={t('build.app-secrets.delete-the-secret-ending-in', { hint })}
    action={t('common.delete')}
  >
    <Text size="sm">
      <RichText
        k="build.app-secrets.it-stops-working-at-once-last"
        last_used_at={Boolean(last_used_at)}
        bold={<b>{last_used_at ? <RelativeTime at={last_used_at} /> : t('build.app-secrets.never-used')}</b>}
      />
    </Text>
  </ConfirmButton>
)

const columnsOf = (app: MyApp): Column<Secret>[] => [
  { head: t('common.secret'), cell: ({ hint }) => <Code>…{hint}</Code> },
  timeColumn(t('build.app-secrets.added'), ({ inserted_at }) => inserted_at),
  {
    head: t('common.last-used'),
    cell: ({ last_used_at }) => (last_used_at ? <RelativeTime at={last_used_at} /> : <Unused />),
  },
  {
    head: t('build.app-secrets.what-can-be-done'),
    head_hidden: true,
    ta: 'right',
    cell: (secret) => <Deletion app={app} secret={secret} />,
  },
]

const Unused = () => <Badge color="gray">{t('build.app-secrets.never-used')}</Badge>

const RotationAdvice = () => (
  <Section title={t('build.app-secrets.replacing-a-secret-without-downtime')}>
    <List type="ordered" size="sm" spacing={4}>
      <List.Item>{t('build.app-secrets.add-a-secret-and-put-it')}</List.Item>
      <List.Item>{t('build.app-secrets.restart-your-server-and-wait-until')}</List.Item>
      <List.Item>{t('build.app-secrets.wait-until-the-old-one-shows')}</List.Item>
    </List>
    <Text size="sm" c="dimmed" mt="sm">
      {t('build.app-secrets.do-this-now-and-then-and')}
    </Text>
  </Section>
)
