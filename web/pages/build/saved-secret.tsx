import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import classes from './build.module.css'
import { t } from '../../texts.ts'

interface SavedSecretProps {
  /** The reason to save it now. */
  about: string
  /** The secret and related values, by their labels. */
  values: Record<string, string>
  note: string
  /** Another way to save it. */
  action?: ReactNode
  next_label: string
  onSaved?: (is_saved: boolean) => void
  onNext: () => void
}

/** Shows a secret once; the button continues once the user has confirmed that it is saved. */
export function SavedSecret({ about, values, note, action, next_label, onSaved, onNext }: SavedSecretProps) {
  const [saved, setSaved] = useState(false)
  return (
    <Stack>
      <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title={t('common.save-the-secret-now')}>
        {about}
      </Alert>
      {Object.entries(values).map(([label, value]) => (
        <div key={label}>
          {Object.keys(values).length > 1 && (
            <Text size="sm" fw={500} mb={4}>
              {label}
            </Text>
          )}
          <Group gap="xs" wrap="nowrap" align="center">
            <Code block className={classes.word} tabIndex={0} aria-label={label} role="textbox" aria-readonly="true">
              {value}
            </Code>
            <CopyButton text={value} what={t('build.new-secret.the', { label: label.toLowerCase() })} />
          </Group>
        </div>
      ))}
      <Group justify={action ? 'space-between' : 'flex-end'} align="center">
        {action}
        <Group>
          <Checkbox
            label={t('common.i-have-saved-the-secret')}
            checked={saved}
            onChange={({ currentTarget: { checked } }) => {
              setSaved(checked)
              onSaved?.(checked)
            }}
          />
          <Button disabled={!saved} onClick={onNext}>
            {next_label}
          </Button>
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {note}
      </Text>
    </Stack>
  )
}

/** A dialog with a secret, which only the content can close. */
export const SecretDialog = ({ title, children }: { title: string; children: ReactNode }) => (
  <Modal
    opened={Boolean(children)}
    onClose={() => {}}
    withCloseButton={false}
    closeOnClickOutside={false}
    closeOnEscape={false}
    size="lg"
    title={title}
  >
    {children}
  </Modal>
)
