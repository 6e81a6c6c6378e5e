import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const buildPages = [
  {
    path: '/apps',
    title: 'My apps',
    who: 'user',
    load: () => import('./apps.tsx'),
    reads: [listMyApps],
    nav: { area: 'Build', icon: 'app' },
    words: 'operator client oauth list',
  },
  {
    path: '/apps/new',
    title: 'Register an app',
    who: 'user',
    load: () => import('./new-app.tsx'),
    words: 'operator client oauth create new',
  },
  {
    path: '/apps/$id',
    title: 'App',
    who: 'user',
    load: () => import('./app.tsx'),
    search: { tab: oneOf('overview', 'settings', 'secrets', 'scopes', 'figures'), ask: text },
    reads: [listMyApps],
  },
  {
    path: '/playground',
    title: 'Playground',
    who: 'user',
    load: () => import('./playground/playground.tsx'),
    search: { app: text },
    nav: { area: 'Build', icon: 'play' },
    words: 'oauth pkce try token authorize curl',
  },
  {
    path: '/playground/callback',
    title: 'Back to the playground',
    who: 'anyone',
    load: () => import('./playground/callback.tsx'),
  },
] as const satisfies readonly Page[]
