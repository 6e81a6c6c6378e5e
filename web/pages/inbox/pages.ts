import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const inboxPages = [
  {
    path: '/inbox',
    title: 'Inbox',
    access: 'user',
    load: () => import('./inbox.tsx'),
    search: { kind: text },
    nav: { area: 'You', icon: 'bell' },
    keywords: 'notices notifications news unread bell',
  },
  {
    path: '/account/notices',
    title: 'Notices',
    access: 'user',
    load: () => import('./notice-settings.tsx'),
    keywords: 'notifications mute mail settings inbox',
  },
] as const satisfies readonly Page[]
