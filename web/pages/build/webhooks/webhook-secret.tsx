import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import classes from '../build.module.css'

/** Shows a webhook's secret once. */
export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [saved, setSaved] = useState(false)
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title="Save the secret now">
        It is shown this once. If it is lost, make a new one: the requests are signed with both for a day.
      </Alert>
      <Group gap="xs" wrap="nowrap" align="center">
        <Code block className={classes.word} tabIndex={0} aria-label="Secret" role="textbox" aria-readonly="true">
          {secret}
        </Code>
        <CopyButton text={secret} what="the secret" />
      </Group>
      <Text size="sm" c="dimmed">
        Any verifier of Standard Webhooks takes it as it is. Check the signature of every request before you act on it.
      </Text>
      <Group justify="flex-end">
        <Checkbox
          label="I have saved the secret"
          checked={saved}
          onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
        />
        <Button disabled={!saved} onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
