import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { callApi } from './api/call.ts'
import { queryKeyOf, queryClient } from './api/hooks.ts'
import type { Page } from './page.ts'
import { pages, type ListedPage } from './pages.ts'
import { parseSearch, stringifySearch, validatorOf, type SearchParsers } from './search.ts'
import { storeMailedCode } from './session/mailed-code-storage.ts'
import { safeNext } from './session/next.ts'
import { currentSession, useSession } from './session/session.ts'
import { ErrorPage, RootErrorPage, ForbiddenPage, NotFoundPage } from './ui/error-pages.tsx'
import { LoadingSkeleton } from './ui/page-parts.tsx'
import { Root } from './ui/root.tsx'
import { loadChunk } from './ui/lazy-component.tsx'

interface Wanted {
  href: string
  pathname: string
  hash: string
  search: { next?: string }
}

function guard({ access }: Page, { href, pathname, hash, search }: Wanted): void {
  const session = currentSession()
  if (access === 'guest' && session) redirect({ href: safeNext(search.next), throw: true })
  if ((access !== 'user' && access !== 'admin') || session) return
  // What stands behind the `#` is for the browser alone, and a query is sent to the server.
  storeMailedCode(pathname, hash)
  redirect({ to: '/sign-in', search: { next: href.split('#')[0] }, throw: true })
}

let reads_ahead: Promise<unknown> = Promise.resolve()

/** Resolves when what the page reads first was answered, whether it succeeded or not. */
export const awaitPrefetch = () => reads_ahead

/** Asks for what a page reads first. What fails is asked for again, and told, by the page itself. */
function prefetchReads({ access, prefetch = [] }: Page) {
  const { user } = currentSession() ?? {}
  if (!user || (access === 'admin' && !user.is_admin)) return
  reads_ahead = Promise.allSettled(
    prefetch.map((endpoint) =>
      queryClient.query({ queryKey: queryKeyOf(endpoint, {}), queryFn: () => callApi(endpoint) }),
    ),
  )
}

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage, errorComponent: RootErrorPage })

/** The parsers of a page's search parameters; none where it names none. */
type ParsersOf<P extends Page> = P extends { search: infer Parsers extends SearchParsers }
  ? Parsers
  : Record<never, never>

const routeOf = <P extends Page>(page: P) => {
  const Content = lazyRouteComponent(() => loadChunk(page.load))
  const AdminsOnly = () => (useSession().session?.user.is_admin ? <Content /> : <ForbiddenPage />)
  return createRoute({
    getParentRoute: () => root,
    path: page.path as P['path'],
    staticData: { page },
    validateSearch: validatorOf((page.search ?? {}) as ParsersOf<P>),
    // Reads start here and not in `loader`: that runs when a link is pointed at, and for 30 s not again.
    beforeLoad: ({ location, cause }: { location: Wanted; cause: string }): void => {
      guard(page, location)
      if (cause === 'enter') prefetchReads(page)
    },
    component: page.access === 'admin' ? AdminsOnly : Content,
  })
}

/** The route of a page, with its path, parameters and search. */
type RouteOf<P> = P extends Page ? ReturnType<typeof routeOf<P>> : never

// `map` gives all routes one type; the cast gives each its own again.
const routes = pages.map((page) => routeOf(page)) as unknown as RouteOf<ListedPage>[]

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <LoadingSkeleton rows={6} />,
  defaultErrorComponent: ErrorPage,
  defaultPendingMs: 200,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  /** Links, path parameters and search parameters everywhere are checked against these routes. */
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption {
    page?: Page
  }
}
