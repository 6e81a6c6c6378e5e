import type { Page } from '../../page.ts'
import { text, texts } from '../../search.ts'

export const peoplePages = [
  {
    path: '/chat',
    title: 'Chat',
    access: 'user',
    load: () => import('./chat.tsx'),
    search: { table: text, open: texts },
    first_reads: 'lobby',
    nav: { area: 'People', icon: 'chat' },
    keywords: 'lobby table messages talk',
  },
  {
    path: '/friends',
    title: 'Friends',
    access: 'user',
    load: () => import('./friends.tsx'),
    first_reads: 'friends',
    nav: { area: 'People', icon: 'users' },
    keywords: 'requests blocks blocked presence online',
  },
  {
    path: '/people',
    title: 'Find people',
    access: 'user',
    load: () => import('./people.tsx'),
    search: { q: text },
    nav: { area: 'People', icon: 'search' },
    keywords: 'search users block add friend',
  },
  {
    path: '/reports',
    title: 'Your reports',
    access: 'user',
    load: () => import('./reports.tsx'),
    nav: { area: 'People', icon: 'flag' },
    keywords: 'reported messages people moderation outcome',
  },
] as const satisfies readonly Page[]
