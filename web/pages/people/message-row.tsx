import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import type { ReactionName } from '../../../contract/kinds/reactions.ts'
import { NetworkError } from '../../api/errors.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import { notify } from '../../ui/notify.tsx'
import { PersonAvatar, PersonName } from '../../ui/person.tsx'
import { replaceMessages, resetMessages, type Message } from './channel-messages.ts'
import { MessageEdit } from './message-edit.tsx'
import type { Row } from './message-rows.ts'
import type { Outgoing } from './outbox.ts'
import { deleteMessage, setReaction, type Place } from './place.ts'
import { ReactionCounts, ReactionItems } from './reactions.tsx'
import { RequestFriendItem, BlockDialog } from './person-actions.tsx'
import { ReportDialog } from './report-button.tsx'
import classes from './chat.module.css'
import { locale, t } from '../../texts.ts'

export const nameOf = ({ sender_username }: Message) => sender_username ?? t('common.deleted-account')

const senderOf = (message: Message) => ({
  username: nameOf(message),
  display_name: message.sender_display_name,
  picture_url: message.sender_picture_url,
})

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

/** Everything that a row needs besides its message. */
export interface RowActions {
  user_id: string
  place: Place
  /** Whether the person can write here. */
  writable: boolean
  /** The id of the person's own message that is being edited. */
  editing: string | undefined
  onEdit: (message_id: string | undefined) => void
  errors: Readonly<Record<string, Error>>
  onSendAgain: (item: Outgoing) => void
  onDiscard: (item: Outgoing) => void
}

export function MessageRow({ row, ...actions }: RowActions & { row: Row }) {
  if (row.kind === 'outgoing') return <OutgoingRow item={row.outgoing} head={row.head} {...actions} />
  const { message, head, day } = row
  return (
    <>
      {day !== undefined && (
        <Text size="xs" fw={600} c="dimmed" className={classes.day}>
          {day}
        </Text>
      )}
      <div className={classes.message} data-head={head || undefined}>
        {head ? (
          <PersonAvatar person={senderOf(message)} size={30} className={classes.face} />
        ) : (
          <span className={classes.margin_time} aria-hidden>
            {clock.format(new Date(message.sent_at))}
          </span>
        )}
        <div className={classes.content}>
          {head && (
            <Group gap={8} wrap="nowrap" align="baseline">
              <PersonName person={senderOf(message)} />
              <Text component="time" dateTime={message.sent_at} size="xs" c="dimmed" className={classes.time}>
                {clock.format(new Date(message.sent_at))}
              </Text>
            </Group>
          )}
          <MessageContent message={message} {...actions} />
        </div>
        {actions.editing !== message.id && <MessageMenu message={message} {...actions} />}
      </div>
    </>
  )
}

/** The text with its reactions, its placeholder if it was removed, or its form while it is edited. */
function MessageContent({ message, ...actions }: RowActions & { message: Message }) {
  const react = useReact(message, actions)
  if (message.removed)
    return (
      <p className={`${classes.body} ${classes.removed}`}>
        {message.removed_by === 'sender'
          ? t('people.message-row.this-message-was-deleted')
          : t('people.message-row.this-message-was-removed-by-an')}
      </p>
    )
  if (actions.editing === message.id)
    return <MessageEdit message={message} place={actions.place} onClose={() => actions.onEdit(undefined)} />
  return (
    <>
      <p className={`${classes.body} user-content`} dir="auto">
        <LinkedText>{message.filtered_body}</LinkedText>
        {message.edited_at !== null && (
          <Text span size="xs" c="dimmed" ml={6} title={clock.format(new Date(message.edited_at))}>
            {t('people.message-row.edited')}
          </Text>
        )}
      </p>
      <ReactionCounts message={message} onReact={react} />
    </>
  )
}

/** Returns a function that reacts to a message; undefined if the person cannot. */
function useReact(message: Message, { place, writable }: Pick<RowActions, 'place' | 'writable'>) {
  const client = useQueryClient()
  if (!writable || message.removed) return undefined
  return (name: ReactionName, is_on: boolean) =>
    void setReaction(place, message.id, name, is_on).then(
      (changed) => replaceMessages(client, place, [changed]),
      (error: Error) => notify(error.message),
    )
}

const { edit_seconds } = decisions.message_changes

export const isEditable = (message: Message, { user_id, writable }: Pick<RowActions, 'user_id' | 'writable'>) =>
  writable &&
  message.sender_id === user_id &&
  !message.removed &&
  Date.now() - Date.parse(message.sent_at) < edit_seconds * 1_000

/** An unsent message with its original text; the masked text comes with the response. */
function OutgoingRow({ item, head, errors, onSendAgain, onDiscard }: RowActions & { item: Outgoing; head: boolean }) {
  const error = errors[item.key]
  return (
    <div className={classes.message} data-head={head || undefined} data-pending={!error || undefined}>
      <span className={classes.margin_time} aria-hidden />
      <div className={classes.content}>
        {head && (
          <Text fw={600} size="sm">
            {t('common.you')}
          </Text>
        )}
        <p className={`${classes.body} user-content`} dir="auto">
          <LinkedText>{item.body}</LinkedText>
        </p>
        {error && (
          <Group gap="xs" role="alert">
            <Text size="sm" c={error instanceof NetworkError ? 'dimmed' : 'red'}>
              {error instanceof NetworkError
                ? t('people.message-row.waits-for-the-network')
                : t('people.message-row.not-sent', { message: error.message })}
            </Text>
            <Button size="compact-xs" variant="default" onClick={() => onSendAgain(item)}>
              {t('common.send-again')}
            </Button>
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onDiscard(item)}>
              {t('common.discard')}
            </Button>
          </Group>
        )}
      </div>
    </div>
  )
}

function MessageMenu({ message, ...actions }: RowActions & { message: Message }) {
  const [dialog, setDialog] = useState<'block' | 'report' | 'delete'>()
  const client = useQueryClient()
  const react = useReact(message, actions)
  const { place, user_id, onEdit } = actions
  const person = { id: message.sender_id, username: nameOf(message) }
  const close = () => setDialog(undefined)
  const is_mine = message.sender_id === user_id
  // No action is possible for a removed message of a deleted account.
  const may_relate = !is_mine && message.sender_username !== null
  if (message.removed && !may_relate) return null
  return (
    <>
      <ActionMenu
        button={
          // Every row has one, and a plain button renders in a fraction of the time of an ActionIcon.
          <button
            type="button"
            className={classes.more}
            aria-label={t('people.message-row.more-about-the-message-of', {
              username: person.username,
              format: clock.format(new Date(message.sent_at)),
            })}
          >
            <Icon name="dots" size={14} />
          </button>
        }
      >
        <ReactionItems message={message} onReact={react} />
        {isEditable(message, actions) && (
          <MenuItem icon="pencil" onClick={() => onEdit(message.id)}>
            {t('people.message-row.edit')}
          </MenuItem>
        )}
        {is_mine && (
          <MenuItem icon="trash" onClick={() => setDialog('delete')}>
            {t('common.delete-2')}
          </MenuItem>
        )}
        {may_relate && !('user_id' in place) && <RequestFriendItem person={person} />}
        {!is_mine && !message.removed && (
          <MenuItem icon="flag" onClick={() => setDialog('report')}>
            {t('people.message-row.report-this-message')}
          </MenuItem>
        )}
        {may_relate && (
          <MenuItem icon="ban" onClick={() => setDialog('block')}>
            {t('common.block', { username: person.username })}
          </MenuItem>
        )}
      </ActionMenu>
      {dialog === 'block' && (
        <BlockDialog person={person} onClose={close} onBlocked={() => void resetMessages(client)} />
      )}
      {dialog === 'report' && (
        <ReportDialog
          about={{ message_id: message.id }}
          username={person.username}
          quote={message.filtered_body}
          onClose={close}
        />
      )}
      {dialog === 'delete' && <DeleteDialog message={message} place={place} onClose={close} />}
    </>
  )
}

function DeleteDialog({ message, place, onClose }: { message: Message; place: Place; onClose: () => void }) {
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteMessage(place, message.id),
    onSuccess: (deleted) => {
      replaceMessages(client, place, [deleted])
      onClose()
    },
  })
  return (
    <Confirm
      opened
      title={t('people.message-row.delete-this-message')}
      action={t('common.delete')}
      busy={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      {t('people.message-row.everyone-sees-that-a-message-was')}
    </Confirm>
  )
}
