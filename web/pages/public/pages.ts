import { me } from '../../../contract/accounts.ts'
import { listModules } from '../../../contract/learning.ts'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const publicPages = [
  {
    path: '/',
    title: 'Overview',
    access: 'anyone',
    nav: { area: 'You', icon: 'home' },
    load: () => import('./home.tsx'),
    prefetch: [me, listMyApps, listModules],
  },
  {
    path: '/directory',
    title: 'Directory of apps',
    access: 'anyone',
    load: () => import('./directory.tsx'),
    search: { page: text },
    nav: { area: 'You', icon: 'tag', label: 'Directory' },
    keywords: 'operators',
  },
  {
    path: '/status',
    title: 'Service status',
    access: 'anyone',
    load: () => import('./status.tsx'),
    keywords: 'health',
  },
] as const satisfies readonly Page[]
