import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useDialog } from './dialog-stack.ts'
import { FailureNote } from './failure-note.tsx'

interface ConfirmProps {
  opened: boolean
  onClose: () => void
  title: ReactNode
  /** What will happen, and what cannot be undone. */
  children: ReactNode
  /** The label of the confirm button: a verb. */
  action: string
  /** The label of the cancel button. */
  cancel?: string
  onConfirm: () => void
  /** While the call is in flight the dialog cannot be closed: it shows the result. */
  busy?: boolean
  error?: unknown
}

/** Asks for confirmation of an action that cannot simply be undone. The cancel button has the focus. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, cancel = 'Cancel', onConfirm, busy = false, error } = props
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
      closeButtonProps={{ 'aria-label': 'Close', disabled: busy }}
    >
      <Stack>
        <div>{children}</div>
        <FailureNote error={current_error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={busy} data-autofocus>
            {cancel}
          </Button>
          <Button color="red" onClick={onConfirm} loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** The error, unless it is older than the opening of the dialog: then it belongs to an earlier attempt. */
function useErrorSinceOpened(opened: boolean, error: unknown) {
  const [seen, setSeen] = useState({ opened, error })
  if (seen.opened !== opened) setSeen({ opened, error })
  return error === seen.error ? undefined : error
}

/** `ask` opens a `<Confirm>` and resolves with the choice; `question` are its props. */
export function useConfirmation() {
  const [answer, setAnswer] = useState<(yes: boolean) => void>()
  const ask = () => new Promise<boolean>((resolve) => setAnswer(() => resolve))
  const close = (yes: boolean) => () => {
    answer?.(yes)
    setAnswer(undefined)
  }
  return { ask, question: { opened: answer !== undefined, onClose: close(false), onConfirm: close(true) } }
}
