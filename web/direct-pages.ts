import type { Page } from './page.ts'
import { pages, type PagePath } from './pages.ts'

/** A page that its path alone leads to. */
export type DirectPage = Page<Exclude<PagePath, `${string}$${string}`>>

/** The pages that their path alone leads to: the navigation and the command palette show these. */
export const directPages = pages.filter((page): page is DirectPage => !page.path.includes('$'))
