import './mantine.css'
import { ActionIcon, Box, Button, Burger, Group, Kbd, useMantineColorScheme } from '@mantine/core'
import type { ReactNode } from 'react'
import { settings } from '../settings.ts'
import { Icon, type IconName } from './icon.tsx'
import { lazyComponent, OnDemand } from './lazy-component.tsx'
import { Link } from './link.tsx'
import classes from './header.module.css'
import { t } from '../texts.ts'

interface HeaderProps {
  /** Opens the command palette; without it the button is hidden. */
  onSearch?: () => void
  /** The toggle of the navigation on phones. */
  burger?: { opened: boolean; toggle: () => void; controls: string }
  /** After the logo: the switch between spaces. */
  spaces?: ReactNode
  /** The right end. */
  children?: ReactNode
}

export const Header = (props: HeaderProps) => (
  <>
    {settings.is_sandbox && (
      <div className={classes.sandbox} style={{ height: banner_height }}>
        <OnDemand>
          <SandboxBanner />
        </OnDemand>
      </div>
    )}
    <Bar {...props} />
  </>
)

const SandboxBanner = lazyComponent(() => import('../pages/sandbox/banner.tsx'))

const bar_height = 57
const banner_height = 36

/** In pixels: the layout is fixed around it. */
export const header_height = bar_height + (settings.is_sandbox ? banner_height : 0)

const Bar = ({ onSearch, burger, spaces, children }: HeaderProps) => (
  <Group className={classes.header} h={bar_height} px="md" justify="space-between" wrap="nowrap">
    <Group gap="xs" wrap="nowrap" flex="none">
      {burger && (
        <Burger
          size="sm"
          hiddenFrom="sm"
          opened={burger.opened}
          onClick={burger.toggle}
          aria-expanded={burger.opened}
          aria-controls={burger.controls}
          aria-label={burger.opened ? t('ui.header.close-the-navigation') : t('ui.header.open-the-navigation')}
        />
      )}
      <Link to="/" underline="never" className={classes.brand} aria-label={t('ui.header.plaza-first-page')}>
        <Logo />
        <span>Plaza</span>
      </Link>
      {spaces}
    </Group>
    <Group gap="xs" wrap="nowrap">
      {onSearch && <SearchButton onSearch={onSearch} />}
      {/* On a phone, signed-in users have it in their menu. */}
      <Box visibleFrom={onSearch ? 'sm' : undefined}>
        <SchemeButton />
      </Box>
      {children}
    </Group>
  </Group>
)

/** The logo of `icon.svg`, inline to save a request per page. */
const Logo = () => (
  <svg viewBox="0 0 32 32" width={24} height={24} aria-hidden="true">
    <rect width="32" height="32" rx="9" fill="#1f6b4f" />
    <path
      d="M11 24V9h6.2a4.9 4.9 0 0 1 0 9.8H11"
      fill="none"
      stroke="#fff"
      strokeWidth="3"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
)

const on_apple = /Mac|iPhone|iPad/.test(navigator.userAgent)

const SearchButton = ({ onSearch }: { onSearch: () => void }) => (
  <>
    <Button
      visibleFrom="sm"
      variant="default"
      size="xs"
      fw={400}
      onClick={onSearch}
      leftSection={<Icon name="search" size={15} />}
      rightSection={<Kbd size="xs">{on_apple ? '⌘ K' : t('ui.header.ctrl-k')}</Kbd>}
    >
      {t('ui.header.go-to')}
    </Button>
    <ActionIcon
      hiddenFrom="sm"
      variant="subtle"
      color="gray"
      size="lg"
      onClick={onSearch}
      aria-label={t('common.go-to-a-page')}
    >
      <Icon name="search" />
    </ActionIcon>
  </>
)

const schemes = () =>
  ({
    auto: { now: t('ui.header.like-the-system'), icon: 'screen', next: 'light' },
    light: { now: t('ui.header.light'), icon: 'sun', next: 'dark' },
    dark: { now: t('ui.header.dark'), icon: 'moon', next: 'auto' },
  }) as const satisfies Record<string, { now: string; icon: IconName; next: string }>

/** Cycles through system, light, dark. */
function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { now, icon, next } = schemes()[colorScheme]
  const label = t('ui.header.colours-change-to', { now, next: schemes()[next].now })
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(next)}
    >
      <Icon name={icon} />
    </ActionIcon>
  )
}
