import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const accountPages = [
  {
    path: '/account',
    title: 'common.your-account',
    load: () => import('./overview.tsx'),
    nav: { area: 'You', icon: 'user', label: 'common.account' },
    keywords: 'account.pages.your-account-keywords',
  },
  {
    path: '/account/details',
    title: 'common.address-and-name',
    load: () => import('./details.tsx'),
    keywords: 'account.pages.address-and-name-keywords',
  },
  {
    path: '/account/leave',
    title: 'common.leave-plaza',
    load: () => import('./leave.tsx'),
    keywords: 'account.pages.leave-plaza-keywords',
  },
  {
    path: '/account/security',
    title: 'common.security',
    load: () => import('./security.tsx'),
    nav: { area: 'You', icon: 'shield' },
    keywords: 'account.pages.security-keywords',
  },
  {
    path: '/account/sessions',
    title: 'common.sign-ins',
    load: () => import('./sessions.tsx'),
    keywords: 'account.pages.sign-ins-keywords',
  },
  {
    path: '/points',
    title: 'common.points',
    load: () => import('./points.tsx'),
    search: {
      kind: text,
      direction: oneOf('in', 'out'),
      app: text,
      reference: text,
      from: text,
      to: text,
      held_from: text,
      held_to: text,
    },
    nav: { area: 'You', icon: 'coins' },
    keywords: 'account.pages.points-keywords',
  },
  {
    path: '/points/statement',
    title: 'account.statement.statement-of-points',
    load: () => import('./statement.tsx'),
    search: { from: text, to: text },
    keywords: 'account.pages.statement-keywords',
  },
  {
    path: '/connected-apps',
    title: 'common.connected-apps',
    load: () => import('./connected-apps.tsx'),
    nav: { area: 'You', icon: 'plug' },
    keywords: 'account.pages.connected-apps-keywords',
  },
] as const satisfies readonly Page[]
