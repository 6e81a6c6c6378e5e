import { openChannel } from '../contract/social.ts'
import type { Page } from './page.ts'
import { pages } from './pages.ts'
import { lobby } from './pages/people/lobby.ts'

/** A POST with its body, otherwise a GET. */
interface EarlyCall {
  path: string
  body?: string
}

/** The calls that `public/early.js` makes for each page before the console's code has arrived: first reads that need no input. */
export const earlyCalls = () =>
  Object.fromEntries(
    pages.map((page) => [page.path, earlyCallsOf(page)] as const).filter(([, calls]) => calls.length > 0),
  )

function earlyCallsOf({ path, access, prefetch = [], first_reads }: Page): EarlyCall[] {
  // Admin pages are rendered for admins only, and `early.js` does not match parameters.
  if (access === 'admin' || path.includes('$')) return []
  if (first_reads === 'lobby') return [{ path: openChannel.path, body: JSON.stringify(lobby) }]
  return prefetch.map((endpoint) => ({ path: endpoint.path }))
}
