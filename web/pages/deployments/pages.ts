import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const deploymentsPages = [
  {
    path: '/deployments',
    title: 'Deployments',
    who: 'user',
    load: () => import('./deployments.tsx'),
    search: { app: text },
    reads: [listMyApps],
    nav: { area: 'Build', icon: 'box' },
    words: 'container hosting docker image',
  },
  {
    path: '/deployments/new',
    title: 'Deploy a container',
    who: 'user',
    load: () => import('./new-deployment.tsx'),
    search: { app: text },
    words: 'container hosting docker image create new',
  },
  {
    path: '/deployments/$id',
    title: 'Deployment',
    who: 'user',
    load: () => import('./deployment.tsx'),
    search: { app: text },
  },
] as const satisfies readonly Page[]
