import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import { AppShell, Box, Container, NavLink, Text, useMatches } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNotifications, type NotificationsProps } from '@mantine/notifications'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useState, type FocusEvent, type ReactNode } from 'react'
import { areas } from '../page.ts'
import { hasPage } from '../settings.ts'
import { staticPages, type StaticPage } from '../static-pages.ts'
import { Header, header_height } from './header.tsx'
import { Icon } from './icon.tsx'
import { lazyComponent, OnDemand } from './lazy-component.tsx'
import { Link } from './link.tsx'
import { UserMenu } from './user-menu.tsx'
import { scrollToElement } from './scroll-to-element.ts'
import classes from './frame.module.css'

/** The navigation's pages for a user. */
const navigationFor = (user: { is_admin: boolean }) =>
  staticPages.filter((page) => page.nav && hasPage(page) && (page.access !== 'admin' || user.is_admin))

/** The layout of every page of a signed-in user: header, navigation, notifications. */
export default function Frame({
  user,
  onSearch,
  children,
}: {
  user: { username: string; is_admin: boolean }
  onSearch: () => void
  children: ReactNode
}) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { opened, toggle, onBlur } = usePhoneNavigation(path)
  useEffect(() => {
    scrollToElement(document.querySelector(`#${navigation_id} [aria-current=page]`))
  }, [path])
  return (
    <AppShell
      header={{ height: header_height }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={0}
    >
      <LazyNotifications />
      <AppShell.Header withBorder={false}>
        <Header onSearch={onSearch} burger={{ opened, toggle, controls: navigation_id }}>
          <UserMenu username={user.username} />
        </Header>
      </AppShell.Header>
      <AppShell.Navbar
        id={navigation_id}
        className={classes.navbar}
        data-closed={!opened || undefined}
        aria-label="Pages"
        onBlur={onBlur}
      >
        <div className={classes.pages}>
          <Navigation user={user} path={path} />
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Container size={1160} px={{ base: 'md', sm: 'xl' }} py={{ base: 'lg', sm: 'xl' }}>
          {children}
        </Container>
      </AppShell.Main>
    </AppShell>
  )
}

const Notifications = lazyComponent<NotificationsProps>(() => import('./notifications.tsx'))

/** Loaded with the first notification. */
function LazyNotifications() {
  const [used, setUsed] = useState(false)
  const { notifications } = useNotifications()
  // At the bottom of a phone they would cover inputs.
  const position = useMatches({ base: 'top-center', sm: 'bottom-right' } as const)
  if (notifications.length > 0 && !used) setUsed(true)
  return <OnDemand>{used && <Notifications position={position} />}</OnDemand>
}

const navigation_id = 'pages'

const burger = () => document.querySelector<HTMLElement>(`[aria-controls=${navigation_id}]`)

/**
 * The navigation on phones: gets the focus when opened; closes on Escape, when it loses the focus, and on navigation.
 */
function usePhoneNavigation(path: string) {
  const [opened, { toggle, close }] = useDisclosure()
  useEffect(close, [path, close])
  useEffect(() => {
    if (!opened) return undefined
    document.querySelector<HTMLElement>(`#${navigation_id} a`)?.focus()
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
    close()
  }
  return { opened, toggle, onBlur }
}

function Navigation({ user, path }: { user: { is_admin: boolean }; path: string }) {
  const entries = navigationFor(user)
  return areas.map((area) => {
    const here = entries.filter(({ nav }) => nav?.area === area)
    if (here.length === 0) return null
    return (
      <Box key={area} mb="sm">
        <Text size="xs" fw={600} c="dimmed" px="sm" py={4}>
          {area}
        </Text>
        {here.map((page) => (
          <Entry key={page.path} page={page} active={isActive(page.path, path)} />
        ))}
        {area === 'Build' && <Documentation />}
      </Box>
    )
  })
}

/** Is `path` the entry's page, or one below it that has no entry of its own? */
const isActive = (entry: string, path: string) => {
  const closest = staticPages
    .filter(({ nav }) => nav)
    .map((page) => page.path)
    .filter((known) => path === known || (known !== '/' && path.startsWith(`${known}/`)))
    .sort((one, other) => other.length - one.length)[0]
  return closest === entry
}

/** Its pages are documents of their own. */
const Documentation = () => (
  <NavLink
    component="a"
    href="/docs"
    label="Documentation"
    leftSection={<Icon name="book" />}
    className={classes.entry}
  />
)

const Entry = ({ page: { path, title, nav }, active }: { page: StaticPage; active: boolean }) => (
  <NavLink
    component={Link}
    to={path}
    underline="never"
    active={active}
    // By default the router also marks links to parent paths as active.
    activeOptions={{ exact: true, includeSearch: false }}
    aria-current={active ? 'page' : undefined}
    label={nav?.label ?? title}
    leftSection={nav && <Icon name={nav.icon} />}
    className={classes.entry}
  />
)
