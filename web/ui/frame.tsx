import './mantine.css'
import '@mantine/notifications/styles.css'
import { Badge, Box, Container, NavLink, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNotifications, type NotificationsProps } from '@mantine/notifications'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, useState, type FocusEvent, type ReactNode } from 'react'
import { useUnreadMessages } from '../api/conversations.ts'
import { unreadText } from '../api/unread-notices.ts'
import type { Space } from '../page.ts'
import { hasPage } from '../settings.ts'
import type { StaticPage } from '../static-pages.ts'
import { AdminSecondFactor } from './admin-second-factor.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { Header } from './header.tsx'
import { Icon, type IconName } from './icon.tsx'
import { keepFocusOnce, takeKeptFocus } from './keep-focus.ts'
import { lazyComponent, OnDemand } from './lazy-component.tsx'
import { InboxLink } from './inbox-link.tsx'
import { Link } from './link.tsx'
import { UserMenu } from './user-menu.tsx'
import { WaitingCount } from './waiting-count.tsx'
import { OfflineBanner } from './offline-banner.tsx'
import { useUnreadTitle } from './tab-title.ts'
import { scrollToElement } from './scroll-to-element.ts'
import { HeaderSpaces, NavigationSpaces } from './space-switch.tsx'
import { areasOf, entryOf, spaceOf } from './spaces.ts'
import classes from './frame.module.css'
import { t } from '../texts.ts'
import { area_names } from '../page.ts'

/** The layout of every page of a signed-in user: header with the switch between spaces, navigation of the page's space, notifications. */
export default function Frame({
  user,
  onSearch,
  onShortcuts,
  children,
}: {
  user: { username: string; is_admin: boolean; totp_enabled: boolean }
  onSearch: () => void
  onShortcuts: () => void
  children: ReactNode
}) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const space = spaceOf(path)
  useUnreadTitle(useUnreadMessages())
  const { opened, toggle, onBlur } = usePhoneNavigation(path, space)
  useEffect(() => {
    scrollToElement(document.querySelector(`#${navigation_id} .${classes.entry}[aria-current=page]`))
  }, [path])
  return (
    <div className={classes.frame}>
      <LazyNotifications />
      <header className={classes.header}>
        <Header
          onSearch={onSearch}
          burger={{ opened, toggle, controls: navigation_id }}
          spaces={<HeaderSpaces user={user} here={space} />}
        >
          <InboxLink />
          <UserMenu user={user} onShortcuts={onShortcuts} />
        </Header>
      </header>
      <Box
        component="nav"
        id={navigation_id}
        className={classes.navbar}
        data-opened={opened || undefined}
        aria-label={t('ui.frame.pages')}
        onBlur={onBlur}
      >
        <div className={classes.pages}>
          <NavigationSpaces user={user} here={space} onSwitch={() => opened && keepFocusOnce()} />
          <Navigation space={space} user={user} path={path} />
        </div>
      </Box>
      <main id="content" tabIndex={-1} className={classes.main}>
        <OfflineBanner />
        <Container size={1160} px={{ base: 'md', sm: 'xl' }} py={{ base: 'lg', sm: 'xl' }}>
          {space === 'admin' && user.is_admin && !user.totp_enabled && <AdminSecondFactor />}
          {children}
        </Container>
      </main>
      <BottomBar />
    </div>
  )
}

const Notifications = lazyComponent<NotificationsProps>(() => import('./notifications.tsx'))

/** Loaded with the first notification. */
function LazyNotifications() {
  const [used, setUsed] = useState(false)
  const { notifications } = useNotifications()
  if (notifications.length > 0 && !used) setUsed(true)
  // At the bottom they would cover inputs, submit buttons and decision bars.
  return <OnDemand>{used && <Notifications position="top-center" />}</OnDemand>
}

const navigation_id = 'pages'

const burger = () => document.querySelector<HTMLElement>(`[aria-controls=${navigation_id}]`)

/**
 * The navigation on phones. It gets the focus when opened, and closes on Escape, on losing the focus, and on
 * navigation, except to another space, whose navigation it then shows.
 */
function usePhoneNavigation(path: string, space: Space) {
  const [opened, { toggle, close }] = useDisclosure()
  const space_before = useRef(space)
  useEffect(() => {
    if (space_before.current === space) close()
    space_before.current = space
  }, [path, space, close])
  useEffect(() => {
    if (!opened) return undefined
    document.querySelector<HTMLElement>(`#${navigation_id} .${classes.entry}`)?.focus()
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      close()
      burger()?.focus()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [opened, close])
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (!relatedTarget || currentTarget.contains(relatedTarget) || relatedTarget === burger()) return
    takeKeptFocus()
    close()
  }
  return { opened, toggle, onBlur }
}

const Navigation = ({ space, user, path }: { space: Space; user: { is_admin: boolean }; path: string }) => {
  const here = entryOf(path)
  return (
    <>
      {areasOf(space, user, hasPage).map(({ area, pages }) => (
        <NavigationArea key={area} name={t(area_names[area])}>
          {pages.map((page) => (
            <Entry key={page.path} page={page} active={page === here} />
          ))}
        </NavigationArea>
      ))}
      <NavigationArea name={t('common.documentation')}>
        <DocumentEntry href="/docs" label={t('ui.frame.guides')} icon="book" />
        <DocumentEntry href="/docs/reference" label={t('ui.frame.api-reference')} icon="scroll" />
      </NavigationArea>
    </>
  )
}

const NavigationArea = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box mb="sm">
    <Text size="xs" fw={600} c="dimmed" px="sm" py={4}>
      {name}
    </Text>
    {children}
  </Box>
)

/** The pages of the documentation are separate documents. */
const DocumentEntry = ({ href, label, icon }: { href: string; label: string; icon: IconName }) => (
  <NavLink component="a" href={href} label={label} leftSection={<Icon name={icon} />} className={classes.entry} />
)

function UnreadMessages() {
  const count = useUnreadMessages()
  const shown = unreadText(count)
  return (
    shown && (
      <Badge size="sm" aria-label={t('ui.frame.unread-messages', { count, shown })}>
        {shown}
      </Badge>
    )
  )
}

const Entry = ({ page: { path, title, nav }, active }: { page: StaticPage; active: boolean }) => (
  <NavLink
    component={Link}
    to={path}
    underline="never"
    active={active}
    // By default the router also marks links to parent paths as active.
    activeOptions={{ exact: true, includeSearch: false }}
    aria-current={active ? 'page' : undefined}
    label={t(nav?.label ?? title)}
    leftSection={nav && <Icon name={nav.icon} />}
    rightSection={path === '/chat' ? <UnreadMessages /> : nav?.area === 'Decisions' && <WaitingCount path={path} />}
    className={classes.entry}
  />
)
