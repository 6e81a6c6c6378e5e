import { Group, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { readNotices } from '../../../contract/notice-reads.ts'
import { listTablePresence } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { noteUnread, useUnreadNotices } from '../../api/unread-notices.ts'
import { useSession } from '../../session/session.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LoadingSkeleton } from '../../ui/page-parts.tsx'
import {
  addMessages,
  refetchNewest,
  replaceMessage,
  useChannelMessages,
  type Message,
  type PublishedMessage,
} from './channel-messages.ts'
import { ChannelList } from './channel-list.tsx'
import { useChannels, type Channel } from './channels.ts'
import { Composer } from './composer.tsx'
import type { PlazaEvent, StreamState } from '../../api/event-stream.ts'
import { MessageList } from './message-list.tsx'
import { useOutbox } from './outbox.ts'
import { useFriendEvents } from './friend-relations.ts'
import { useEvents } from './use-events.ts'
import { usePresenceHeartbeat } from './use-presence.ts'
import classes from './chat.module.css'
import { t } from '../../texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { RichText } from '../../ui/rich-text.tsx'

/** The presence of a user who has the channel open. */
const presenceOf = ({ table, name }: Channel) => ({
  game: table === undefined ? t('common.chat') : t('people.chat.table'),
  lobby: name,
})

export default function Chat() {
  const client = useQueryClient()
  const { channels, current, open, close } = useChannels()
  const [unread, setUnread] = useState<Record<string, number | undefined>>({})
  const outbox = useOutbox()
  const user_id = useSession().session?.user.id ?? ''
  const ids = channels.flatMap(({ id }) => (id === undefined ? [] : [id]))

  const countUnread = (channel_id: string, fresh: readonly Message[]) => {
    const others = fresh.filter(({ sender_id }) => sender_id !== user_id).length
    if (others > 0 && channel_id !== current.id)
      setUnread((all) => ({ ...all, [channel_id]: (all[channel_id] ?? 0) + others }))
  }
  const refetchMessages = () => {
    for (const id of ids)
      refetchNewest(client, id)
        .then((fresh) => countUnread(id, fresh))
        .catch(() => undefined)
  }
  const receiveMessage = ({ channel_id, ...published }: PublishedMessage & { channel_id: string }) => {
    const message = { ...published, my_reactions: [] }
    if (message.sender_id === user_id && outbox.defer(channel_id, message)) return
    countUnread(channel_id, addMessages(client, channel_id, [message]))
  }
  const showChanged = ({ channel_id, ...message }: PublishedMessage & { channel_id: string }) =>
    replaceMessage(client, channel_id, message)
  const onEvent = (event: PlazaEvent) => {
    if (event.name === 'message') receiveMessage(event.data)
    if (event.name === 'message_removed' || event.name === 'message_changed') showChanged(event.data)
    if (event.name === 'reset') refetchMessages()
  }
  useFriendEvents()
  const stream = useEvents(current.id === undefined ? undefined : ids, onEvent)
  // Messages sent between the query and the start of the stream.
  const onLive = useEffectEvent(refetchMessages)
  useEffect(() => {
    if (stream.status === 'live') onLive()
  }, [stream.status])
  if (current.id !== undefined && unread[current.id] !== undefined) setUnread({ ...unread, [current.id]: undefined })
  useReadNotices(current)
  const announced = usePresenceHeartbeat(presenceOf(current))

  return (
    <>
      <div className={classes.chat}>
        <ChannelList channels={channels} current={current} unread={unread} onOpen={open} onClose={close} />
        <section className={classes.panel} aria-label={t('people.chat.chat-2', { name: current.name })}>
          <ChannelHead channel={current} stream={stream} announced={announced} />
          {current.error && (
            <div className={classes.note}>
              <FailureNote error={current.error} onRetry={current.retry} />
            </div>
          )}
          {current.id === undefined && !current.error && (
            <div className={classes.note}>
              <LoadingSkeleton rows={5} />
            </div>
          )}
          {current.id !== undefined && (
            <Conversation
              key={current.id}
              channel_id={current.id}
              name={current.name}
              user_id={user_id}
              outbox={outbox}
            />
          )}
        </section>
      </div>
    </>
  )
}

/** Marks the notice of the shown table as read, if there may be one. The lobby has none. */
function useReadNotices({ id, table }: Channel) {
  const unread = useUnreadNotices()
  const is_shown = table !== undefined && id !== undefined && unread > 0
  useEffect(() => {
    if (!is_shown) return
    // If the call fails, the notice stays in the inbox.
    callApi(readNotices, { body: { channel_id: id } }).then(
      (answer) => noteUnread(answer.unread),
      () => undefined,
    )
  }, [is_shown, id, unread])
}

function ChannelHead({ channel, stream, announced }: { channel: Channel; stream: StreamState; announced: boolean }) {
  const { table, name } = channel
  const { game, lobby } = presenceOf(channel)
  const present = useApiQuery(listTablePresence, { query: { game, ref_id: lobby } }, { enabled: announced })
  const count = present.data?.users.length ?? 0
  return (
    <>
      <Group className={classes.top} justify="space-between" gap="xs" wrap="nowrap">
        <Title order={1} size="h3" tabIndex={-1} className="user-content" lineClamp={1}>
          {name}
        </Title>
        <Text size="sm" c="dimmed" className={classes.time}>
          {table === undefined ? t('people.chat.everybody') : t('people.chat.table')}
          {count > 0 && ` ${t('people.chat.here-now', { count })}`}
        </Text>
      </Group>
      <StreamNote state={stream} />
    </>
  )
}

interface ConversationProps {
  channel_id: string
  name: string
  user_id: string
  outbox: ReturnType<typeof useOutbox>
}

function Conversation({ channel_id, name, user_id, outbox }: ConversationProps) {
  const messages = useChannelMessages(channel_id)
  return (
    <>
      <MessageList
        name={name}
        user_id={user_id}
        messages={messages}
        outgoing={outbox.items.filter((item) => item.channel_id === channel_id)}
        onSendAgain={outbox.sendAgain}
        onDiscard={outbox.discard}
      />
      <Composer
        channel_id={channel_id}
        name={name}
        disabled={!messages.data}
        onSend={(body) => outbox.send(channel_id, body)}
      />
    </>
  )
}

/** Shows that the event stream is disconnected and when it is retried. */
const StreamNote = ({ state }: { state: StreamState }) => (
  <div role="status">
    {(state.status === 'disconnected' || state.status === 'refused') && (
      <Group gap="xs" wrap="nowrap" className={classes.disconnected}>
        <Icon name="alert" size={16} />
        {state.status === 'refused' ? (
          <span>{t('people.stream-note.new-messages-do-not-arrive-reload', { message: state.message })}</span>
        ) : (
          <span>
            <RichText
              k="people.stream-note.new-messages-do-not-arrive-plaza"
              countdown={<Countdown key={state.retry_at} to={state.retry_at} />}
            />
          </span>
        )}
      </Group>
    )}
  </div>
)

function Countdown({ to }: { to: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((to - now) / 1000))
  return (
    <span aria-hidden>
      {seconds > 0 ? t('people.stream-note.trying-again-in-s', { seconds }) : t('people.stream-note.trying-now')}
    </span>
  )
}
