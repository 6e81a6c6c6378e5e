import { Button, Group, Loader as Spinner, Text } from '@mantine/core'
import { useVirtualizer, type Rect, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { Icon } from '../../ui/icon.tsx'
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
  const shown = list.getVirtualItems()
  const at_end = list.isAtEnd(40)
  useScrollToEndOnce(() => list.scrollToEnd())
  useLoadOlder(older, is_complete, shown[0]?.index)
  const unseen = useUnseen(lines, at_end)
  return (
    <div className={classes.outputFrame}>
      <div ref={box} className={classes.output} tabIndex={0} role="log" aria-live="off" aria-label={label}>
        <div className={classes.rows} style={{ height: list.getTotalSize() }}>
          <Older older={older} is_complete={is_complete} />
          {shown.map(({ index, key, start }) => {
            const line = lines[index]
            return (
              line && (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  className={classes.row}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <LineView line={line} before={lines[index - 1]} times={times} replicas={replicas} />
                </div>
              )
            )
          })}
        </div>
      </div>
      {!at_end && (
        <Button
          size="compact-sm"
          radius="xl"
          className={classes.newest}
          onClick={() => list.scrollToEnd()}
          rightSection={<Icon name="down" size={14} />}
        >
          {unseen > 0 ? t('common.new-below', { unseen }) : t('common.show-the-newest')}
        </Button>
      )}
    </div>
  )
}

const older_height = 32

/** Reports the size of the list after each layout that changes it. */
function observeSize(list: Virtualizer<HTMLDivElement, Element>, onSize: (size: Rect) => void) {
  const { scrollElement } = list
  if (!scrollElement) return undefined
  const observer = new ResizeObserver(([entry]) => {
    const [size] = entry?.borderBoxSize ?? []
    if (size) onSize({ width: Math.round(size.inlineSize), height: Math.round(size.blockSize) })
  })
  observer.observe(scrollElement, { box: 'border-box' })
  return () => observer.disconnect()
}

/** Anchored to the end: lines added before or after the visible ones do not move them. */
const useLineVirtualizer = (lines: readonly Line[], box: RefObject<HTMLDivElement | null>) =>
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    getItemKey: (at) => lines[at]?.id ?? at,
    estimateSize: () => 19,
    overscan: 12,
    initialRect: { width: 800, height: 384 },
    initialOffset: Number.MAX_SAFE_INTEGER,
    observeElementRect: observeSize,
    paddingStart: older_height,
    paddingEnd: 8,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: 40,
  })

function useScrollToEndOnce(toEnd: () => void) {
  const opened = useRef(false)
  useLayoutEffect(() => {
    if (opened.current) return
    opened.current = true
    toEnd()
  })
}

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

/** The number of lines added since the end was last visible. */
function useUnseen(lines: readonly Line[], at_end: boolean) {
  const newest = lines.at(-1)?.id
  const [seen, setSeen] = useState(newest)
  if (at_end && seen !== newest) setSeen(newest)
  if (at_end) return 0
  const from = lines.findLastIndex(({ id }) => id === seen)
  return from === -1 ? 0 : lines.length - 1 - from
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
