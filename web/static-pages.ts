import type { Page } from './page.ts'
import { pages, type PagePath } from './pages.ts'

/** A page that its path alone leads to. */
export type StaticPage = Page<Exclude<PagePath, `${string}$${string}`>>

/** The pages that their path alone leads to: the navigation and the command palette show these. */
export const staticPages = pages.filter((page): page is StaticPage => !page.path.includes('$'))
