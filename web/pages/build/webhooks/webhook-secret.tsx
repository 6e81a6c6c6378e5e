import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import classes from '../build.module.css'
import { t } from '../../../texts.ts'

/** Shows a webhook's secret once. */
export function WebhookSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [saved, setSaved] = useState(false)
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title={t('common.save-the-secret-now')}>
        {t('build.webhook-secret.it-is-shown-this-once-if')}
      </Alert>
      <Group gap="xs" wrap="nowrap" align="center">
        <Code
          block
          className={classes.word}
          tabIndex={0}
          aria-label={t('common.secret')}
          role="textbox"
          aria-readonly="true"
        >
          {secret}
        </Code>
        <CopyButton text={secret} what={t('build.webhook-secret.the-secret')} />
      </Group>
      <Text size="sm" c="dimmed">
        {t('build.webhook-secret.any-verifier-of-standard-webhooks-takes')}
      </Text>
      <Group justify="flex-end">
        <Checkbox
          label={t('common.i-have-saved-the-secret')}
          checked={saved}
          onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
        />
        <Button disabled={!saved} onClick={onDone}>
          {t('common.done')}
        </Button>
      </Group>
    </Stack>
  )
}
