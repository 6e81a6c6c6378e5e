import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { download } from '../../ui/download.ts'
import { Icon } from '../../ui/icon.tsx'
import classes from './build.module.css'

interface NewSecretProps {
  client_id: string
  client_secret: string
  next_label: string
  onNext: () => void
}

const envFile = (client_id: string, client_secret: string) =>
  `PLAZA_URL=${location.origin}\nCLIENT_ID=${client_id}\nCLIENT_SECRET=${client_secret}\n`

/** Shows a client secret once. Leaving asks for confirmation until the user has confirmed that it is saved. */
export function NewSecret({ client_id, client_secret, next_label, onNext }: NewSecretProps) {
  const [saved, setSaved] = useState(false)
  const blocker = useBlocker({ shouldBlockFn: () => !saved, enableBeforeUnload: () => !saved, withResolver: true })
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title="Save the secret now">
        It is shown this once: Plaza keeps only a hash of it. If it is lost, add another secret and delete this one.
      </Alert>
      <Shown label="Client id" value={client_id} />
      <Shown label="Client secret" value={client_secret} />
      <Group justify="space-between" align="center">
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          onClick={() => download('plaza.env', envFile(client_id, client_secret))}
        >
          Download as .env
        </Button>
        <Group>
          <Checkbox
            label="I have saved the secret"
            checked={saved}
            onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
          />
          <Button disabled={!saved} onClick={onNext}>
            {next_label}
          </Button>
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        The secret belongs on your server and nowhere else: not in a page, a phone app or a repository.
      </Text>
      <Confirm
        opened={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title="Leave without the secret?"
        action="Leave"
        onConfirm={() => blocker.proceed?.()}
      >
        You have not said that it is saved, and it cannot be shown again.
      </Confirm>
    </Stack>
  )
}

const Shown = ({ label, value }: { label: string; value: string }) => (
  <div>
    <Text size="sm" fw={500} mb={4}>
      {label}
    </Text>
    <Group gap="xs" wrap="nowrap" align="center">
      <Code block className={classes.word} tabIndex={0} aria-label={label} role="textbox" aria-readonly="true">
        {value}
      </Code>
      <CopyButton text={value} what={`the ${label.toLowerCase()}`} />
    </Group>
  </div>
)
