import { Button, Group, Kbd, Text, Textarea, type TextareaProps } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import { t } from '../../texts.ts'

function submitWithCtrlEnter({ key, ctrlKey, metaKey, currentTarget }: KeyboardEvent<HTMLTextAreaElement>) {
  if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.form?.requestSubmit()
}

/** The field of a reason, which Ctrl and Enter submit. */
export const ReasonField = (props: TextareaProps) => (
  <Textarea label={t('common.reason')} autosize minRows={2} maxRows={10} {...props} onKeyDown={submitWithCtrlEnter} />
)

interface DecisionButtonsProps {
  action: string
  busy: boolean
  danger?: boolean
  disabled?: boolean
  onClose: () => void
}

/** The end of a dialog with a reason: cancel and decide, and the keys that decide. */
export const DecisionButtons = ({ action, busy, danger = false, disabled = false, onClose }: DecisionButtonsProps) => (
  <Group justify="space-between" gap="xs">
    <Text size="xs" c="dimmed" visibleFrom="sm">
      <Kbd size="xs">{t('ui.shortcuts-dialog.ctrl')}</Kbd> + <Kbd size="xs">{t('ui.shortcuts-dialog.enter')}</Kbd>
    </Text>
    <Group gap="xs" ml="auto">
      <Button variant="default" onClick={onClose}>
        {t('common.cancel')}
      </Button>
      <Button type="submit" loading={busy} disabled={disabled} {...(danger && { color: 'red' })}>
        {action}
      </Button>
    </Group>
  </Group>
)
