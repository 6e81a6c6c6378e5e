import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const accountPages = [
  {
    path: '/account',
    title: 'common.your-account',
    access: 'user',
    load: () => import('./overview.tsx'),
    nav: { area: 'You', icon: 'user', label: 'common.account' },
    keywords: 'account.pages.your-account-keywords',
  },
  {
    path: '/account/details',
    title: 'common.address-and-name',
    access: 'user',
    load: () => import('./details.tsx'),
    keywords: 'account.pages.address-and-name-keywords',
  },
  {
    path: '/account/leave',
    title: 'common.leave-plaza',
    access: 'user',
    load: () => import('./leave.tsx'),
    keywords: 'account.pages.leave-plaza-keywords',
  },
  {
    path: '/account/security',
    title: 'common.security',
    access: 'user',
    load: () => import('./security.tsx'),
    nav: { area: 'You', icon: 'shield' },
    keywords: 'account.pages.security-keywords',
  },
  {
    path: '/account/sessions',
    title: 'common.sign-ins',
    access: 'user',
    load: () => import('./sessions.tsx'),
    keywords: 'account.pages.sign-ins-keywords',
  },
  {
    path: '/points',
    title: 'common.points',
    access: 'user',
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
    path: '/connected-apps',
    title: 'common.connected-apps',
    access: 'user',
    load: () => import('./connected-apps.tsx'),
    nav: { area: 'You', icon: 'plug' },
    keywords: 'account.pages.connected-apps-keywords',
  },
] as const satisfies readonly Page[]
