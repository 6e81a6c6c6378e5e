import { Button, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useSignOut } from '../session/sign-out.ts'
import { Icon } from './icon.tsx'
import { ActionMenu } from './menu.tsx'
import { MenuItem } from './menu-item.tsx'
import { t } from '../texts.ts'

/** The menu of the signed-in user: account, shortcuts and sign-out. */
export function UserMenu({ username, onShortcuts }: { username: string; onShortcuts: () => void }) {
  const router = useRouter()
  const leave = useSignOut()
  return (
    <ActionMenu
      button={
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          px="xs"
          aria-label={username}
          leftSection={<Icon name="user" size={16} />}
        >
          <Text span size="sm" truncate maw={140} visibleFrom="sm">
            {username}
          </Text>
        </Button>
      }
    >
      <MenuItem icon="user" onClick={() => void router.navigate({ to: '/account' })}>
        {t('common.your-account')}
      </MenuItem>
      <MenuItem icon="info" onClick={onShortcuts}>
        {t('common.shortcuts')}
      </MenuItem>
      <MenuItem icon="out" onClick={() => void leave()}>
        {t('common.sign-out')}
      </MenuItem>
    </ActionMenu>
  )
}
