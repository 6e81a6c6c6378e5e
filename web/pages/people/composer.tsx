import { ActionIcon, Group, Text, Textarea } from '@mantine/core'
import { useState, type KeyboardEvent } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { sendMessage } from '../../../contract/social.ts'
import { messageValidatorsOf } from '../../forms/validation.ts'
import { Icon } from '../../ui/icon.tsx'
import { draftOf, saveDraft } from './outbox.ts'
import type { Place } from './place.ts'
import classes from './chat.module.css'
import { t } from '../../texts.ts'

const check = messageValidatorsOf(sendMessage.body).body
const { body_max } = decisions.chat_messages

interface ComposerProps {
  place: Place
  name: string
  disabled: boolean
  onSend: (body: string) => void
  /** Edits the person's last message, if it can be edited. */
  onEditLast: () => void
}

/** The message input. Enter sends, Shift+Enter inserts a line break; the draft survives leaving the page. */
export function Composer({ place, name, disabled, onSend, onEditLast }: ComposerProps) {
  const [body, setBody] = useState(() => draftOf(place))
  const write = (text: string) => {
    setBody(text)
    saveDraft(place, text)
  }
  const { length } = [...body]
  const error = body === '' ? undefined : check?.(body)
  const ready = body.trim() !== '' && error === undefined && !disabled
  const send = () => {
    if (!ready) return
    onSend(body)
    write('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp' && body === '') {
      event.preventDefault()
      return onEditLast()
    }
    // Enter during IME composition confirms a word.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Textarea
          flex={1}
          autosize
          minRows={1}
          maxRows={7}
          value={body}
          onChange={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          dir="auto"
          aria-label={t('people.composer.message-to', { name })}
          placeholder={t('people.composer.message-to', { name })}
          error={error}
          enterKeyHint="send"
        />
        <ActionIcon type="submit" size={36} disabled={!ready} aria-label={t('common.send')}>
          <Icon name="send" />
        </ActionIcon>
      </Group>
      <Text size="xs" c="dimmed" mt={4} visibleFrom="sm">
        {t('people.composer.enter-sends-shift-enter-begins-a', {
          is_long: length > body_max * 0.9,
          length,
          body_max,
        })}
      </Text>
    </form>
  )
}
