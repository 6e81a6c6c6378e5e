import { useInfiniteQuery, useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { listMessages, sendMessage } from '../../../contract/social.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { keyOf } from '../../api/hooks.ts'

export type Message = AnswerOf<typeof listMessages>[number]

/** What somebody sent from this page and the service has not taken yet, or would not. */
export interface Outgoing {
  key: number
  channel_id: string
  body: string
  error?: Error
}

const limit = decisions['D-73'].value.page_default

type Known = InfiniteData<Message[], string | undefined>
const keyOfChannel = (channel_id: string) => keyOf(listMessages, { channel_id })

const readPage = (channel_id: string, before?: string) =>
  callApi(listMessages, {
    params: { channel_id },
    query: { limit, ...(before !== undefined && { before }) },
  })

/** The messages of a channel, oldest first, as far as they were read: `fetchNextPage` reads what was said before them. */
export function useChannelMessages(channel_id: string) {
  const query = useInfiniteQuery({
    queryKey: keyOfChannel(channel_id),
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => readPage(channel_id, pageParam),
    getNextPageParam: (page) => (page.length < limit ? undefined : page.at(-1)?.sent_at),
    // The stream brings what is new; reading page after page again would only bring the same.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return { ...query, messages: query.data?.pages.flat().reverse() ?? [] }
}

/** Puts messages where they belong in time, each once; only where the channel has been read at all. */
export function addMessages(client: QueryClient, channel_id: string, added: readonly Message[]) {
  client.setQueryData<Known>(keyOfChannel(channel_id), (known) => {
    if (!known) return undefined
    const ids = new Set(known.pages.flat().map(({ id }) => id))
    const fresh = added.filter(({ id }) => !ids.has(id))
    if (fresh.length === 0) return known
    const [newest = [], ...older] = known.pages
    const sorted = [...fresh, ...newest].sort((one, other) => (one.sent_at < other.sent_at ? 1 : -1))
    return { ...known, pages: [sorted, ...older] }
  })
}

/** Reads the newest messages: for when the stream may have missed some. With a gap to what is known, begins anew. */
export async function rereadNewest(client: QueryClient, channel_id: string) {
  const queryKey = keyOfChannel(channel_id)
  const known = client.getQueryData<Known>(queryKey)?.pages.flat() ?? []
  if (known.length === 0) return client.invalidateQueries({ queryKey })
  const newest = await readPage(channel_id)
  const oldest = newest.at(-1)
  const touches = newest.length < limit || known.some(({ sent_at }) => oldest && sent_at >= oldest.sent_at)
  if (touches) return addMessages(client, channel_id, newest)
  return client.resetQueries({ queryKey })
}

/** Forgets what was read of all channels: whose messages are shown has changed. */
export const rereadChannels = (client: QueryClient) => client.resetQueries({ queryKey: keyOf(listMessages) })

/**
 * What is being sent: shown at once, sent one after the other, gone as soon as the service has taken it. `hold` keeps a
 * message of one's own that the stream brought first, so that it is not seen twice for a moment.
 */
export function useOutbox() {
  const client = useQueryClient()
  const [items, setItems] = useState<readonly Outgoing[]>([])
  const [queue] = useState(() => new SendQueue())

  async function deliver({ key, channel_id, body }: Outgoing) {
    try {
      const message = await callApi(sendMessage, { params: { channel_id }, body: { body } })
      setItems((all) => all.filter((item) => item.key !== key))
      addMessages(client, channel_id, [message])
    } catch (error) {
      setItems((all) => all.map((item) => (item.key === key ? { ...item, error: error as Error } : item)))
    }
  }
  const enqueue = async (item: Outgoing) => {
    setItems((all) => [...all.filter(({ key }) => key !== item.key), item])
    for (const { channel_id, message } of await queue.add(() => deliver(item)))
      addMessages(client, channel_id, [message])
  }
  return {
    items,
    send: (channel_id: string, body: string) => void enqueue({ key: queue.nextKey(), channel_id, body }),
    sendAgain: ({ key, channel_id, body }: Outgoing) => void enqueue({ key, channel_id, body }),
    discard: ({ key }: Outgoing) => setItems((all) => all.filter((item) => item.key !== key)),
    hold: (channel_id: string, message: Message) => queue.hold({ channel_id, message }),
  }
}

interface Held {
  channel_id: string
  message: Message
}

/** One after the other, in the order in which they were said. */
class SendQueue {
  private tail = Promise.resolve()
  private made = 0
  private under_way = 0
  private held: Held[] = []

  nextKey() {
    this.made += 1
    return this.made
  }

  /** Answers, once nothing is on its way any more, what was held meanwhile. */
  async add(deliver: () => Promise<void>): Promise<Held[]> {
    this.under_way += 1
    this.tail = this.tail.then(deliver)
    await this.tail
    this.under_way -= 1
    return this.under_way === 0 ? this.held.splice(0) : []
  }

  hold(held: Held) {
    if (this.under_way > 0) this.held.push(held)
    return this.under_way > 0
  }
}
