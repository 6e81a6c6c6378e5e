import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useDialog } from './dialog-stack.ts'
import { FailureNote } from './failure-note.tsx'
import { t } from '../texts.ts'

interface ConfirmProps {
  opened: boolean
  onClose: () => void
  title: ReactNode
  /** The consequences, and whether they can be undone. */
  children: ReactNode
  /** The label of the confirm button: a verb. */
  action: string
  /** The label of the cancel button. */
  cancel?: string
  /** The colour of the confirm button: red by default. */
  color?: string
  onConfirm: () => void
  /** While the call is in flight the dialog cannot be closed: it shows the result. */
  busy?: boolean
  error?: unknown
}

export default function ConfirmDialog(props: ConfirmProps) {
  const {
    opened,
    onClose,
    title,
    children,
    action,
    cancel = t('common.cancel'),
    color = 'red',
    onConfirm,
    busy = false,
    error,
  } = props
  const current_error = useErrorSinceOpened(opened, error)
  const close = () => {
    if (!busy) onClose()
  }
  useDialog(opened, close)
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      closeOnEscape={false}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': t('common.close'), disabled: busy }}
    >
      <Stack>
        <div>{children}</div>
        <FailureNote error={current_error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>
            {cancel}
          </Button>
          <Button color={color} onClick={onConfirm} loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** The error, unless it is older than the opening of the dialog and so belongs to an earlier attempt. */
function useErrorSinceOpened(opened: boolean, error: unknown) {
  const [seen, setSeen] = useState({ opened, error })
  if (seen.opened !== opened) setSeen({ opened, error })
  return error === seen.error ? undefined : error
}
