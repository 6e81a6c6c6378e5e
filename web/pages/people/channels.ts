import { useQueries } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { decisions } from '../../../contract/decisions.ts'
import { openChannel } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'

/** A channel as the page has it open: the lobby, or the table with this name. */
export interface Channel {
  table: string | undefined
  name: string
  /** Absent until the service has answered. */
  id: string | undefined
  error: Error | null
  retry: () => void
}

/** As many as one stream may hear, the lobby among them. */
export const tables_max = decisions['D-80'].value.channels_max - 1

/** The channels that the address names: the lobby always, then the tables, of which one may be in front. */
export function useChannels() {
  const { table, open = [] } = useSearch({ from: '/chat' })
  const { navigate } = useRouter()
  const tables = [...new Set([...open, ...(table === undefined ? [] : [table])])].slice(-tables_max)
  const table_names = [undefined, ...tables]
  const answers = useQueries({
    queries: table_names.map((ref_id) => ({
      queryKey: [openChannel.path, ref_id ?? null],
      queryFn: () =>
        callApi(openChannel, { body: ref_id === undefined ? { type: 'lobby' } : { type: 'table', ref_id } }),
      staleTime: Infinity,
    })),
  })
  const channels = table_names.map((name, at): Channel => {
    const { data, error = null, refetch } = answers[at] ?? {}
    return { table: name, name: name ?? 'Lobby', id: data?.id, error, retry: () => void refetch?.() }
  })
  const show = (to: string | undefined, all: string[]) =>
    void navigate({
      to: '/chat',
      search: { table: to, open: all },
    })
  return {
    channels,
    here: channels.find((channel) => channel.table === table) ?? (channels[0] as Channel),
    open: (name: string | undefined) =>
      show(name, name === undefined || tables.includes(name) ? tables : [...tables, name]),
    close: (name: string) => {
      const rest = tables.filter((one) => one !== name)
      show(name === table ? undefined : table, rest)
    },
  }
}
