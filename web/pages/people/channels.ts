import { useQueries } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { decisions } from '../../../contract/decisions.ts'
import { channelQuery } from './first-reads.ts'
import { t } from '../../texts.ts'

/** An open channel: the lobby or a table. */
export interface Channel {
  table: string | undefined
  name: string
  /** Undefined until the channel is loaded. */
  id: string | undefined
  error: Error | null
  retry: () => void
}

/** One event stream carries `channels_max` channels, including the lobby. */
export const tables_max = decisions.event_streams.channels_max - 1

/** The channels of the URL: the lobby, then the open tables; `current` is the selected one. */
export function useChannels() {
  const { table, open = [] } = useSearch({ from: '/chat' })
  const { navigate } = useRouter()
  const tables = [...new Set([...open, ...(table === undefined ? [] : [table])])].slice(-tables_max)
  const table_names = [undefined, ...tables]
  const answers = useQueries({
    queries: table_names.map(channelQuery),
  })
  const channels = table_names.map((name, at): Channel => {
    const { data, error = null, refetch } = answers[at] ?? {}
    return { table: name, name: name ?? t('people.channels.lobby'), id: data?.id, error, retry: () => void refetch?.() }
  })
  const show = (to: string | undefined, all: string[]) =>
    void navigate({
      to: '/chat',
      search: { table: to, open: all },
    })
  return {
    channels,
    current: channels.find((channel) => channel.table === table) ?? (channels[0] as Channel),
    open: (name: string | undefined) =>
      show(name, name === undefined || tables.includes(name) ? tables : [...tables, name]),
    close: (name: string) => {
      const rest = tables.filter((one) => one !== name)
      show(name === table ? undefined : table, rest)
    },
  }
}
