import type { Page } from '../../page.ts'
import { oneOf, text } from '../../search.ts'

export const buildPages = [
  {
    path: '/apps',
    title: 'common.my-apps',
    load: () => import('./apps.tsx'),
    search: { team: text },
    nav: { area: 'Build', icon: 'app' },
    keywords: 'build.pages.my-apps-keywords',
  },
  {
    path: '/apps/new',
    title: 'common.register-an-app',
    load: () => import('./new-app.tsx'),
    keywords: 'build.pages.register-an-app-keywords',
  },
  {
    path: '/apps/$id',
    title: 'common.app',
    load: () => import('./app.tsx'),
    search: {
      // The second line has the tabs of 0.2 that are now parts of others.
      tab: oneOf(
        ...(['home', 'payments', 'people', 'developers', 'settings'] as const),
        ...(['overview', 'balance', 'webhooks', 'secrets', 'scopes', 'figures'] as const),
      ),
      ask: text,
      kind: text,
      reference: text,
      username: text,
      from: text,
      to: text,
      held_from: text,
      held_to: text,
      payment: text,
      webhook: text,
      status: text,
      delivery: text,
    },
  },
  {
    path: '/teams',
    title: 'build.teams.teams',
    load: () => import('./teams.tsx'),
    nav: { area: 'Build', icon: 'users' },
    keywords: 'build.pages.teams-keywords',
  },
  {
    path: '/teams/$id',
    title: 'build.teams.teams',
    load: () => import('./team.tsx'),
    search: { tab: oneOf('members', 'log', 'settings') },
  },
  {
    path: '/invitations',
    title: 'build.teams.invitations',
    load: () => import('./invitations.tsx'),
    keywords: 'build.pages.invitations-keywords',
  },
  {
    path: '/cli',
    title: 'build.cli.connect-a-terminal',
    frame: 'bare',
    load: () => import('./cli.tsx'),
    search: { port: text, state: text, code_challenge: text, name: text },
  },
  {
    path: '/playground',
    title: 'common.playground',
    load: () => import('./playground/playground.tsx'),
    search: { app: text },
    nav: { area: 'Build', icon: 'play' },
    keywords: 'build.pages.playground-keywords',
  },
  {
    path: '/playground/callback',
    title: 'common.back-to-the-playground',
    access: 'anyone',
    load: () => import('./playground/callback.tsx'),
  },
] as const satisfies readonly Page[]
