import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { Page } from './page.ts'
import { pages, type ListedPage, type PagePath } from './pages.ts'
import { parseSearch, stringifySearch, validatorOf, type SearchParsers } from './search.ts'
import { Landing } from './pages/public/landing.tsx'
import { prefetchReads } from './prefetch.ts'
import { storeMailedCode } from './session/mailed-code-storage.ts'
import { nextTarget } from './session/next.ts'
import { mayOpen } from './session/roles.ts'
import { currentSession, useSession } from './session/session.ts'
import { hasPage } from './settings.ts'
import { ErrorPage, RootErrorPage, ForbiddenPage, NotFoundPage } from './ui/error-pages.tsx'
import { LoadingSkeleton } from './ui/page-parts.tsx'
import { Root } from './ui/root.tsx'
import { loadChunk } from './ui/lazy-component.tsx'

interface Target {
  href: string
  pathname: string
  hash: string
  search: { next?: string }
}

function guard({ access }: Page, { href, pathname, hash, search }: Target): void {
  const session = currentSession()
  if (access === 'guest' && session) redirect({ ...nextTarget(search.next), throw: true })
  if (access === 'anyone' || access === 'guest' || session) return
  // The code is in the fragment, which browsers do not send to servers; they would send a query.
  storeMailedCode(pathname, hash)
  redirect({ to: '/sign-in', search: { next: href.split('#')[0] }, throw: true })
}

let prefetched: Promise<unknown> = Promise.resolve()

/** Resolves when the page's prefetch has succeeded or failed. */
export const awaitPrefetch = () => prefetched

/** Makes the first reads of a page for a signed-in user. */
function prefetch(page: Page<PagePath>, search: Record<string, unknown>) {
  const { user } = currentSession() ?? {}
  if (user && mayOpen(page, user)) prefetched = prefetchReads(page.path, search)
}

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage, errorComponent: RootErrorPage })

/** The type of a page's search parsers; empty without any. */
type ParsersOf<P extends Page> = P extends { search: infer Parsers extends SearchParsers }
  ? Parsers
  : Record<never, never>

/**
 * A page whose chunk is loaded when it is opened. `/` is the account's overview, and the landing page when signed out.
 */
function contentOf({ path, load }: Page<PagePath>) {
  const Content = lazyRouteComponent(() => loadChunk(load))
  if (path !== '/') return Content
  const Home = () => (useSession().session ? <Content /> : <Landing />)
  return Object.assign(Home, { preload: () => (currentSession() ? Content.preload?.() : undefined) })
}

const routeOf = <P extends Page<PagePath>>(page: P) => {
  const Content = contentOf(page)
  const AdminsOnly = () => {
    const { session } = useSession()
    return session && mayOpen(page, session.user) ? <Content /> : <ForbiddenPage />
  }
  return createRoute({
    getParentRoute: () => root,
    path: page.path as P['path'],
    staticData: { page },
    validateSearch: validatorOf((page.search ?? {}) as ParsersOf<P>),
    // Prefetches in `beforeLoad`, because `loader` runs when a link is hovered, and not again for 30 s.
    beforeLoad: ({ location, cause }: { location: Target; cause: string }): void => {
      guard(page, location)
      if (cause === 'enter') prefetch(page, location.search)
    },
    component: page.access === 'admin' ? AdminsOnly : Content,
  })
}

/** The route of a page, with its path, parameters and search. */
type RouteOf<P> = P extends Page<PagePath> ? ReturnType<typeof routeOf<P>> : never

// `map` gives all routes one type; the cast restores each type.
const routes = pages.filter(hasPage).map((page) => routeOf(page)) as unknown as RouteOf<ListedPage>[]

/** Only under `npm run dev`: a build removes it. */
const development_routes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => root,
        path: '/dev/components',
        component: lazyRouteComponent(() => import('./dev/components.tsx')),
      }),
    ]
  : []

export const router = createRouter({
  routeTree: root.addChildren([...routes, ...(development_routes as unknown as typeof routes)]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <LoadingSkeleton rows={6} />,
  defaultErrorComponent: ErrorPage,
  defaultPendingMs: 200,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  /** Links, path parameters and search parameters are type-checked against these routes. */
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    page?: Page
  }
}
