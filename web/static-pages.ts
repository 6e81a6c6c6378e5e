import type { Page } from './page.ts'
import { pages, type PagePath } from './pages.ts'

/** A page whose path has no parameters. */
export type StaticPage = Page<Exclude<PagePath, `${string}$${string}`>>

/** The pages without path parameters, for the navigation and the command palette. */
export const staticPages = pages.filter((page): page is StaticPage => !page.path.includes('$'))
