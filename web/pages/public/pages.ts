import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const publicPages = [
  {
    path: '/',
    title: 'common.overview',
    access: 'anyone',
    nav: { area: 'You', icon: 'home' },
    load: () => import('./overview.tsx'),
  },
  {
    path: '/directory',
    title: 'common.directory-of-apps',
    access: 'anyone',
    load: () => import('./directory.tsx'),
    search: { page: text },
    nav: { area: 'You', icon: 'tag', label: 'public.pages.directory' },
    keywords: 'public.pages.directory-of-apps-keywords',
  },
  {
    path: '/status',
    title: 'common.service-status',
    access: 'anyone',
    load: () => import('./status.tsx'),
    keywords: 'public.pages.service-status-keywords',
  },
] as const satisfies readonly Page[]
