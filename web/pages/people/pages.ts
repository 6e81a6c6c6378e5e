import { listFriends, listPendingFriends } from '../../../contract/social.ts'
import type { Page } from '../../page.ts'
import { text, texts } from '../../search.ts'

export const peoplePages = [
  {
    path: '/chat',
    title: 'Chat',
    who: 'user',
    load: () => import('./chat.tsx'),
    search: { table: text, open: texts },
    nav: { area: 'People', icon: 'chat' },
    words: 'lobby table messages talk',
  },
  {
    path: '/friends',
    title: 'Friends',
    who: 'user',
    load: () => import('./friends.tsx'),
    reads: [listFriends, listPendingFriends],
    nav: { area: 'People', icon: 'users' },
    words: 'requests blocks blocked presence online',
  },
  {
    path: '/people',
    title: 'Find people',
    who: 'user',
    load: () => import('./people.tsx'),
    search: { q: text },
    nav: { area: 'People', icon: 'search' },
    words: 'search users block add friend',
  },
] as const satisfies readonly Page[]
