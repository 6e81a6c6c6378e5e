import { decisions } from '../../../contract/decisions.ts'
import { listFriends, listPendingFriends, listPresence, openChannel } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryClient, readAhead } from '../../api/hooks.ts'
import { openEvents } from '../../api/live-events.ts'
import { messagesKey, readPage, type Place } from './place.ts'

/** Friends and presence, read after the event stream is open, so that no change falls between the two. */
export async function readFriendsFirst() {
  await openEvents([])
  return Promise.all([listFriends, listPendingFriends, listPresence].map((endpoint) => readAhead(endpoint, {})))
}

/** The channel of the lobby, or of a table. */
export const channelQuery = (table: string | undefined) => ({
  queryKey: [openChannel.path, table ?? null],
  queryFn: () =>
    callApi(openChannel, { body: table === undefined ? { type: 'lobby' } : { type: 'table', ref_id: table } }),
  staleTime: Infinity,
})

export const message_page_size = decisions.chat_messages.page_default

export const readMessages = (place: Place, before?: string) =>
  readPage(place, { limit: message_page_size, ...(before !== undefined && { before }) })

/** The messages of a place in pages, newest first. New ones arrive by the event stream. */
export const messagesQuery = (place: Place) => ({
  queryKey: messagesKey(place),
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam }: { pageParam: string | undefined }) => readMessages(place, pageParam),
  getNextPageParam: (page: Awaited<ReturnType<typeof readMessages>>) =>
    page.length < message_page_size ? undefined : page.at(-1)?.sent_at,
  staleTime: Infinity,
  // Comparing up to 1,000 messages with each new one takes longer than drawing it.
  structuralSharing: false,
})

/** The messages of the shown place. The chat is rendered before its event stream is open, and then reads them again. */
export async function readChatFirst({ table, open, with: user_id }: Record<string, unknown>) {
  if (typeof user_id === 'string') return void (await queryClient.infiniteQuery(messagesQuery({ user_id })))
  if (table !== undefined || open !== undefined) return
  const { id } = await queryClient.query(channelQuery(undefined))
  openEvents([id]).catch(() => undefined)
  await queryClient.infiniteQuery(messagesQuery({ channel_id: id }))
}
