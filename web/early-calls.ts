import { decisions } from '../contract/decisions.ts'
import { listMessages, openChannel } from '../contract/social.ts'
import { first_reads } from './first-reads.ts'
import type { Page } from './page.ts'
import { pages, type PagePath } from './pages.ts'
import { lobby } from './pages/people/lobby.ts'

/** A POST with its body, otherwise a GET. */
interface EarlyCall {
  path: string
  body?: string
  /** A GET that follows, with the `id` of the answer. */
  next?: string
}

const lobby_call: EarlyCall = {
  path: openChannel.path,
  body: JSON.stringify(lobby),
  next: `${listMessages.path.replace('{channel_id}', '{id}')}?limit=${decisions['D-73'].value.page_default}`,
}

/** The calls that `public/early.js` makes for each page before the console's code has arrived: first reads that need no input. */
export const earlyCalls = () =>
  Object.fromEntries(
    pages.map((page) => [page.path, earlyCallsOf(page)] as const).filter(([, calls]) => calls.length > 0),
  )

function earlyCallsOf({ path, access, sandbox }: Page<PagePath>): EarlyCall[] {
  // Admin pages are rendered for admins only, those of a sandbox exist in one only, and `early.js` does not match parameters.
  if (access === 'admin' || sandbox || path.includes('$')) return []
  if (path === '/chat') return [lobby_call]
  return (first_reads[path] ?? []).map((endpoint) => ({ path: endpoint.path }))
}
