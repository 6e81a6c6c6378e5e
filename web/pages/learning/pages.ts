import { listLearningPaths, listModules } from '../../../contract/learning.ts'
import type { Page } from '../../page.ts'

export const learningPages = [
  {
    path: '/learning',
    title: 'learning.pages.learning',
    access: 'user',
    load: () => import('./path.tsx'),
    prefetch: [listModules, listLearningPaths],
    nav: { area: 'You', icon: 'book' },
    keywords: 'learning.pages.learning-keywords',
  },
  { path: '/learning/$module', title: 'learning.pages.module', access: 'user', load: () => import('./module.tsx') },
  { path: '/learning/$module/$step', title: 'learning.pages.step', access: 'user', load: () => import('./step.tsx') },
] as const satisfies readonly Page[]
