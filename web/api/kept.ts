import type { Query } from '@tanstack/react-query'
import { me } from '../../contract/accounts.ts'
import { listDirectMessages, listUnread } from '../../contract/conversations.ts'
import { listModules, listLearningPaths } from '../../contract/learning.ts'
import { listNotices } from '../../contract/notices.ts'
import { listConnectedApps } from '../../contract/oauth.ts'
import { listMyApps } from '../../contract/oauth-apps.ts'
import { listMyHolds } from '../../contract/payments.ts'
import { myPointsHistory } from '../../contract/points.ts'
import { listPointRequests } from '../../contract/sending.ts'
import { listFriends, listMessages, listPendingFriends, openChannel } from '../../contract/social.ts'
import { currentSession, onUserChange } from '../session/session.ts'
import { browser_storage, parseStored } from '../storage.ts'
import { NetworkError } from './errors.ts'
import { queryClient } from './hooks.ts'
import { onReachable } from './reachability.ts'

/**
 * The reads whose last responses are stored in the browser, for use without a network. None contains a secret, a token
 * or a code.
 */
const kept_reads = new Set<unknown>(
  [
    me,
    myPointsHistory,
    listPointRequests,
    listMyHolds,
    listNotices,
    listFriends,
    listPendingFriends,
    openChannel,
    listMessages,
    listDirectMessages,
    listUnread,
    listConnectedApps,
    listMyApps,
    listModules,
    listLearningPaths,
  ].map(({ path }) => path),
)

interface Kept {
  user_id: string
  at: number
  data: unknown
}

const prefix = 'plaza.kept.'
const kept_max = 60
const length_max = 100_000

/** Only the first page of a list is stored. */
const firstPage = (data: unknown) => {
  const { pages, pageParams } = data as { pages?: unknown[]; pageParams?: unknown[] }
  return pages && pageParams ? { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) } : data
}

function keep(hash: string, kept: Kept) {
  const text = JSON.stringify({ ...kept, data: firstPage(kept.data) })
  if (text.length > length_max) return
  const others = browser_storage.keys(prefix)
  if (others.length >= kept_max && !others.includes(prefix + hash)) forgetAnswers()
  browser_storage.set(prefix + hash, text)
}

function forgetAnswers() {
  for (const key of browser_storage.keys(prefix)) browser_storage.set(key, undefined)
}

function keepAnswer({ queryKey, queryHash, state }: Query) {
  const user = currentSession()?.user
  if (user && kept_reads.has(queryKey[0]))
    keep(queryHash, { user_id: user.id, at: state.dataUpdatedAt, data: state.data })
}

function showKept({ queryKey, queryHash, state }: Query) {
  if (!(state.error instanceof NetworkError) || state.data !== undefined || !kept_reads.has(queryKey[0])) return
  const kept = read(prefix + queryHash)
  if (kept && kept.user_id === currentSession()?.user.id)
    queryClient.setQueryData(queryKey, kept.data, { updatedAt: kept.at })
}

/**
 * Stores what the user has read, and shows it with its time if a read gets no response. Deleted when the user signs out
 * or another user signs in.
 */
export function startKeeping() {
  onUserChange(forgetAnswers)
  // Another program may have changed the session while the console was closed.
  const user_id = currentSession()?.user.id
  if (browser_storage.keys(prefix).some((key) => read(key)?.user_id !== user_id)) forgetAnswers()
  const cache = queryClient.getQueryCache()
  for (const query of cache.getAll()) {
    if (query.state.status === 'success') keepAnswer(query)
    if (query.state.status === 'error') showKept(query)
  }
  cache.subscribe((event) => {
    if (event.type !== 'updated') return
    if (event.action.type === 'success' && event.action.manual !== true) keepAnswer(event.query)
    if (event.action.type === 'error') showKept(event.query)
  })
  onReachable(() => void queryClient.invalidateQueries({}, { cancelRefetch: false }))
}

const read = (key: string) => parseStored<Kept>(browser_storage.get(key))
