import type { Page } from '../../page.ts'
import { text } from '../../search.ts'

export const deploymentsPages = [
  {
    path: '/deployments',
    title: 'common.deployments',
    load: () => import('./deployments.tsx'),
    search: { app: text },
    nav: { area: 'Build', icon: 'box' },
    keywords: 'deployments.pages.deployments-keywords',
  },
  {
    path: '/deployments/new',
    title: 'common.deploy-a-container',
    load: () => import('./new-deployment.tsx'),
    search: { app: text },
    keywords: 'deployments.pages.deploy-a-container-keywords',
  },
  {
    path: '/deployments/$id',
    title: 'common.deployment',
    load: () => import('./deployment.tsx'),
    search: { app: text },
  },
] as const satisfies readonly Page[]
