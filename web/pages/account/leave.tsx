import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { me } from '../../../contract/accounts.ts'
import { decisions } from '../../../contract/decisions.ts'
import { deleteAccount, exportAccount, getLeaving } from '../../../contract/leaving.ts'
import type { AnswerOf } from '../../api/call.ts'
import { downloadFile } from '../../api/download-file.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useContractForm } from '../../forms/contract-form.ts'
import { endSession } from '../../session/session.ts'
import { Modal } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber, formatPoints } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { notify } from '../../ui/notify.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { no_proof, ProofFields, showProofError } from './proof-fields.tsx'

type Leaving = AnswerOf<typeof getLeaving>
const { name_reserved_days } = decisions['D-106'].value

export default function Leave() {
  const leaving = useApiQuery(getLeaving, {})
  const profile = useApiQuery(me, {})
  return (
    <>
      <PageHead title="Leave Plaza" about="Take everything along that is stored about you, or delete your account." />
      <Stack gap="lg" maw={760}>
        <Section
          title="Take everything along"
          about="One file with all that Plaza stores about you: movements, messages, apps and more. It holds no password and no key."
        >
          <TakeAlong />
        </Section>
        <Section title="Delete your account">
          <QueryResult query={leaving} rows={6}>
            {(lost) => (
              <QueryResult query={profile}>
                {({ user }) => <DeleteAccount lost={lost} with_code={user.totp_enabled} />}
              </QueryResult>
            )}
          </QueryResult>
        </Section>
      </Stack>
    </>
  )
}

function TakeAlong() {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const save = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      await downloadFile(exportAccount, {}, `plaza-account-${new Date().toISOString().slice(0, 10)}.json`)
      notify('The file is saved.')
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Stack align="flex-start">
      <FailureNote error={failure} />
      <Button
        variant="default"
        leftSection={<Icon name="download" size={15} />}
        onClick={() => void save()}
        loading={busy}
      >
        Download everything as JSON
      </Button>
    </Stack>
  )
}

const people = (count: number) =>
  count === 1 ? '1 person depends on it' : `${formatNumber(count)} people depend on it`

/** What is lost, one sentence each. */
function Losses({ lost }: { lost: Leaving }) {
  return (
    <List spacing="xs" size="sm">
      <List.Item>
        {lost.points > 0 ? (
          <>
            <strong>{formatPoints(lost.points)}</strong> on your account are lost.
          </>
        ) : (
          'You have no points to lose.'
        )}
      </List.Item>
      {lost.apps.map(({ id, app_name, people: count, points }) => (
        <List.Item key={id}>
          Your app <strong className="user-content">{app_name}</strong> is withdrawn: {people(count)}.
          {points > 0 && ` It has earned ${formatPoints(points)}, which are lost.`}
        </List.Item>
      ))}
      {lost.deployments.map(({ id, subdomain }) => (
        <List.Item key={id}>
          Your deployment <strong className="user-content">{subdomain}</strong> is destroyed.
        </List.Item>
      ))}
      {lost.connected_apps > 0 && (
        <List.Item>Connected apps lose their access: {formatNumber(lost.connected_apps)}.</List.Item>
      )}
      {lost.friends > 0 && <List.Item>You are no longer among your friends: {formatNumber(lost.friends)}.</List.Item>}
    </List>
  )
}

function DeleteAccount({ lost, with_code }: { lost: Leaving; with_code: boolean }) {
  const [opened, { open, close }] = useDisclosure()
  if (lost.is_last_admin)
    return (
      <Alert icon={<Icon name="shield" />}>
        You are the last admin of this Plaza, so you cannot leave. Make another person an admin first.
      </Alert>
    )
  return (
    <Stack align="flex-start">
      <Text size="sm">This cannot be undone. With your account:</Text>
      <Losses lost={lost} />
      <WhatStays days={name_reserved_days} />
      <Button color="red" variant="outline" onClick={open}>
        Delete my account…
      </Button>
      <Modal opened={opened} onClose={close} title="Delete your account for good">
        <DeleteForm lost={lost} with_code={with_code} onClose={close} />
      </Modal>
    </Stack>
  )
}

const WhatStays = ({ days }: { days: number }) => (
  <Text size="sm" c="dimmed">
    Your name, address and words are erased within minutes. What stays is what others need: that points moved, without
    your name, and the places of your messages in chats. Nobody else gets your name for {days} days. Backups hold your
    account until they are replaced.
  </Text>
)

function DeleteForm({ lost, with_code, onClose }: { lost: Leaving; with_code: boolean; onClose: () => void }) {
  const router = useRouter()
  const { form, field, props, busy, failure } = useContractForm(deleteAccount, {
    ignore_unsaved: true,
    initial: { ...no_proof },
    onDone: async () => {
      await router.navigate({ to: '/goodbye' })
      endSession()
    },
    onError: (error): boolean => showProofError(error, form),
  })
  return (
    <form {...props}>
      <Stack>
        <Losses lost={lost} />
        <Text size="sm">
          Nobody can bring the account back, not even an admin. Backups hold it until they are replaced.
        </Text>
        <FailureNote error={failure} />
        <ProofFields field={field} with_code={with_code} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep my account
          </Button>
          <Button type="submit" color="red" loading={busy}>
            Delete it for good
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
