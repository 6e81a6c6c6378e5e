import { listFriends, listPendingFriends } from '../../../contract/social.ts'
import type { Page } from '../../page.ts'

export const peoplePages: Page[] = [
  {
    path: '/chat',
    title: 'Chat',
    who: 'user',
    load: () => import('./chat.tsx'),
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
    nav: { area: 'People', icon: 'search' },
    words: 'search users block add friend',
  },
]
