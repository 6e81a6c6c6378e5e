import { useRouterState } from '@tanstack/react-router'
import { useUnreadMessages } from '../api/conversations.ts'
import { unreadText, useUnreadNotices } from '../api/unread-notices.ts'
import { t } from '../texts.ts'
import classes from './bottom-bar.module.css'
import { Icon, type IconName } from './icon.tsx'
import { Link, type StaticPath } from './link.tsx'

interface Place {
  to: StaticPath
  icon: IconName
  label: string
  count?: string | undefined
}

/** The bar at the bottom of a phone, with the pages that people open most often. */
export function BottomBar() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const places: Place[] = [
    { to: '/', icon: 'home', label: t('common.home') },
    { to: '/points', icon: 'coins', label: t('common.points') },
    { to: '/chat', icon: 'chat', label: t('common.chat'), count: unreadText(useUnreadMessages()) },
    { to: '/inbox', icon: 'bell', label: t('common.inbox'), count: unreadText(useUnreadNotices()) },
    { to: '/account', icon: 'user', label: t('common.you') },
  ]
  return (
    <nav className={classes.bar} aria-label={t('ui.bottom-bar.main-pages')}>
      {places.map(({ to, icon, label, count }) => (
        <Link
          key={to}
          to={to}
          underline="never"
          className={classes.place}
          {...(path === to && { 'aria-current': 'page' })}
        >
          <Icon name={icon} size={22} />
          <span>{label}</span>
          {count !== undefined && <span className={classes.count}>{count}</span>}
        </Link>
      ))}
    </nav>
  )
}
