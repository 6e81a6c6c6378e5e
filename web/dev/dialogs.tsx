import { Button, Group, Switch, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { readNotices } from '../../contract/notice-reads.ts'
import { ConfirmButton } from '../ui/confirm-call.tsx'
import { Confirm, useConfirmation } from '../ui/confirm.tsx'
import { Drawer, Modal } from '../ui/dialog.tsx'
import Palette from '../ui/palette.tsx'
import ShortcutsDialog from '../ui/shortcuts-dialog.tsx'
import { confirmLeavePage, useUnsaved } from '../ui/unsaved.ts'
import { nothing, refusals, row, type Parts } from './part.tsx'

interface Opened {
  opened: boolean
  onClose: () => void
}

/** A button that opens a dialog. */
function Opening({ name, children }: { name: string; children: (dialog: Opened) => ReactNode }) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {name}
      </Button>
      {children({ opened, onClose: () => setOpened(false) })}
    </>
  )
}

const question = { title: 'Delete the app?', action: 'Delete' }

export const dialogs: Parts = {
  'confirm-dialog.tsx': row(
    <Opening name="A question">
      {({ opened, onClose }) => (
        <Confirm {...question} opened={opened} onClose={onClose} onConfirm={onClose}>
          Its tokens end at once.
        </Confirm>
      )}
    </Opening>,
    <Opening name="Busy">
      {({ opened, onClose }) => (
        <Confirm {...question} opened={opened} onClose={onClose} onConfirm={onClose} busy={opened}>
          It cannot be closed while the call is in flight. Reload the page.
        </Confirm>
      )}
    </Opening>,
    <Refused />,
  ),
  'confirm.tsx': <Asked />,
  'confirm-call.tsx': (
    <ConfirmButton
      label="Mark all notices as read"
      endpoint={readNotices}
      input={{}}
      invalidates={[]}
      title="Mark all as read?"
      action="Mark them"
    >
      It cannot be undone.
    </ConfirmButton>
  ),
  'dialog.tsx': row(
    <Opening name="A dialog">
      {(dialog) => (
        <Modal {...dialog} title="Rename the app">
          <TextInput label="Name" data-autofocus />
        </Modal>
      )}
    </Opening>,
    <Opening name="With unsaved input">
      {(dialog) => (
        <Modal {...dialog} dirty title="Rename the app">
          <TextInput label="Name" defaultValue="Not saved yet" data-autofocus />
        </Modal>
      )}
    </Opening>,
    <Opening name="At the side">
      {(dialog) => (
        <Drawer {...dialog} position="right" title="A payment">
          Content
        </Drawer>
      )}
    </Opening>,
  ),
  'leave-dialog.tsx': <Leaving />,
  'shortcuts-dialog.tsx': row(
    <Opening name="Of a visitor">{(dialog) => <ShortcutsDialog {...dialog} user={undefined} />}</Opening>,
    <Opening name="Of an admin">{(dialog) => <ShortcutsDialog {...dialog} user={{ is_admin: true }} />}</Opening>,
  ),
  'palette.tsx': <OpenPalette />,
}

/** The error follows the opening. */
function Refused() {
  const [error, setError] = useState<unknown>()
  return (
    <Opening name="Refused when confirmed">
      {({ opened, onClose }) => (
        <Confirm
          {...question}
          opened={opened}
          onClose={onClose}
          onConfirm={() => setError(refusals.conflict)}
          error={error}
        >
          Its tokens end at once.
        </Confirm>
      )}
    </Opening>
  )
}

function Asked() {
  const { ask, question: asked } = useConfirmation()
  const [answer, setAnswer] = useState<boolean>()
  return (
    <Group>
      <Button variant="default" onClick={() => void ask().then(setAnswer)}>
        Ask
      </Button>
      {answer !== undefined && (answer ? 'Confirmed' : 'Cancelled')}
      <Confirm {...question} {...asked}>
        The answer appears beside the button.
      </Confirm>
    </Group>
  )
}

/** The root of the page shows the dialog. */
function Leaving() {
  const [unsaved, setUnsaved] = useState(false)
  useUnsaved(unsaved)
  return (
    <Group>
      <Switch
        label="Unsaved changes"
        checked={unsaved}
        onChange={({ currentTarget }) => setUnsaved(currentTarget.checked)}
      />
      <Button variant="default" onClick={() => void confirmLeavePage()}>
        Leave
      </Button>
    </Group>
  )
}

function OpenPalette() {
  const [times, setTimes] = useState(0)
  return (
    <Group>
      <Button variant="default" onClick={() => setTimes(times + 1)}>
        Open
      </Button>
      {times > 0 && <Palette opened={times} onShortcuts={nothing} />}
    </Group>
  )
}
