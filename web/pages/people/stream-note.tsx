import { Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import type { StreamState } from './event-stream.ts'
import classes from './chat.module.css'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

/** Shows that the event stream is disconnected and when it is retried. */
export const StreamNote = ({ state }: { state: StreamState }) => (
  <div role="status">
    {(state.status === 'disconnected' || state.status === 'refused') && (
      <Group gap="xs" wrap="nowrap" className={classes.disconnected}>
        <Icon name="alert" size={16} />
        {state.status === 'refused' ? (
          <span>{t('people.stream-note.new-messages-do-not-arrive-reload', { message: state.error.message })}</span>
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
