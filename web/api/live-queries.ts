import { me } from '../../contract/accounts.ts'
import { listPointRequests } from '../../contract/sending.ts'
import { listBlocks, listFriends, listPendingFriends, listPresence } from '../../contract/social.ts'
import type { AnswerOf } from './call.ts'
import type { PlazaEvent } from './event-stream.ts'
import { onUserChange } from '../session/session.ts'
import { queryClient, queryKeyOf } from './hooks.ts'
import { onceIn } from './once-in.ts'
import { noteDirectMessage, refetchUnread } from './unread-messages.ts'
import { noteUnread } from './unread-notices.ts'

/** The lists affected by a change of a friendship or block. */
export const people_lists = [listFriends, listPendingFriends, listPresence, listBlocks]

/** Updates the cached responses of the API with an event. */
export function updateQueries(event: PlazaEvent) {
  if (event.name === 'notices') {
    noteUnread(event.data.unread)
    are_requests_old = true
    refetchMoved()
  }
  if (event.name === 'direct_message') noteDirectMessage(event.data)
  if (event.name === 'reset') void refetchUnread()
  if (event.name === 'balance') updateBalance(event.data)
  if (event.name === 'presence') updatePresence(event.data)
  if (event.name === 'webhook_deliveries') {
    delivering.add(event.data.app_id)
    refetchMoved()
  }
  if (event.name === 'friendship' || event.name === 'reset')
    // Including those of a page that is still loading.
    for (const list of people_lists)
      void queryClient.invalidateQueries({ queryKey: queryKeyOf(list), refetchType: 'all' })
}

type Balance = (PlazaEvent & { name: 'balance' })['data']
type Totals = Pick<Balance, 'held' | 'total_earned' | 'total_spent'>

const textOf = ({ total_earned, total_spent, held }: Totals) => `${total_earned} ${total_spent} ${held}`

/** The last known balances, by app; the person's own has no app. */
const known = new Map<string | null, string>()
onUserChange(() => {
  my_balance = undefined
  known.clear()
  moved.clear()
  delivering.clear()
})

/**
 * Refetches the points of the person or of an app. Does nothing if the last event had the same balance, or if the first
 * balance is already shown.
 */
function updateBalance(balance: Balance) {
  const { app_id } = balance
  // After a call by this tab, the balance may already be shown, but not its other effects.
  const before = known.get(app_id) ?? (app_id === null ? shownOfMe() : shownOfApp(app_id))
  known.set(app_id, textOf(balance))
  if (before === textOf(balance)) return
  if (app_id === null) {
    my_balance = balance
    patchMe()
  }
  moved.add(app_id)
  refetchMoved()
}

/** The balances changed since the last refetch. */
const moved = new Set<string | null>()
/** The apps with changed webhook deliveries. */
const delivering = new Set<string>()
/** A request for points comes with a notice, unless its kind is muted; its end is an event only while the notice is unread. */
let are_requests_old = false

const refetchMoved = onceIn(1_000, () => {
  const [ids, delivering_ids, has_requests] = [[...moved], [...delivering], are_requests_old]
  are_requests_old = false
  moved.clear()
  delivering.clear()
  void queryClient.invalidateQueries({
    // A hidden tab reads again when it is shown.
    refetchType: document.hidden ? 'none' : 'active',
    predicate: ({ queryKey: [path, input] }) =>
      ids.some((id) => (id === null ? path === me.path || isUnder('/api/points/', path) : isOfApp(path, input, id))) ||
      (isUnder('/api/oauth/my-apps/{id}/webhooks', path) && delivering_ids.some((id) => isOfApp(path, input, id))) ||
      (has_requests && path === listPointRequests.path),
  })
})

const isUnder = (prefix: string, path: unknown) => typeof path === 'string' && path.startsWith(prefix)

const isOfApp = (path: unknown, input: unknown, app_id: string) =>
  isUnder('/api/oauth/my-apps/{id}/', path) && (input as { params?: { id?: string } }).params?.id === app_id

const my_key = queryKeyOf(me, {})

function shownOfMe() {
  const user = queryClient.getQueryData<AnswerOf<typeof me>>(my_key)?.user
  return user && textOf({ ...user.stats, held: user.held })
}

function shownOfApp(id: string) {
  const queryKey = ['/api/oauth/my-apps/{id}/balance', { params: { id } }]
  const shown = queryClient.getQueryData<Omit<Totals, 'held'>>(queryKey)
  return shown && textOf({ ...shown, held: 0 })
}

/** The balance of the last event that is not yet shown. */
let my_balance: Balance | undefined

/** At most four times a second: every change restarts the deferred rendering of lists. */
const patchMe = onceIn(250, () => {
  if (!my_balance) return
  const { points, held, total_earned, total_spent } = my_balance
  queryClient.setQueryData<AnswerOf<typeof me>>(
    my_key,
    (answer) =>
      answer && {
        ...answer,
        user: { ...answer.user, points, held, stats: { ...answer.user.stats, total_earned, total_spent } },
      },
  )
})

export type Presence = AnswerOf<typeof listPresence>['presence'][number]

function updatePresence(news: Presence) {
  const queryKey = queryKeyOf(listPresence, {})
  // A response in flight may be older than the event.
  if (queryClient.isFetching({ queryKey }) > 0) void queryClient.invalidateQueries({ queryKey })
  else
    queryClient.setQueryData<AnswerOf<typeof listPresence>>(queryKey, (shown) =>
      shown ? { presence: [news, ...shown.presence.filter(({ user_id }) => user_id !== news.user_id)] } : undefined,
    )
}
