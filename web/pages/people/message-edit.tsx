import { Button, Group, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { sendMessage } from '../../../contract/social.ts'
import { messageValidatorsOf } from '../../forms/validation.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { replaceMessages, type Message } from './channel-messages.ts'
import { editMessage, type Place } from './place.ts'
import { t } from '../../texts.ts'

const check = messageValidatorsOf(sendMessage.body).body

/** The person's own message while it is edited. Enter saves, Escape cancels. */
export function MessageEdit({ message, place, onClose }: { message: Message; place: Place; onClose: () => void }) {
  const client = useQueryClient()
  const [body, setBody] = useState(message.filtered_body)
  const [failure, setFailure] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])
  const error = check?.(body)
  const save = async () => {
    if (error !== undefined || busy) return
    if (body === message.filtered_body) return onClose()
    setBusy(true)
    try {
      replaceMessages(client, place, [await editMessage(place, message.id, body)])
      onClose()
    } catch (thrown) {
      setFailure(thrown)
      setBusy(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.shiftKey) return
    if (event.key === 'Escape') onClose()
    if (event.key !== 'Enter') return
    event.preventDefault()
    void save()
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Textarea
        autosize
        ref={field}
        minRows={1}
        maxRows={7}
        value={body}
        onChange={(event) => setBody(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        dir="auto"
        aria-label={t('people.message-edit.edit-the-message')}
        error={error}
      />
      {failure !== undefined && <FailureNote error={failure} />}
      <Group gap="xs" mt={6} mb={4}>
        <Button type="submit" size="compact-xs" loading={busy} disabled={error !== undefined}>
          {t('common.save')}
        </Button>
        <Button size="compact-xs" variant="default" onClick={onClose}>
          {t('common.cancel')}
        </Button>
      </Group>
    </form>
  )
}
