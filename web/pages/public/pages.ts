import { me } from '../../../contract/accounts.ts'
import { listModules } from '../../../contract/learning.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const publicPages = [
  {
    path: '/',
    title: 'Overview',
    who: 'anyone',
    nav: { area: 'You', icon: 'home' },
    load: () => import('./home.tsx'),
    reads: [me, listMyApps, listModules],
  },
  {
    path: '/directory',
    title: 'Directory of apps',
    who: 'anyone',
    load: () => import('./directory.tsx'),
    search: { page: text },
    nav: { area: 'You', icon: 'tag', label: 'Directory' },
    words: 'operators',
  },
  { path: '/status', title: 'Service status', who: 'anyone', load: () => import('./status.tsx'), words: 'health' },
] as const satisfies readonly Page[]
