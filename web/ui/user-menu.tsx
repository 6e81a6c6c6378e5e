import { Button, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useSignOut } from '../session/sign-out.ts'
import { Icon } from './icon.tsx'
import { ActionMenu } from './menu.tsx'
import { MenuItem } from './menu-item.tsx'
import { PersonAvatar, type Look } from './person.tsx'
import { chooseLanguage, otherLanguages, useOtherColours } from './preferences.ts'
import { t } from '../texts.ts'

/** The menu of the signed-in user: account, language, colours, documentation, status, shortcuts and sign-out. */
export function UserMenu({ user, onShortcuts }: { user: Look; onShortcuts: () => void }) {
  return (
    <ActionMenu
      button={
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          px="xs"
          aria-label={user.username}
          leftSection={user.picture_url ? <PersonAvatar person={user} size={22} /> : <Icon name="user" size={16} />}
        >
          <Text span size="sm" truncate maw={140} visibleFrom="sm">
            {user.username}
          </Text>
        </Button>
      }
    >
      <Items onShortcuts={onShortcuts} />
    </ActionMenu>
  )
}

function Items({ onShortcuts }: { onShortcuts: () => void }) {
  const router = useRouter()
  const leave = useSignOut()
  const colours = useOtherColours()
  return (
    <>
      <MenuItem icon="user" onClick={() => void router.navigate({ to: '/account' })}>
        {t('common.your-account')}
      </MenuItem>
      {otherLanguages().map(({ code, name }) => (
        <MenuItem key={code} icon="globe" onClick={() => void chooseLanguage(code)}>
          <span lang={code}>{name}</span>
        </MenuItem>
      ))}
      {colours.map(({ scheme, label, icon, choose }) => (
        <MenuItem key={scheme} icon={icon} onClick={choose}>
          {label}
        </MenuItem>
      ))}
      <MenuItem icon="book" onClick={() => location.assign('/docs')}>
        {t('common.documentation')}
      </MenuItem>
      <MenuItem icon="gauge" onClick={() => void router.navigate({ to: '/status' })}>
        {t('common.status')}
      </MenuItem>
      <MenuItem icon="info" onClick={onShortcuts}>
        {t('common.shortcuts')}
      </MenuItem>
      <MenuItem icon="out" onClick={() => void leave()}>
        {t('common.sign-out')}
      </MenuItem>
    </>
  )
}
