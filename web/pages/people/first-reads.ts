import { decisions } from '../../../contract/decisions.ts'
import { listFriends, listMessages, listPendingFriends, listPresence, openChannel } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryClient, queryKeyOf, readAhead } from '../../api/hooks.ts'
import { openEvents } from '../../api/live-events.ts'

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

export const readMessages = (channel_id: string, before?: string) =>
  callApi(listMessages, {
    params: { channel_id },
    query: { limit: message_page_size, ...(before !== undefined && { before }) },
  })

/** The messages of a channel in pages, the newest first. New ones come from the event stream. */
export const messagesQuery = (channel_id: string) => ({
  queryKey: queryKeyOf(listMessages, { channel_id }),
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam }: { pageParam: string | undefined }) => readMessages(channel_id, pageParam),
  getNextPageParam: (page: Awaited<ReturnType<typeof readMessages>>) =>
    page.length < message_page_size ? undefined : page.at(-1)?.sent_at,
  staleTime: Infinity,
})

/** The messages of the lobby. The chat is drawn before its event stream is open, and then reads them again. */
export async function readLobbyFirst({ table, open }: { table?: unknown; open?: unknown }) {
  if (table !== undefined || open !== undefined) return
  const { id } = await queryClient.query(channelQuery(undefined))
  openEvents([id]).catch(() => undefined)
  await queryClient.infiniteQuery(messagesQuery(id))
}
