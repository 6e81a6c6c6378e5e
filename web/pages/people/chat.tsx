import { Avatar, Group, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { listDirectMessages } from '../../../contract/conversations.ts'
import { readNotices } from '../../../contract/notice-reads.ts'
import { listTablePresence } from '../../../contract/social.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf, useApiQuery } from '../../api/hooks.ts'
import { noteUnread, useUnreadNotices } from '../../api/unread-notices.ts'
import { useSession } from '../../session/session.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { LoadingSkeleton } from '../../ui/page-parts.tsx'
import {
  addMessages,
  refetchNewest,
  replaceMessages,
  useChannelMessages,
  type Message,
  type PublishedMessage,
} from './channel-messages.ts'
import { ChannelList } from './channel-list.tsx'
import { useChannels, type Channel } from './channels.ts'
import { Composer } from './composer.tsx'
import type { PlazaEvent, StreamState } from '../../api/event-stream.ts'
import { MessageList } from './message-list.tsx'
import { isEditable } from './message-row.tsx'
import { useOutbox } from './outbox.ts'
import { placeKey, type Place } from './place.ts'
import { useReadMarker } from './read-marker.ts'
import { useFriendEvents } from './friend-relations.ts'
import { useEvents } from './use-events.ts'
import { usePresenceHeartbeat } from './use-presence.ts'
import classes from './chat.module.css'
import { PersonAvatar } from '../../ui/person.tsx'
import { t } from '../../texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { RichText } from '../../ui/rich-text.tsx'

/** The presence of a user with this channel open. A conversation is not a place that others see. */
function presenceOf({ kind, name }: Channel) {
  if (kind === 'direct') return { game: t('common.chat') }
  return { game: kind === 'lobby' ? t('common.chat') : t('people.chat.table'), lobby: name }
}

export default function Chat() {
  const client = useQueryClient()
  const { channels, direct, current, open, close } = useChannels()
  const [unread, setUnread] = useState<Record<string, number | undefined>>({})
  const outbox = useOutbox()
  const user_id = useSession().session?.user.id ?? ''
  const places = channels.flatMap(({ place }) => place ?? [])
  const current_key = current.place && placeKey(current.place)

  /** The API counts direct messages; those of channels are counted here. */
  const countUnread = (place: Place, fresh: readonly Message[]) => {
    const key = placeKey(place)
    const others = fresh.filter(({ sender_id }) => sender_id !== user_id).length
    if (others > 0 && key !== current_key && !('user_id' in place))
      setUnread((all) => ({ ...all, [key]: (all[key] ?? 0) + others }))
  }
  const refetchMessages = () => {
    const is_direct = current.kind === 'direct'
    void client.invalidateQueries({ queryKey: queryKeyOf(listDirectMessages), refetchType: 'none' })
    for (const place of [...places, ...(is_direct && current.place ? [current.place] : [])])
      refetchNewest(client, place)
        .then((fresh) => countUnread(place, fresh))
        .catch(() => undefined)
  }
  const receiveMessage = (place: Place, published: PublishedMessage) => {
    const message = { ...published, my_reactions: [] }
    if (message.sender_id === user_id && outbox.defer(place, message)) return
    countUnread(place, addMessages(client, place, [message]))
  }
  const onEvent = (event: PlazaEvent) => {
    const found = messageOf(event)
    if (found?.is_new) receiveMessage(found.place, found.message)
    else if (found) replaceMessages(client, found.place, [found.message])
    if (event.name === 'reset') refetchMessages()
  }
  const is_loaded = channels.every(({ place, error }) => place ?? error)
  const stream = useEvents(
    is_loaded ? places.flatMap((place) => ('user_id' in place ? [] : place.channel_id)) : undefined,
    onEvent,
  )
  useFriendEvents(is_loaded)
  // Messages sent between the query and the start of the stream.
  const onLive = useEffectEvent(refetchMessages)
  useEffect(() => {
    if (stream.status === 'live') onLive()
  }, [stream.status])
  if (current_key !== undefined && unread[current_key] !== undefined) setUnread({ ...unread, [current_key]: undefined })
  useReadNotices(current)
  const announced = usePresenceHeartbeat(presenceOf(current))

  return (
    <>
      <div className={classes.chat}>
        <ChannelList
          channels={channels}
          direct={direct}
          current={current}
          unread={unread}
          onOpen={open}
          onClose={close}
        />
        <section className={classes.panel} aria-label={t('people.chat.chat-2', { name: current.name })}>
          <ChannelHead channel={current} stream={stream} announced={announced} />
          {current.error && (
            <div className={classes.note}>
              <FailureNote error={current.error} onRetry={current.retry} />
            </div>
          )}
          {!current.place && !current.error && (
            <div className={classes.note}>
              <LoadingSkeleton rows={5} />
            </div>
          )}
          {current.place && (
            <Conversation key={current_key} place={current.place} channel={current} user_id={user_id} outbox={outbox} />
          )}
        </section>
      </div>
    </>
  )
}

/** The message of an event; undefined for other events. */
function messageOf(event: PlazaEvent): { place: Place; message: PublishedMessage; is_new: boolean } | undefined {
  if (event.name === 'message' || event.name === 'message_removed' || event.name === 'message_changed') {
    const { channel_id, ...message } = event.data
    return { place: { channel_id }, message, is_new: event.name === 'message' }
  }
  if (event.name !== 'direct_message' && event.name !== 'direct_message_changed') return undefined
  const { user_id, ...message } = event.data
  return { place: { user_id }, message, is_new: event.name === 'direct_message' }
}

/** Marks the notice of the shown table as read, if there may be one. The lobby has none. */
function useReadNotices({ kind, place }: Channel) {
  const unread = useUnreadNotices()
  const id = kind === 'table' && place && 'channel_id' in place ? place.channel_id : undefined
  const is_shown = id !== undefined && unread > 0
  useEffect(() => {
    if (!is_shown) return
    // If the call fails, the notice stays in the inbox.
    callApi(readNotices, { body: { channel_id: id } }).then(
      (answer) => noteUnread(answer.unread),
      () => undefined,
    )
  }, [is_shown, id, unread])
}

/** The number of people at a table that are shown by their pictures. */
const pictures_max = 5

function ChannelHead({ channel, stream, announced }: { channel: Channel; stream: StreamState; announced: boolean }) {
  const { kind, name } = channel
  const { game, lobby } = presenceOf(channel)
  const present = useApiQuery(
    listTablePresence,
    { query: { game, ref_id: lobby ?? '' } },
    { enabled: announced && lobby !== undefined },
  )
  const users = present.data?.users ?? []
  return (
    <>
      <Group className={classes.top} justify="space-between" gap="xs" wrap="nowrap">
        <Title order={1} size="h3" tabIndex={-1} className="user-content" lineClamp={1}>
          {name}
        </Title>
        <Group gap="xs" wrap="nowrap">
          <Avatar.Group spacing="xs">
            {users.slice(0, pictures_max).map((user) => (
              <PersonAvatar key={user.user_id} person={user} size={26} />
            ))}
          </Avatar.Group>
          <Text size="sm" c="dimmed" className={classes.time}>
            {kind === 'direct'
              ? t('people.chat.only-you-two')
              : kind === 'lobby'
                ? t('people.chat.everybody')
                : t('people.chat.table')}
            {users.length > 0 && ` ${t('people.chat.here-now', { count: users.length })}`}
          </Text>
        </Group>
      </Group>
      <StreamNote state={stream} />
    </>
  )
}

interface ConversationProps {
  place: Place
  channel: Channel
  user_id: string
  outbox: ReturnType<typeof useOutbox>
}

function Conversation({ place, channel: { name, is_closed = false }, user_id, outbox }: ConversationProps) {
  const messages = useChannelMessages(place)
  const [editing, setEditing] = useState<string>()
  const key = placeKey(place)
  const may = { user_id, writable: !is_closed }
  useReadMarker(place, messages.messages.at(-1)?.id)
  return (
    <>
      <MessageList
        {...may}
        name={name}
        place={place}
        messages={messages}
        editing={editing}
        onEdit={setEditing}
        outgoing={outbox.items.filter((item) => placeKey(item.place) === key)}
        errors={outbox.errors}
        onSendAgain={outbox.sendAgain}
        onDiscard={outbox.discard}
      />
      {is_closed ? (
        <Text size="sm" c="dimmed" className={classes.composer}>
          {t('people.chat.you-can-write-only-to-friends')}
        </Text>
      ) : (
        <Composer
          place={place}
          name={name}
          disabled={!messages.data}
          onSend={(body) => outbox.send(place, body)}
          onEditLast={() => setEditing(messages.messages.findLast((message) => isEditable(message, may))?.id)}
        />
      )}
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
