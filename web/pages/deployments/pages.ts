import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const deploymentsPages = [
  {
    path: '/deployments',
    title: 'Deployments',
    access: 'user',
    load: () => import('./deployments.tsx'),
    search: { app: text },
    prefetch: [listMyApps],
    nav: { area: 'Build', icon: 'box' },
    keywords: 'container hosting docker image',
  },
  {
    path: '/deployments/new',
    title: 'Deploy a container',
    access: 'user',
    load: () => import('./new-deployment.tsx'),
    search: { app: text },
    keywords: 'container hosting docker image create new',
  },
  {
    path: '/deployments/$id',
    title: 'Deployment',
    access: 'user',
    load: () => import('./deployment.tsx'),
    search: { app: text },
  },
] as const satisfies readonly Page[]
