import { Alert, Badge, Button, Group, Select, Switch, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { isApiError } from '../../api/errors.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { download } from '../../ui/download.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { EmptyState, Section } from '../../ui/page-parts.tsx'
import classes from './deployments.module.css'
import { useOutput, type Line, type Output } from './output.ts'
import type { Deployment } from './labels.ts'

const { tail_default, tail_max } = decisions['D-64'].value
const tails = [tail_default, 500, tail_max]
const states: Record<Output['state'], { color: string; label: string }> = {
  connecting: { color: 'gray', label: 'connecting' },
  live: { color: 'plaza', label: 'live' },
  disconnected: { color: 'yellow', label: 'disconnected' },
  ended: { color: 'gray', label: 'ended' },
}
/** Delay before following the next container when one was replaced. */
const reconnect_ms = 4_000

const textOf = (lines: readonly Line[]) => lines.map(({ at, text }) => `${at} ${text}\n`).join('')

/** The live output of the container. */
export function OutputView({ app_id, deployment }: { app_id: string; deployment: Deployment }) {
  const [tail, setTail] = useState<number>(tail_default)
  const [times, setTimes] = useState(true)
  const { lines, state, error, reconnect } = useOutput(app_id, deployment.id, tail)
  const is_replaced =
    state === 'ended' && !error && (deployment.status === 'running' || deployment.status === 'deploying')
  useEffect(() => {
    if (!is_replaced) return undefined
    const timer = setTimeout(reconnect, reconnect_ms)
    return () => clearTimeout(timer)
  }, [is_replaced, reconnect])
  const { color, label } = states[state]
  return (
    <Section
      title={
        <Group gap="xs">Output {(state !== 'ended' || lines.length > 0) && <Badge color={color}>{label}</Badge>}</Group>
      }
      about="What the container writes to stdout and stderr."
      actions={
        <>
          <Switch label="Times" checked={times} onChange={({ currentTarget }) => setTimes(currentTarget.checked)} />
          <Select
            size="xs"
            w={120}
            aria-label="How many earlier lines"
            allowDeselect={false}
            value={String(tail)}
            onChange={(value) => setTail(Number(value))}
            data={tails.map((count) => ({ value: String(count), label: `last ${count}` }))}
          />
          <CopyButton text={textOf(lines)} what="the output" disabled={lines.length === 0} />
          <Button
            size="xs"
            variant="default"
            disabled={lines.length === 0}
            onClick={() => download(`${deployment.subdomain}.log`, textOf(lines))}
          >
            Download
          </Button>
        </>
      }
    >
      {error && state === 'disconnected' && <Disconnected error={error} onRetry={reconnect} />}
      {error && state === 'ended' && <FailureNote error={error} onRetry={reconnect} />}
      {lines.length > 0 ? <Lines lines={lines} times={times} /> : !error && <NoLines deployment={deployment} />}
      {state === 'ended' && !error && !is_replaced && lines.length > 0 && (
        <Group justify="space-between" mt="xs">
          <Text size="sm" c="dimmed">
            The container has exited.
          </Text>
          <Button size="compact-sm" variant="default" onClick={reconnect}>
            Read again
          </Button>
        </Group>
      )}
    </Section>
  )
}

/** Announced once (`role=status`): the retries are automatic and not announced. */
const Disconnected = ({ error, onRetry }: { error: Error; onRetry: () => void }) => {
  const host_unavailable = isApiError(error, 'container_engine_unavailable')
  return (
    <Alert
      role="status"
      color="yellow"
      variant="light"
      title={host_unavailable ? 'The container host is not reachable' : 'The output stream is disconnected'}
      mb="xs"
    >
      <Text size="sm">
        {error.message}{' '}
        {host_unavailable &&
          'The output is kept where the container is, so it cannot be read while its host is not reachable. '}
        Reconnecting automatically.
      </Text>
      <Button size="compact-sm" variant="default" mt="xs" onClick={onRetry}>
        Try now
      </Button>
    </Alert>
  )
}

const NoLines = ({ deployment }: { deployment: Deployment }) => (
  <EmptyState icon="scroll" title="Nothing written yet">
    {deployment.status === 'pending' || deployment.status === 'deploying'
      ? 'The container has not started. Its output will appear here.'
      : 'The program has written nothing to stdout or stderr.'}
  </EmptyState>
)

/** Follows new lines unless the user has scrolled up. */
function Lines({ lines, times }: { lines: Line[]; times: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const at_end = useRef(true)
  useEffect(() => {
    if (box.current && at_end.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  return (
    <div
      ref={box}
      className={classes.output}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Output of the container"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        at_end.current = scrollHeight - scrollTop - clientHeight < 40
      }}
    >
      {lines.map(({ at, stream, text }, index) => (
        <div key={index} className={classes.line} data-stream={stream}>
          {times && (
            <time className={classes.time} dateTime={at}>
              {at.slice(11, 19)}
            </time>
          )}
          {text}
        </div>
      ))}
    </div>
  )
}
