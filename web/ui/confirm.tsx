import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useDialog } from './dialog-stack.ts'
import { FailureNote } from './failure-note.tsx'

interface ConfirmProps {
  opened: boolean
  onClose: () => void
  title: ReactNode
  /** What will happen, and what cannot be taken back. */
  children: ReactNode
  /** What the button does: a verb. */
  action: string
  /** What the safe button says. */
  cancel?: string
  onConfirm: () => void
  /** While the call is on its way the dialog stays: its answer is shown here. */
  busy?: boolean
  error?: unknown
}

/** Asks once more before something that cannot simply be undone. The safe answer has the focus. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title, children, action, cancel = 'Cancel', onConfirm, busy = false, error } = props
  const news = useErrorSinceOpened(opened, error)
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
        <FailureNote error={news} />
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

/** The error, unless it was there already when the dialog was opened: it belongs to an earlier try. */
function useErrorSinceOpened(opened: boolean, error: unknown) {
  const [seen, setSeen] = useState({ opened, error })
  if (seen.opened !== opened) setSeen({ opened, error })
  return error === seen.error ? undefined : error
}

/** `ask` opens a question and answers what was chosen; give `question` to a `<Confirm>`. */
export function useConfirmation() {
  const [answer, setAnswer] = useState<(yes: boolean) => void>()
  const ask = () => new Promise<boolean>((resolve) => setAnswer(() => resolve))
  const close = (yes: boolean) => () => {
    answer?.(yes)
    setAnswer(undefined)
  }
  return { ask, question: { opened: answer !== undefined, onClose: close(false), onConfirm: close(true) } }
}
