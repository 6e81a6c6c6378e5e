import { Alert, Button, Code, Group, List, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ApiError } from '../api/errors.ts'
import { Icon } from './icon.tsx'
import { locale, t } from '../texts.ts'
import { RichText } from './rich-text.tsx'

/** The seconds until `moment`, counting down. */
function useSecondsUntil(moment: number | undefined) {
  const [now, setNow] = useState(Date.now)
  const left = moment === undefined ? 0 : Math.max(0, Math.ceil((moment - now) / 1000))
  const counting = left > 0
  useEffect(() => {
    if (!counting) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [counting])
  return left
}

const inWords = (seconds: number) =>
  new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: seconds < 90 ? 'second' : 'minute',
    unitDisplay: 'long',
  }).format(seconds < 90 ? seconds : Math.ceil(seconds / 60))

interface FailureNoteProps {
  error: unknown
  onRetry?: () => void
}

/**
 * Shows an error: the service's message, the invalid fields, when to retry, and the request id. Renders nothing without
 * an error. `onRetry` adds a button.
 */
export function FailureNote({ error, onRetry }: FailureNoteProps) {
  if (!error) return null
  // The key restarts the countdown for a new wait.
  const counted = error instanceof ApiError ? error.retry_at : undefined
  return <Note key={counted} error={error} {...(onRetry && { onRetry })} />
}

function Note({ error, onRetry }: FailureNoteProps) {
  const refusal = error instanceof ApiError ? error : undefined
  const wait = useSecondsUntil(refusal?.retry_at)
  return (
    <Alert role="alert" color="red" variant="light" icon={<Icon name="alert" />} title={titleOf(refusal)}>
      <Text size="sm">{messageOf(error)}</Text>
      {refusal && refusal.fields.length > 0 && (
        <List size="sm" mt="xs">
          {refusal.fields.map(({ path, message }) => (
            <List.Item key={path + message}>
              <Code>{path}</Code> {message}
            </List.Item>
          ))}
        </List>
      )}
      {wait > 0 && (
        // Screen readers do not announce each change of a timer.
        <Text size="sm" role="timer">
          {t('ui.failure-note.you-can-try-again-in', { wait: inWords(wait) })}
        </Text>
      )}
      <Group gap="md" mt={onRetry || refusal?.status === 500 ? 'xs' : 0}>
        {onRetry && (
          <Button size="compact-sm" variant="default" onClick={onRetry} disabled={wait > 0}>
            {t('common.try-again')}
          </Button>
        )}
        {refusal?.request_id && (refusal.status >= 500 || onRetry) && (
          <Text size="xs" c="dimmed">
            <RichText k="ui.failure-note.request" code={<Code>{refusal.request_id}</Code>} />
          </Text>
        )}
      </Group>
    </Alert>
  )
}

const titleOf = (refusal: ApiError | undefined) =>
  refusal?.status === 429
    ? t('ui.failure-note.too-many-tries')
    : refusal && refusal.status >= 500
      ? t('ui.failure-note.the-service-failed')
      : undefined

const messageOf = (error: unknown) =>
  error instanceof Error ? error.message : t('ui.failure-note.something-went-wrong-reload-the-page')
