import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const buildPages = [
  {
    path: '/apps',
    title: 'My apps',
    access: 'user',
    load: () => import('./apps.tsx'),
    prefetch: [listMyApps],
    nav: { area: 'Build', icon: 'app' },
    keywords: 'operator client oauth list',
  },
  {
    path: '/apps/new',
    title: 'Register an app',
    access: 'user',
    load: () => import('./new-app.tsx'),
    keywords: 'operator client oauth create new',
  },
  {
    path: '/apps/$id',
    title: 'App',
    access: 'user',
    load: () => import('./app.tsx'),
    search: {
      tab: oneOf('overview', 'payments', 'balance', 'webhooks', 'settings', 'secrets', 'scopes', 'figures'),
      ask: text,
      kind: text,
      reference: text,
      username: text,
      from: text,
      to: text,
      payment: text,
    },
    prefetch: [listMyApps],
  },
  {
    path: '/playground',
    title: 'Playground',
    access: 'user',
    load: () => import('./playground/playground.tsx'),
    search: { app: text },
    nav: { area: 'Build', icon: 'play' },
    keywords: 'oauth pkce try token authorize curl',
  },
  {
    path: '/playground/callback',
    title: 'Back to the playground',
    access: 'anyone',
    load: () => import('./playground/callback.tsx'),
  },
] as const satisfies readonly Page[]
