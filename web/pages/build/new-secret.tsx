import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { download } from '../../ui/download.ts'
import { Icon } from '../../ui/icon.tsx'
import classes from './build.module.css'
import { t } from '../../texts.ts'

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
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title={t('common.save-the-secret-now')}>
        {t('build.new-secret.it-is-shown-this-once-plaza')}
      </Alert>
      <Shown label={t('common.client-id')} value={client_id} />
      <Shown label={t('common.client-secret')} value={client_secret} />
      <Group justify="space-between" align="center">
        <Button
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          onClick={() => download('plaza.env', envFile(client_id, client_secret))}
        >
          {t('build.new-secret.download-as-env')}
        </Button>
        <Group>
          <Checkbox
            label={t('common.i-have-saved-the-secret')}
            checked={saved}
            onChange={({ currentTarget }) => setSaved(currentTarget.checked)}
          />
          <Button disabled={!saved} onClick={onNext}>
            {next_label}
          </Button>
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {t('build.new-secret.the-secret-belongs-on-your-server')}
      </Text>
      <Confirm
        opened={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title={t('build.new-secret.leave-without-the-secret')}
        action={t('common.leave')}
        onConfirm={() => blocker.proceed?.()}
      >
        {t('build.new-secret.you-have-not-said-that-it')}
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
      <CopyButton text={value} what={t('build.new-secret.the', { label: label.toLowerCase() })} />
    </Group>
  </div>
)
