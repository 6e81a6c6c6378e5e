import { useQueries } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { decisions } from '../../../contract/decisions.ts'
import { useConversations } from '../../api/conversations.ts'
import { channelQuery } from './first-reads.ts'
import type { Look } from '../../ui/person.tsx'
import { useFriends } from './friend-relations.ts'
import type { Place } from './place.ts'
import { t } from '../../texts.ts'

/** The lobby, an open table, or a conversation. */
export interface Channel {
  kind: 'lobby' | 'table' | 'direct'
  /** Identifies it within its kind: the table, or the id of the other person. */
  ref: string | undefined
  name: string
  /** The look of the other person in a conversation, if known. */
  look?: Look | undefined
  /** Undefined until the channel is loaded. */
  place: Place | undefined
  /** Undefined if the page counts by itself. */
  unread?: number
  /** The person is no longer a friend, so nothing can be written. */
  is_closed?: boolean
  error: Error | null
  retry: () => void
}

/** One event stream carries `channels_max` channels, including the lobby. */
export const tables_max = decisions.event_streams.channels_max - 1

const ready = { error: null, retry: () => undefined }

/** The conversations, newest first, followed by the friends without one. */
function useDirectChannels(shown_id: string | undefined): Channel[] {
  const friends = useFriends().data
  const conversations = useConversations().data?.direct ?? []
  const known = new Set(conversations.map(({ user_id }) => user_id))
  const quiet = (friends ?? [])
    .filter(({ id }) => !known.has(id))
    .map(({ id, username }) => ({ user_id: id, username, unread: 0 }))
  const listed = [...conversations, ...quiet]
  const missing = shown_id === undefined || listed.some(({ user_id }) => user_id === shown_id)
  return [...listed, ...(missing ? [] : [{ user_id: shown_id, username: null, unread: 0 }])].map(
    ({ user_id, username, unread }) => ({
      ...ready,
      kind: 'direct',
      ref: user_id,
      look: friends?.find(({ id }) => id === user_id),
      name: username ?? (friends ? t('common.deleted-account') : '…'),
      place: { user_id },
      unread,
      is_closed: friends !== undefined && !friends.some(({ id }) => id === user_id),
    }),
  )
}

/** The channels in the URL (the lobby and the open tables) and the conversations; `current` is the selected one. */
export function useChannels() {
  const { table, open = [], with: user_id } = useSearch({ from: '/chat' })
  const { navigate } = useRouter()
  const tables = [...new Set([...open, ...(table === undefined ? [] : [table])])].slice(-tables_max)
  const table_names = [undefined, ...tables]
  const answers = useQueries({
    queries: table_names.map(channelQuery),
  })
  const channels = table_names.map((name, at): Channel => {
    const { data, error = null, refetch } = answers[at] ?? {}
    return {
      kind: name === undefined ? 'lobby' : 'table',
      ref: name,
      name: name ?? t('people.channels.lobby'),
      place: data && { channel_id: data.id },
      error,
      retry: () => void refetch?.(),
    }
  })
  const direct = useDirectChannels(user_id)
  const show = (search: { table?: string | undefined; with?: string | undefined }, all: string[]) =>
    void navigate({ to: '/chat', search: { ...search, open: all } })
  const current = direct.find(({ ref }) => ref === user_id) ?? channels.find(({ ref }) => ref === table)
  return {
    channels,
    direct,
    current: current ?? channels[0]!,
    open: ({ kind, ref }: Pick<Channel, 'kind' | 'ref'>) => {
      if (kind === 'direct') return show({ with: ref }, tables)
      show({ table: ref }, ref === undefined || tables.includes(ref) ? tables : [...tables, ref])
    },
    close: (name: string) => {
      const rest = tables.filter((one) => one !== name)
      show(name === table ? {} : { table, with: user_id }, rest)
    },
  }
}
