import { Kbd, Switch, Text } from '@mantine/core'
import { Fragment } from 'react'
import { spaces } from '../page.ts'
import { Modal } from './guarded-dialogs.tsx'
import { setSingleKeys, space_keys, useSingleKeys } from './shortcuts.ts'
import { spacesFor } from './spaces.ts'
import classes from './table.module.css'
import { t } from '../texts.ts'

const on_apple = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface DialogProps {
  opened: boolean
  user: { is_admin: boolean } | undefined
  onClose: () => void
}

/** The list of all shortcuts, opened with `?`. */
export default function ShortcutsDialog({ opened, user, onClose }: DialogProps) {
  const single_keys = useSingleKeys()
  const shortcuts: [keys: string[], what: string][] = [
    [[on_apple ? '⌘' : t('ui.shortcuts-dialog.ctrl'), 'K'], t('ui.shortcuts-dialog.go-to-a-page-an-app')],
    [['?'], t('ui.shortcuts-dialog.show-this-list')],
    ...(user
      ? spacesFor(user).map((space): [string[], string] => [
          ['G', space_keys[space].toUpperCase()],
          t('ui.shortcuts-dialog.go-to-the-space', { label: t(spaces[space].label) }),
        ])
      : []),
    [[t('ui.shortcuts-dialog.esc')], t('ui.shortcuts-dialog.close-what-is-open-on-top')],
    [[t('ui.shortcuts-dialog.enter')], t('ui.shortcuts-dialog.in-the-chat-send')],
    [[t('ui.shortcuts-dialog.shift'), t('ui.shortcuts-dialog.enter')], t('ui.shortcuts-dialog.in-the-chat-a-new-line')],
  ]
  return (
    <Modal opened={opened} onClose={onClose} title={t('common.shortcuts')}>
      <table className={classes.table}>
        <tbody>
          {shortcuts.map(([keys, what]) => (
            <tr key={what}>
              <th scope="row" className={classes.keys}>
                {keys.map((key, at) => (
                  <Fragment key={key}>
                    {at > 0 && ' '}
                    <Kbd>{key}</Kbd>
                  </Fragment>
                ))}
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Switch
        mt="md"
        label={t('ui.shortcuts-dialog.shortcuts-of-single-keys')}
        description={t('ui.shortcuts-dialog.switch-them-off-if-keys-are')}
        checked={single_keys}
        onChange={(event) => setSingleKeys(event.currentTarget.checked)}
      />
      <Text size="xs" c="dimmed" mt="xs">
        {t('ui.shortcuts-dialog.this-is-kept-on-this-device')}
      </Text>
    </Modal>
  )
}
