import { Button, Group, Loader as Spinner, Text } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { anchored_to_end, ToNewest, useScrollToEndOnce, VirtualRows } from '../../ui/virtual-rows.tsx'
import classes from './deployments.module.css'
import type { Line, Loader } from './output.ts'
import { t } from '../../texts.ts'

interface OutputLinesProps {
  lines: readonly Line[]
  times: boolean
  /** Shows which replica wrote a line. */
  replicas: boolean
  older: Loader
  /** There are no older lines. */
  is_complete: boolean
  label: string
}

/** Lines in a scrolling box; only visible ones are rendered. Follows new lines unless the reader has scrolled up. */
export function OutputLines({ lines, times, replicas, older, is_complete, label }: OutputLinesProps) {
  const box = useRef<HTMLDivElement>(null)
  const list = useLineVirtualizer(lines, box)
  const at_end = list.isAtEnd(40)
  useScrollToEndOnce(true, () => list.scrollToEnd())
  useLoadOlder(older, is_complete, list.getVirtualItems()[0]?.index)
  return (
    <div className={classes.outputFrame}>
      <div ref={box} className={classes.output} tabIndex={0} role="log" aria-live="off" aria-label={label}>
        <div className={classes.rows} style={{ height: list.getTotalSize() }}>
          <Older older={older} is_complete={is_complete} />
          <VirtualRows list={list} rows={lines} className={classes.row}>
            {(line, at) => <LineView line={line} before={lines[at - 1]} times={times} replicas={replicas} />}
          </VirtualRows>
        </div>
      </div>
      <ToNewest rows={lines} at_end={at_end} className={classes.newest} onClick={() => list.scrollToEnd()} />
    </div>
  )
}

const older_height = 32

const useLineVirtualizer = (lines: readonly Line[], box: RefObject<HTMLDivElement | null>) =>
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  useVirtualizer({
    ...anchored_to_end,
    count: lines.length,
    getScrollElement: () => box.current,
    getItemKey: (at) => lines[at]?.id ?? at,
    estimateSize: () => 19,
    overscan: 12,
    initialRect: { width: 800, height: 384 },
    paddingStart: older_height,
    paddingEnd: 8,
    scrollEndThreshold: 40,
  })

/** Loads older lines near the first loaded one, after the reader has scrolled. */
function useLoadOlder({ load, is_loading, error }: Loader, is_complete: boolean, first: number | undefined) {
  const [has_scrolled, setHasScrolled] = useState(false)
  const is_near = first !== undefined && first < 20
  if (first !== undefined && !is_near && !has_scrolled) setHasScrolled(true)
  const should_load = is_near && has_scrolled && !is_complete && !is_loading && !error
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    if (should_load) latest.current()
  }, [should_load])
}

const Older = ({ older: { load, is_loading, error }, is_complete }: { older: Loader; is_complete: boolean }) => (
  <Group justify="center" gap="xs" h={older_height} className={classes.older}>
    {is_loading && <Spinner size="xs" aria-label={t('deployments.output-lines.reading-older-lines')} />}
    {error && !is_loading && (
      <Text size="xs" c="red">
        {t('deployments.output-lines.older-lines-could-not-be-read')}
      </Text>
    )}
    {!is_complete && !is_loading && (
      <Button size="compact-xs" variant="subtle" onClick={load}>
        {error ? t('common.try-again') : t('deployments.output-lines.load-older-lines')}
      </Button>
    )}
    {is_complete && (
      <Text size="xs" c="dimmed">
        {t('deployments.output-lines.nothing-older-is-kept')}
      </Text>
    )}
  </Group>
)

interface LineViewProps {
  line: Line
  before: Line | undefined
  times: boolean
  replicas: boolean
}

function LineView({ line, before, times, replicas }: LineViewProps) {
  const { at, stream, text, replica, release, note } = line
  const day = at.slice(0, 10)
  const about = [
    t('deployments.output-view.replica-2', { at: replica }),
    ...(release === null ? [] : [t('deployments.output-lines.release', { release })]),
    at,
  ].join(', ')
  return (
    <>
      {times && day !== before?.at.slice(0, 10) && <div className={classes.day}>{day}</div>}
      <div className={classes.line} data-stream={stream} {...(note && { 'data-note': note })} title={about}>
        {times && (
          <time className={classes.time} dateTime={at}>
            {at.slice(11, 19)}
          </time>
        )}
        {replicas && <span className={classes.replica}>{replica}</span>}
        {text}
      </div>
    </>
  )
}
