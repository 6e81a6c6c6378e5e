import type { Page } from './page.ts'
import { pages, type PagePath } from './pages.ts'

/** A page whose path has no parameters. */
export type StaticPage = Page<Exclude<PagePath, `${string}$${string}`>>

/** The pages whose path has no parameters: those of the navigation and the command palette. */
export const staticPages = pages.filter((page): page is StaticPage => !page.path.includes('$'))
