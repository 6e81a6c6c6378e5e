import { listLearningPaths, listModules } from '../../../contract/learning.ts'
import type { Page } from '../../page.ts'

export const learningPages = [
  {
    path: '/learning',
    title: 'Learning',
    who: 'user',
    load: () => import('./path.tsx'),
    reads: [listModules, listLearningPaths],
    nav: { area: 'You', icon: 'book' },
    words: 'bitcoin course modules rewards',
  },
  { path: '/learning/$module', title: 'Module', who: 'user', load: () => import('./module.tsx') },
  { path: '/learning/$module/$step', title: 'Step', who: 'user', load: () => import('./step.tsx') },
] as const satisfies readonly Page[]
