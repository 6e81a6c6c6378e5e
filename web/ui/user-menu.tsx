import { Button, Menu, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useSignOut } from '../session/sign-out.ts'
import { Icon } from './icon.tsx'

/** The menu of the signed-in user: account and sign-out. */
export function UserMenu({ username }: { username: string }) {
  const router = useRouter()
  const leave = useSignOut()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
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
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Icon name="user" size={16} />}
          onClick={() => void router.navigate({ to: '/account' })}
        >
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="out" size={16} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
