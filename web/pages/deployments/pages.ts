import { listMyApps } from '../../../contract/oauth-apps.ts'
import type { Page } from '../../page.ts'

export const deploymentsPages: Page[] = [
  {
    path: '/deployments',
    title: 'Deployments',
    who: 'user',
    load: () => import('./deployments.tsx'),
    reads: [listMyApps],
    nav: { area: 'Build', icon: 'box' },
    words: 'container hosting docker image',
  },
  {
    path: '/deployments/new',
    title: 'Deploy a container',
    who: 'user',
    load: () => import('./new-deployment.tsx'),
    words: 'container hosting docker image create new',
  },
  { path: '/deployments/$id', title: 'Deployment', who: 'user', load: () => import('./deployment.tsx') },
]
