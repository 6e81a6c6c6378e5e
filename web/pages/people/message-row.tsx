import { Avatar, Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { NetworkError } from '../../api/errors.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { MenuItem } from '../../ui/menu-item.tsx'
import { LinkedText } from '../../ui/linked-text.tsx'
import { resetMessages, type Message } from './channel-messages.ts'
import type { Row } from './message-rows.ts'
import type { Outgoing } from './outbox.ts'
import { RequestFriendItem, BlockDialog } from './person-actions.tsx'
import { ReportDialog } from './report-button.tsx'
import classes from './chat.module.css'
import { locale, t } from '../../texts.ts'

export const nameOf = ({ sender_username }: Message) => sender_username ?? t('common.deleted-account')

const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

interface MessageRowProps {
  row: Row
  user_id: string
  onSendAgain: (item: Outgoing) => void
  onDiscard: (item: Outgoing) => void
}

export function MessageRow({ row, user_id, onSendAgain, onDiscard }: MessageRowProps) {
  if (row.kind === 'outgoing')
    return <OutgoingRow item={row.outgoing} head={row.head} onSendAgain={onSendAgain} onDiscard={onDiscard} />
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
          <Avatar name={nameOf(message)} color="plaza" size={30} radius="xl" aria-hidden className={classes.face} />
        ) : (
          <span className={classes.margin_time} aria-hidden>
            {clock.format(new Date(message.sent_at))}
          </span>
        )}
        <div className={classes.content}>
          {head && (
            <Group gap={8} wrap="nowrap" align="baseline">
              <Text span fw={600} size="sm" truncate className="user-content">
                {nameOf(message)}
              </Text>
              <Text component="time" dateTime={message.sent_at} size="xs" c="dimmed" className={classes.time}>
                {clock.format(new Date(message.sent_at))}
              </Text>
            </Group>
          )}
          {message.removed ? (
            <p className={`${classes.body} ${classes.removed}`}>
              {t('people.message-row.this-message-was-removed-by-an')}
            </p>
          ) : (
            <p className={`${classes.body} user-content`} dir="auto">
              <LinkedText>{message.filtered_body}</LinkedText>
            </p>
          )}
        </div>
        <MessageMenu message={message} mine={message.sender_id === user_id} />
      </div>
    </>
  )
}

/** An unsent message with its original text; the masked text comes with the response. */
function OutgoingRow({ item, head, onSendAgain, onDiscard }: { item: Outgoing; head: boolean } & OutgoingActions) {
  return (
    <div className={classes.message} data-head={head || undefined} data-pending={!item.error || undefined}>
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
        {item.error && (
          <Group gap="xs" role="alert">
            <Text size="sm" c="red">
              {item.error instanceof NetworkError
                ? t('people.message-row.no-answer-came-this-may-not')
                : t('people.message-row.not-sent', { message: item.error.message })}
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
type OutgoingActions = Pick<MessageRowProps, 'onSendAgain' | 'onDiscard'>

function MessageMenu({ message, mine }: { message: Message; mine: boolean }) {
  const [dialog, setDialog] = useState<'block' | 'report'>()
  const client = useQueryClient()
  const person = { id: message.sender_id, username: nameOf(message) }
  const close = () => setDialog(undefined)
  // Nothing can be done about an own message, or about one without text of an account that is gone.
  const [may_report, may_relate] = [!mine && !message.removed, !mine && message.sender_username !== null]
  if (!may_report && !may_relate) return null
  return (
    <>
      <ActionMenu
        button={
          // Every row has one, and a plain button is drawn in a fraction of the time of an ActionIcon.
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
        {may_relate && <RequestFriendItem person={person} />}
        {may_report && (
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
    </>
  )
}
