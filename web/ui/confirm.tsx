import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FailureNote } from './failure-note.tsx'

interface ConfirmProps {
  opened: boolean
  onClose: () => void
  title: ReactNode
  /** What will happen, and what cannot be taken back. */
  children: ReactNode
  /** What the button does: a verb. */
  action: string
  onConfirm: () => void
  busy?: boolean
  error?: unknown
}

/** Asks once more before something that cannot simply be undone. The safe answer has the focus. */
export const Confirm = ({ opened, onClose, title, children, action, onConfirm, busy, error }: ConfirmProps) => (
  <Modal opened={opened} onClose={onClose} title={title}>
    <Stack>
      <div>{children}</div>
      <FailureNote error={error} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button color="red" onClick={onConfirm} loading={busy ?? false}>
          {action}
        </Button>
      </Group>
    </Stack>
  </Modal>
)
