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

type Secret = AnswerOf<typeof listSecrets>['secrets'][number]

const { secrets_max } = decisions['D-39'].value

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
        title="Client secrets"
        about={`An app may have up to ${secrets_max} at once, so that one can be replaced while the other still works.`}
        actions={
          <Button onClick={() => add.mutate({ params: { id: app.id } })} loading={add.isPending}>
            Add a secret
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
        title="The new secret"
      >
        {created !== undefined && (
          <NewSecret
            client_id={app.client_id}
            client_secret={created}
            next_label="Done"
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
      notify(`The secret ending in ${secret.hint} is deleted.`)
    },
  })
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`Delete the secret ending in ${secret.hint}?`}
      action="Delete"
      onConfirm={() => remove.mutate({ params: { id: app.id, secret_id: secret.id } })}
      busy={remove.isPending}
      error={remove.error}
    >
      <Text size="sm">
        It stops working at once. {secret.last_used_at ? 'It was last used ' : 'It was '}
        <b>{secret.last_used_at ? <RelativeTime at={secret.last_used_at} /> : 'never used'}</b>: whatever still has it
        cannot exchange codes or refresh tokens any more.
      </Text>
    </Confirm>
  )
}

const SecretTable = ({ secrets, onDelete }: { secrets: Secret[]; onDelete: (secret: Secret) => void }) =>
  secrets.length === 0 ? (
    <EmptyState icon="key" title="The app has no secret">
      Without one it can exchange codes with PKCE, but not refresh its tokens.
    </EmptyState>
  ) : (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Client secrets">
      <Table miw={480}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Secret</Table.Th>
            <Table.Th>Added</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th aria-label="What can be done" />
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
                  aria-label={`Delete the secret ending in ${secret.hint}`}
                >
                  Delete
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )

const Unused = () => <Badge color="gray">never used</Badge>

const RotationAdvice = () => (
  <Section title="Replacing a secret without downtime">
    <List type="ordered" size="sm" spacing={4}>
      <List.Item>Add a secret and put it where your server reads the old one.</List.Item>
      <List.Item>Restart your server and wait until the new secret shows a last use here.</List.Item>
      <List.Item>Wait until the old one shows no new use, then delete it.</List.Item>
    </List>
    <Text size="sm" c="dimmed" mt="sm">
      Do this now and then, and at once when a secret was seen by somebody: in a log, a screenshot, a repository. In
      that case delete the old one first.
    </Text>
  </Section>
)
