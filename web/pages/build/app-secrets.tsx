import { Badge, Button, Code, List, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { deleteSecret, listSecrets } from '../../../contract/oauth-apps.ts'
import { secret_permission_names } from '../../../contract/kinds/secret-permissions.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { useTicking } from '../../ui/ticker.ts'
import type { MyApp } from './access.ts'
import { may, NeedsRole } from './may.tsx'
import { SecretDialog } from './saved-secret.tsx'
import { NewSecret } from './new-secret.tsx'
import { SecretForm } from './secret-form.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Secret = AnswerOf<typeof listSecrets>['secrets'][number]

const { secrets_max } = decisions.client_secrets

/** The client secrets of an app, with their restrictions and last use: add one, delete old ones. */
export const AppSecrets = ({ app }: { app: MyApp }) =>
  may(app, listSecrets) ? (
    <Secrets app={app} />
  ) : (
    <Section title={t('build.app-secrets.client-secrets')}>
      <NeedsRole of={listSecrets} />
    </Section>
  )

function Secrets({ app }: { app: MyApp }) {
  const query = useApiQuery(listSecrets, { params: { id: app.id } })
  const [adding, setAdding] = useState(false)
  const [created, setCreated] = useState<string>()
  return (
    <Stack>
      <Section
        title={t('build.app-secrets.client-secrets')}
        about={
          <RichText
            k="build.app-secrets.an-app-may-have-up-to"
            secrets_max={secrets_max}
            link={(part) => <a href="/docs/guides/build-servers">{part}</a>}
          />
        }
        actions={<Button onClick={() => setAdding(true)}>{t('common.add-a-secret')}</Button>}
      >
        <QueryResult
          query={query}
          empty={
            <EmptyState icon="key" title={t('build.app-secrets.the-app-has-no-secret')}>
              {t('build.app-secrets.without-one-it-can-exchange-codes')}
            </EmptyState>
          }
        >
          {({ secrets }) => (
            <DataTable
              label={t('build.app-secrets.client-secrets')}
              rows={secrets}
              columns={columnsOf(app)}
              miw={480}
            />
          )}
        </QueryResult>
      </Section>
      <RotationAdvice />
      {adding && <SecretForm app={app} onSecret={setCreated} onClose={() => setAdding(false)} />}
      <SecretDialog title={t('build.app-secrets.the-new-secret')}>
        {created !== undefined && (
          <NewSecret
            client_id={app.client_id}
            client_secret={created}
            next_label={t('common.done')}
            onNext={() => setCreated(undefined)}
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

const Beside = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

const columnsOf = (app: MyApp): Column<Secret>[] => [
  {
    head: t('common.secret'),
    cell: ({ name, hint }) => (
      <>
        {name !== null && <bdi className="user-content">{name} </bdi>}
        <Code>…{hint}</Code>
      </>
    ),
  },
  {
    head: t('build.secret-form.permissions'),
    cell: ({ permissions, allowed_addresses }) => (
      <>
        {permissions.length === secret_permission_names.length
          ? t('common.all')
          : permissions.map((name) => (
              <Code key={name} mr={4}>
                {name}
              </Code>
            ))}
        {allowed_addresses.length > 0 && (
          <Beside>{t('build.app-secrets.only-from', { networks: allowed_addresses.join(', ') })}</Beside>
        )}
      </>
    ),
  },
  {
    head: t('build.app-secrets.added'),
    cell: ({ inserted_at, maker_username }) => (
      <>
        <RelativeTime at={inserted_at} />
        {maker_username !== null && <Beside>{t('build.app-secrets.by', { name: maker_username })}</Beside>}
      </>
    ),
  },
  { head: t('common.expires'), cell: ({ expires_at }) => <End at={expires_at} /> },
  {
    head: t('common.last-used'),
    cell: ({ last_used_at, last_address }) => (
      <>
        {last_used_at ? <RelativeTime at={last_used_at} /> : <Unused />}
        {last_address !== null && <Beside>{t('build.app-secrets.from', { address: last_address })}</Beside>}
      </>
    ),
  },
  {
    head: t('build.app-secrets.what-can-be-done'),
    head_hidden: true,
    ta: 'right',
    cell: (secret) => <Deletion app={app} secret={secret} />,
  },
]

function End({ at }: { at: string | null }) {
  const is_over = useTicking(() => at !== null && Date.parse(at) <= Date.now())
  return is_over ? <Badge color="red">{t('common.expired')}</Badge> : <RelativeTime at={at} />
}

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
