import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { comeBack, ownSession } from './acting.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import classes from './banner.module.css'
import { confirmSignOut } from '../../ui/unsaved.ts'
import { switchTo, useTestPersons } from './test-persons.ts'
import { t } from '../../texts.ts'

const look = { size: 'compact-xs', variant: 'default' } as const

const comeBackIfSaved = async () => {
  if (await confirmSignOut()) comeBack()
}

/** In the banner of a sandbox: the current person, a menu of the user's test persons, and the way back. */
export function PersonSwitch({ username }: { username: string }) {
  const own = ownSession()
  return (
    <>
      <ActionMenu
        button={
          <Button
            {...look}
            miw={0}
            rightSection={<Icon name="down" size={12} />}
            aria-label={t('sandbox.person-switch.seen-as-change', { username })}
          >
            <span className={classes.name}>{t('sandbox.person-switch.as', { username })}</span>
          </Button>
        }
      >
        <People username={username} />
      </ActionMenu>
      {own && (
        <Button
          {...look}
          flex="none"
          onClick={() => void comeBackIfSaved()}
          aria-label={t('common.back-to', { username: own.user.username })}
        >
          <span className={classes.name}>{t('common.back-to', { username: own.user.username })}</span>
        </Button>
      )}
    </>
  )
}

/** Everybody except the current person. */
function People({ username }: { username: string }) {
  const router = useRouter()
  // That page shows the reason of the failure.
  const openPage = () => void router.navigate({ to: '/sandbox/persons' })
  const { data } = useTestPersons()
  const own = ownSession()
  const others = (data?.persons ?? []).filter((person) => person.username !== username)
  return (
    <>
      {own && (
        <MenuItem icon="left" onClick={() => void comeBackIfSaved()}>
          {t('common.back-to', { username: own.user.username })}
        </MenuItem>
      )}
      {others.map((person) => (
        <MenuItem key={person.id} icon="user" onClick={() => void switchTo(person).catch(openPage)}>
          {t('sandbox.person-switch.as', { username: person.username })}
        </MenuItem>
      ))}
      <MenuItem icon="users" onClick={openPage}>
        {t('common.test-persons')}
      </MenuItem>
    </>
  )
}
