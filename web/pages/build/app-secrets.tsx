import { Badge, Button, Code, List, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { createSecret, deleteSecret, listSecrets } from '../../../contract/oauth-apps.ts'
import { decisions } from '../../../contract/decisions.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import type { MyApp } from './access.ts'
import { NewSecret } from './new-secret.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Secret = AnswerOf<typeof listSecrets>['secrets'][number]

const { secrets_max } = decisions.client_secrets

/** The client secrets of an app, with their last use: add one, delete old ones. */
export function AppSecrets({ app }: { app: MyApp }) {
  const query = useApiQuery(listSecrets, { params: { id: app.id } })
  const [created, setCreated] = useState<string>()
  const [deleting, setDeleting] = useState<Secret>()
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
            {({ secrets }) => <SecretTable secrets={secrets} onDelete={setDeleting} />}
          </QueryResult>
        </Stack>
      </Section>
      <RotationAdvice />
      <Modal
        opened={created !== undefined}
        onClose={() => {}}
        withCloseButton={false}
        closeOnClickOutside={false}
        closeOnEscape={false}
        size="lg"
        title={t('build.app-secrets.the-new-secret')}
      >
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
      </Modal>
      {deleting && <Deletion app={app} secret={deleting} onClose={() => setDeleting(undefined)} />}
    </Stack>
  )
}

function Deletion({ app, secret, onClose }: { app: MyApp; secret: Secret; onClose: () => void }) {
  const remove = useApiMutation(deleteSecret, {
    invalidates: [listSecrets],
    onDone: () => {
      onClose()
      notify(t('build.app-secrets.the-secret-ending-in-is-deleted', { hint: secret.hint }))
    },
  })
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t('build.app-secrets.delete-the-secret-ending-in', { hint: secret.hint })}
      action={t('common.delete')}
      onConfirm={() => remove.mutate({ params: { id: app.id, secret_id: secret.id } })}
      busy={remove.isPending}
      error={remove.error}
    >
      <Text size="sm">
        <RichText
          k="build.app-secrets.it-stops-working-at-once-last"
          last_used_at={Boolean(secret.last_used_at)}
          bold={
            <b>{secret.last_used_at ? <RelativeTime at={secret.last_used_at} /> : t('build.app-secrets.never-used')}</b>
          }
        />
      </Text>
    </Confirm>
  )
}

const SecretTable = ({ secrets, onDelete }: { secrets: Secret[]; onDelete: (secret: Secret) => void }) =>
  secrets.length === 0 ? (
    <EmptyState icon="key" title={t('build.app-secrets.the-app-has-no-secret')}>
      {t('build.app-secrets.without-one-it-can-exchange-codes')}
    </EmptyState>
  ) : (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('build.app-secrets.client-secrets')}>
      <Table miw={480}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('common.secret')}</Table.Th>
            <Table.Th>{t('build.app-secrets.added')}</Table.Th>
            <Table.Th>{t('build.app-secrets.last-used')}</Table.Th>
            <Table.Th aria-label={t('build.app-secrets.what-can-be-done')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {secrets.map((secret) => (
            <Table.Tr key={secret.id}>
              <Table.Td>
                <Code>…{secret.hint}</Code>
              </Table.Td>
              <Table.Td>
                <RelativeTime at={secret.inserted_at} />
              </Table.Td>
              <Table.Td>{secret.last_used_at ? <RelativeTime at={secret.last_used_at} /> : <Unused />}</Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  onClick={() => onDelete(secret)}
                  aria-label={t('build.app-secrets.delete-the-secret-ending-in-2', { hint: secret.hint })}
                >
                  {t('common.delete')}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )

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
