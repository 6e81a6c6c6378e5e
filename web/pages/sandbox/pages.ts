import type { Page } from '../../page.ts'

export const sandboxPages = [
  {
    path: '/sandbox/points',
    title: 'common.give-me-points',
    sandbox: true,
    load: () => import('./points.tsx'),
    nav: { area: 'Sandbox', icon: 'coins' },
  },
  {
    path: '/sandbox/mails',
    title: 'common.my-mails',
    sandbox: true,
    load: () => import('./mails.tsx'),
    nav: { area: 'Sandbox', icon: 'mail' },
  },
  {
    path: '/sandbox/persons',
    title: 'common.test-persons',
    sandbox: true,
    load: () => import('./persons.tsx'),
    nav: { area: 'Sandbox', icon: 'users' },
  },
] as const satisfies readonly Page[]
