import type { Page } from '../../page.ts'

export const learningPages = [
  {
    path: '/learning',
    title: 'common.learning',
    load: () => import('./path.tsx'),
    nav: { area: 'You', icon: 'book' },
    keywords: 'learning.pages.learning-keywords',
  },
  { path: '/learning/$module', title: 'learning.pages.module', load: () => import('./module.tsx') },
  { path: '/learning/$module/$step', title: 'learning.pages.step', load: () => import('./step.tsx') },
] as const satisfies readonly Page[]
