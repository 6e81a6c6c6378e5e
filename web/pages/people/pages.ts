import type { Page } from '../../page.ts'
import { text, texts } from '../../search.ts'

export const peoplePages = [
  {
    path: '/chat',
    title: 'common.chat',
    load: () => import('./chat.tsx'),
    search: { table: text, open: texts, with: text },
    nav: { area: 'People', icon: 'chat' },
    keywords: 'people.pages.chat-keywords',
  },
  {
    path: '/friends',
    title: 'common.friends',
    load: () => import('./friends.tsx'),
    nav: { area: 'People', icon: 'users' },
    keywords: 'people.pages.friends-keywords',
  },
  {
    path: '/people',
    title: 'common.find-people',
    load: () => import('./people.tsx'),
    search: { q: text },
    nav: { area: 'People', icon: 'search' },
    keywords: 'people.pages.find-people-keywords',
  },
  {
    path: '/u/$username',
    title: 'common.person',
    load: () => import('./person.tsx'),
    search: { amount: text },
  },
  {
    path: '/reports',
    title: 'common.your-reports',
    load: () => import('./reports.tsx'),
    nav: { area: 'People', icon: 'flag' },
    keywords: 'people.pages.your-reports-keywords',
  },
] as const satisfies readonly Page[]
