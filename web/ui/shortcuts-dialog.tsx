import { Kbd, Switch, Table, Text } from '@mantine/core'
import { Fragment } from 'react'
import { spaces } from '../page.ts'
import { Modal } from './guarded-dialogs.tsx'
import { setSingleKeys, space_keys, useSingleKeys } from './shortcuts.ts'
import { spacesFor } from './spaces.ts'

const on_apple = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface DialogProps {
  opened: boolean
  user: { is_admin: boolean } | undefined
  onClose: () => void
}

/** The list of all shortcuts, which `?` opens. */
export default function ShortcutsDialog({ opened, user, onClose }: DialogProps) {
  const single_keys = useSingleKeys()
  const shortcuts: [keys: string[], what: string][] = [
    [[on_apple ? '⌘' : 'Ctrl', 'K'], 'Go to a page, an app, a person or a payment'],
    [['?'], 'Show this list'],
    ...(user
      ? spacesFor(user).map((space): [string[], string] => [
          ['G', space_keys[space].toUpperCase()],
          `Go to the space ${spaces[space].label}`,
        ])
      : []),
    [['Esc'], 'Close what is open on top'],
    [['Enter'], 'In the chat: send'],
    [['Shift', 'Enter'], 'In the chat: a new line'],
  ]
  return (
    <Modal opened={opened} onClose={onClose} title="Shortcuts">
      <Table>
        <Table.Tbody>
          {shortcuts.map(([keys, what]) => (
            <Table.Tr key={what}>
              <Table.Th scope="row" fw={400} w={130}>
                {keys.map((key, at) => (
                  <Fragment key={key}>
                    {at > 0 && ' '}
                    <Kbd>{key}</Kbd>
                  </Fragment>
                ))}
              </Table.Th>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Switch
        mt="md"
        label="Shortcuts of single keys"
        description="Switch them off if keys are pressed by accident, as speech input may do."
        checked={single_keys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
      <Text size="xs" c="dimmed" mt="xs">
        This is kept on this device.
      </Text>
    </Modal>
  )
}
