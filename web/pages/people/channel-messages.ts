import { useInfiniteQuery, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { listMessages } from '../../../contract/social.ts'
import type { AnswerOf } from '../../api/call.ts'
import { queryKeyOf } from '../../api/hooks.ts'
import { message_page_size, messagesQuery, readMessages } from './first-reads.ts'
import { messagesKey, type Place } from './place.ts'

export type Message = AnswerOf<typeof listMessages>[number]

/** A message of the event stream, which is the same for all readers. */
export type PublishedMessage = Omit<Message, 'my_reactions'>

type CachedMessages = InfiniteData<Message[], string | undefined>

/** The maximum number of the newest messages kept while new ones arrive; older ones are read again. */
const kept_max = 1_000

/** The loaded messages of a place, oldest first. `fetchNextPage` reads older ones. */
export function useChannelMessages(place: Place) {
  const query = useInfiniteQuery({
    ...messagesQuery(place),
    // Refetching the pages would return the same.
    refetchOnWindowFocus: false,
    refetchOnReconnect: ({ state }) => state.data === undefined,
  })
  return { ...query, messages: query.data?.pages.flat().reverse() ?? [] }
}

/**
 * Inserts messages into the cached pages in order of time, without duplicates, if the channel is loaded. Returns the new
 * ones.
 */
export function addMessages(client: QueryClient, place: Place, added: readonly Message[]): Message[] {
  const queryKey = messagesKey(place)
  const known = client.getQueryData<CachedMessages>(queryKey)
  const [newest = [], ...older] = known?.pages ?? []
  const last = newest[0]?.sent_at
  // A message newer than all others needs no search.
  const is_newer = last !== undefined && added.length === 1 && added[0]!.sent_at > last
  const ids = is_newer ? undefined : new Set(known?.pages.flat().map(({ id }) => id))
  const new_messages = added.filter(({ id }) => !ids?.has(id))
  if (known && new_messages.length > 0) {
    const all = [...new_messages, ...newest]
    const sorted = is_newer ? all : all.sort((one, other) => (one.sent_at < other.sent_at ? 1 : -1))
    client.setQueryData<CachedMessages>(queryKey, withoutOldest({ ...known, pages: [sorted, ...older] }))
  }
  return new_messages
}

/** The same, or only one page of the newest messages if they are too many. */
function withoutOldest({ pages, pageParams }: CachedMessages): CachedMessages {
  const [newest = []] = pages
  if (newest.length <= kept_max) return { pages, pageParams }
  return { pages: [newest.slice(0, kept_max)], pageParams: pageParams.slice(0, 1) }
}

/** Updates messages whose text was removed or edited, or whose reactions changed. */
export function replaceMessages(client: QueryClient, place: Place, messages: readonly PublishedMessage[]) {
  const queryKey = messagesKey(place)
  const known = client.getQueryData<CachedMessages>(queryKey)
  if (!known) return
  const now = new Map(messages.map((message) => [message.id, message]))
  const pages = known.pages.map((page) => page.map((one) => (now.has(one.id) ? { ...one, ...now.get(one.id) } : one)))
  client.setQueryData<CachedMessages>(queryKey, { ...known, pages })
}

/**
 * Fetches the newest messages of a loaded channel, after the stream may have missed some. With a gap to the cached ones,
 * resets the query. Returns the new ones.
 */
export async function refetchNewest(client: QueryClient, place: Place): Promise<Message[]> {
  const queryKey = messagesKey(place)
  if (!client.getQueryData<CachedMessages>(queryKey)) {
    await client.invalidateQueries({ queryKey })
    return []
  }
  const newest = await readMessages(place)
  const known = client.getQueryData<CachedMessages>(queryKey)?.pages.flat() ?? []
  const oldest = newest.at(-1)
  const overlaps = newest.length < message_page_size || known.some(({ sent_at }) => oldest && sent_at >= oldest.sent_at)
  if (overlaps) {
    replaceMessages(client, place, newest)
    return addMessages(client, place, newest)
  }
  await client.resetQueries({ queryKey })
  return newest
}

/** Resets the messages of all channels, after a block has changed which of them are shown. */
export const resetMessages = (client: QueryClient) => client.resetQueries({ queryKey: queryKeyOf(listMessages) })
