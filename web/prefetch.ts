import { listPasskeys } from '../contract/passkeys.ts'
import { readAhead } from './api/hooks.ts'
import { first_reads } from './first-reads.ts'
import type { PagePath } from './pages.ts'
import { readChatFirst, readFriendsFirst } from './pages/people/first-reads.ts'
import { currentSession } from './session/session.ts'

/** First reads with an order or an input. */
const reads_with_order: { readonly [Path in PagePath]?: (search: Record<string, unknown>) => Promise<unknown> } = {
  '/admin': async () => (await import('./pages/admin/first-reads.ts')).readOverviewFirst(),
  '/chat': readChatFirst,
  '/friends': readFriendsFirst,
}

/** Makes the first reads of a page. The page itself repeats failed ones and shows the error. */
export const prefetchReads = (path: PagePath, search: Record<string, unknown>) =>
  Promise.allSettled([
    // The note above admin pages.
    path.startsWith('/admin') && !currentSession()?.user.totp_enabled && readAhead(listPasskeys, {}),
    reads_with_order[path]?.(search),
    ...(first_reads[path] ?? []).map((endpoint) => readAhead(endpoint, {})),
  ])
