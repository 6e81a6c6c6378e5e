import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const inboxPages = [
  {
    path: '/inbox',
    title: 'common.inbox',
    load: () => import('./inbox.tsx'),
    search: { kind: text },
    nav: { area: 'You', icon: 'bell' },
    keywords: 'inbox.pages.inbox-keywords',
  },
  {
    path: '/account/notices',
    title: 'common.notices',
    load: () => import('./notice-settings.tsx'),
    keywords: 'inbox.pages.notices-keywords',
  },
] as const satisfies readonly Page[]
