import { Alert, Badge, Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { decisions } from '../../../contract/decisions.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useDebouncedField } from '../../ui/debounced-field.tsx'
import { download } from '../../ui/download.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadingPart, Section } from '../../ui/page-parts.tsx'
import { OutputLines } from './output-lines.tsx'
import { useOutput, useOutputSearch, type Line, type Output, type OutputAccess } from './output.ts'
import type { Deployment } from './labels.ts'
import { t } from '../../texts.ts'

const { kept_lines_max, kept_days, query_max } = decisions.container_output
const states = (): Record<Output['state'], { color: string; label: string }> => ({
  connecting: { color: 'gray', label: t('deployments.output-view.connecting') },
  live: { color: 'plaza', label: t('deployments.output-view.live') },
  disconnected: { color: 'yellow', label: t('common.disconnected') },
  ended: { color: 'gray', label: t('deployments.output-view.ended') },
})
/** Delay before following a restarting deployment again. */
const reconnect_ms = 4_000

const textOf = (lines: readonly Line[]) => lines.map(({ at, text }) => `${at} ${text}\n`).join('')

interface OutputViewProps {
  access: OutputAccess
  deployment: Pick<Deployment, 'subdomain' | 'status' | 'replicas'>
}

/** The stored output of a deployment: followed live, filtered by replica and searched (D-64). */
export default function OutputView({ access, deployment }: OutputViewProps) {
  const [times, setTimes] = useState(true)
  const [replica, setReplica] = useState<number>()
  const [q, setQ] = useState('')
  const [typed, setTyped] = useDebouncedField(q, (text) => setQ(text ?? ''))
  const is_searching = q !== ''
  const output = useOutput(access, is_searching)
  const search = useOutputSearch(access, q, replica)
  const { state, error, reconnect } = output
  useFollowingAgain(output, deployment.status)
  const known = Math.max(deployment.replicas, ...replicasOf(output.lines))
  const lines = is_searching
    ? (search.lines ?? [])
    : output.lines.filter((line) => replica === undefined || line.replica === replica)
  const { color, label } = states()[state]
  return (
    <Section
      title={
        <Group gap="xs">
          {t('common.output')}{' '}
          {!is_searching && (state !== 'ended' || lines.length > 0) && <Badge color={color}>{label}</Badge>}
        </Group>
      }
      about={t('deployments.output-view.what-the-containers-write-to-stdout', {
        kept_lines_max: formatNumber(kept_lines_max),
        kept_days,
      })}
      actions={
        <>
          <Switch
            label={t('deployments.output-view.times')}
            checked={times}
            onChange={({ currentTarget }) => setTimes(currentTarget.checked)}
          />
          <CopyButton
            text={textOf(lines)}
            what={t('deployments.output-view.the-lines-that-are-loaded')}
            disabled={lines.length === 0}
          />
          <Button
            size="xs"
            variant="default"
            disabled={lines.length === 0}
            onClick={() => download(`${deployment.subdomain}.log`, textOf(lines))}
          >
            {t('common.download')}
          </Button>
        </>
      }
    >
      <Stack gap="xs">
        <Filter replicas={known} replica={replica} onReplica={setReplica} typed={typed} onType={setTyped} />
        {!is_searching && error && state === 'disconnected' && <Disconnected error={error} onRetry={reconnect} />}
        {!is_searching && error && state === 'ended' && <FailureNote error={error} onRetry={reconnect} />}
        {is_searching && <Matches search={search} />}
        {lines.length > 0 ? (
          <OutputLines
            key={is_searching ? `${replica ?? ''} ${q}` : (replica ?? '')}
            lines={lines}
            times={times}
            replicas={known > 1}
            older={is_searching ? search.older : output.older}
            is_complete={is_searching ? search.is_complete : output.is_complete}
            label={
              is_searching
                ? t('deployments.output-view.lines-that-match')
                : t('deployments.output-view.output-of-the-container')
            }
          />
        ) : (
          !is_searching && !error && <NoLines state={state} deployment={deployment} replica={replica} />
        )}
        {!is_searching && state === 'ended' && !error && lines.length > 0 && !isStarting(deployment.status) && (
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              {t('deployments.output-view.it-is-stopped-this-is-the')}
            </Text>
            <Button size="compact-sm" variant="default" onClick={reconnect}>
              {t('deployments.output-view.read-again')}
            </Button>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

interface FilterProps {
  replicas: number
  replica: number | undefined
  onReplica: (replica: number | undefined) => void
  typed: string
  onType: (text: string) => void
}

const Filter = ({ replicas, replica, onReplica, typed, onType }: FilterProps) => (
  <Group gap="xs" role="search" aria-label={t('deployments.output-view.search-the-output')}>
    <TextInput
      size="xs"
      flex="1 1 14rem"
      aria-label={t('deployments.output-view.search-the-output-for')}
      placeholder={t('deployments.output-view.search-in-what-is-kept')}
      leftSection={<Icon name="search" size={14} />}
      value={typed}
      maxLength={query_max}
      onChange={({ currentTarget }) => onType(currentTarget.value)}
    />
    {replicas > 1 && (
      <NativeSelect
        size="xs"
        aria-label={t('deployments.output-view.replica')}
        value={replica === undefined ? '' : String(replica)}
        onChange={({ currentTarget: { value } }) => onReplica(value === '' ? undefined : Number(value))}
        data={[
          { value: '', label: t('deployments.output-view.all-replicas') },
          ...Array.from({ length: replicas }, (_, at) => ({
            value: String(at + 1),
            label: t('deployments.output-view.replica-2', { at: at + 1 }),
          })),
        ]}
      />
    )}
  </Group>
)

const replicasOf = (lines: readonly Line[]) => new Set(lines.map(({ replica }) => replica))
const isStarting = (status: Deployment['status']) => status === 'running' || status === 'deploying'

/** The stream ends with a stop: opens it again once the deployment runs. */
function useFollowingAgain(
  { state, error, reconnect }: Output & { reconnect: () => void },
  status: Deployment['status'],
) {
  const is_again = state === 'ended' && !error && isStarting(status)
  useEffect(() => {
    if (!is_again) return undefined
    const timer = setTimeout(reconnect, reconnect_ms)
    return () => clearTimeout(timer)
  }, [is_again, reconnect])
}

/** The result of a search, as a sentence. */
function Matches({ search }: { search: ReturnType<typeof useOutputSearch> }) {
  const { lines, is_searching, error, again, is_complete } = search
  if (error) return <FailureNote error={error} onRetry={again} />
  if (!lines) return <LoadingPart h={20} w={180} label={t('deployments.output-view.searching')} />
  const matches = t('deployments.output-view.count', { count: lines.length })
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed" role="status">
        {lines.length === 0
          ? t('deployments.output-view.no-line-that-is-kept-matches')
          : is_complete
            ? `${matches}.`
            : t('deployments.output-view.so-far-the-newest', { matches })}
      </Text>
      <Button size="compact-sm" variant="default" onClick={again} loading={is_searching}>
        {t('deployments.output-view.search-again')}
      </Button>
    </Group>
  )
}

/** Announced once (`role=status`): the retries are automatic and not announced. */
const Disconnected = ({ error, onRetry }: { error: Error; onRetry: () => void }) => (
  <Alert
    role="status"
    color="yellow"
    variant="light"
    title={t('deployments.output-view.the-output-stream-is-disconnected')}
  >
    <Text size="sm">{t('deployments.output-view.reconnecting-automatically', { message: error.message })}</Text>
    <Button size="compact-sm" variant="default" mt="xs" onClick={onRetry}>
      {t('deployments.output-view.try-now')}
    </Button>
  </Alert>
)

interface NoLinesProps extends Pick<OutputViewProps, 'deployment'> {
  state: Output['state']
  replica: number | undefined
}

const NoLines = ({ state, deployment, replica }: NoLinesProps) => (
  <EmptyState
    icon="scroll"
    title={
      state === 'connecting'
        ? t('deployments.output-view.reading-the-output')
        : t('deployments.output-view.nothing-written-yet')
    }
  >
    {deployment.status === 'pending' || deployment.status === 'deploying'
      ? t('deployments.output-view.the-container-has-not-started-its')
      : replica === undefined
        ? t('deployments.output-view.the-program-has-written-nothing-to')
        : t('deployments.output-view.this-replica-has-written-nothing-lately')}
  </EmptyState>
)
