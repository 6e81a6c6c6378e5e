import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type AnyRoute,
} from '@tanstack/react-router'
import type { FunctionComponent } from 'react'
import { callApi, type InputOf } from './api/call.ts'
import { keyOf, queries } from './api/hooks.ts'
import type { Declaration } from '../contract/endpoint.ts'
import type { Page } from './page.ts'
import { pages } from './pages.ts'
import { safeNext } from './session/next.ts'
import { currentSession, useSession } from './session/session.ts'
import { Broken, BrokenFrame, Forbidden, Missing } from './ui/last-resorts.tsx'
import { keepMailedCode } from './ui/mailed-code.ts'
import { Waiting } from './ui/page-parts.tsx'
import { Root } from './ui/root.tsx'
import { fetchPart } from './ui/updated.tsx'

export type Search = Record<string, string | string[]>

/** A query as it stands: text stays text, and what came twice is a list. */
function parseSearch(text: string): Search {
  const search = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const known = search.get(name)
    search.set(name, known === undefined ? value : [known, value].flat())
  }
  return Object.fromEntries(search)
}

function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    [value]
      .flat()
      .flatMap((one) =>
        one === undefined || one === null ? [] : [[name, String(one as string | number)] as [string, string]],
      ),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

interface Wanted {
  href: string
  pathname: string
  hash: string
  search: unknown
}

function guard({ who }: Page, { href, pathname, hash, search }: Wanted) {
  const session = currentSession()
  if (who === 'guest' && session) redirect({ href: safeNext((search as Search).next), throw: true })
  if ((who !== 'user' && who !== 'admin') || session) return
  // What stands behind the `#` is for the browser alone, and a query is sent to the server.
  keepMailedCode(pathname, hash)
  redirect({ to: '/sign-in', search: { next: href.split('#')[0] }, throw: true })
}

let reads_ahead: Promise<unknown> = Promise.resolve()

/** Resolves when what the page reads first was answered, whether it succeeded or not. */
export const awaitReadsAhead = () => reads_ahead

/** Asks for what a page reads first. What fails is asked for again, and told, by the page itself. */
function readAhead({ who, reads = [] }: Page) {
  const { user } = currentSession() ?? {}
  if (!user || (who === 'admin' && !user.is_admin)) return
  reads_ahead = Promise.allSettled(
    reads.map((endpoint) =>
      queries.query({
        queryKey: keyOf(endpoint, {}),
        queryFn: () => callApi(endpoint, ...([{}] as unknown as InputOf<Declaration>)),
      }),
    ),
  )
}

const root = createRootRoute({ component: Root, notFoundComponent: Missing, errorComponent: BrokenFrame })

const routeOf = (page: Page): AnyRoute => {
  const Content = lazyRouteComponent(() => fetchPart(page.load)) as FunctionComponent
  const AdminsOnly = () => (useSession().session?.user.is_admin ? <Content /> : <Forbidden />)
  return createRoute({
    getParentRoute: () => root,
    path: page.path,
    staticData: { page },
    beforeLoad: ({ location, cause }: { location: Wanted; cause: string }) => {
      guard(page, location)
      if (cause === 'enter') readAhead(page)
    },
    component: page.who === 'admin' ? AdminsOnly : Content,
  })
}

export const router = createRouter({
  routeTree: root.addChildren(pages.map(routeOf)),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: () => <Waiting rows={6} />,
  defaultErrorComponent: Broken,
  defaultPendingMs: 200,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    page?: Page
  }
}
