import { listLearningPaths, listModules } from '../../../contract/learning.ts'
import type { Page } from '../../page.ts'

export const learningPages = [
  {
    path: '/learning',
    title: 'Learning',
    access: 'user',
    load: () => import('./path.tsx'),
    prefetch: [listModules, listLearningPaths],
    nav: { area: 'You', icon: 'book' },
    keywords: 'bitcoin course modules rewards',
  },
  { path: '/learning/$module', title: 'Module', access: 'user', load: () => import('./module.tsx') },
  { path: '/learning/$module/$step', title: 'Step', access: 'user', load: () => import('./step.tsx') },
] as const satisfies readonly Page[]
