import type { Page } from './page.ts'
import { accountPages } from './pages/account/pages.ts'
import { adminPages } from './pages/admin/pages.ts'
import { buildPages } from './pages/build/pages.ts'
import { deploymentsPages } from './pages/deployments/pages.ts'
import { inboxPages } from './pages/inbox/pages.ts'
import { learningPages } from './pages/learning/pages.ts'
import { peoplePages } from './pages/people/pages.ts'
import { publicPages } from './pages/public/pages.ts'
import { sandboxPages } from './pages/sandbox/pages.ts'
import { signInPages } from './pages/sign-in/pages.ts'

const listed = [
  ...publicPages,
  ...signInPages,
  ...inboxPages,
  ...accountPages,
  ...learningPages,
  ...peoplePages,
  ...buildPages,
  ...deploymentsPages,
  ...sandboxPages,
  ...adminPages,
] as const

/** Each page with its own literal types: links are type-checked against them. */
export type ListedPage = (typeof listed)[number]

export type PagePath = ListedPage['path']

/** Every page of the console. A section of the navigation shows its pages in this order. */
export const pages: readonly Page<PagePath>[] = listed
