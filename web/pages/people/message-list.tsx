import { Button, Group, Loader, Text, VisuallyHidden } from '@mantine/core'
import { useVirtualizer, type Rect, type Virtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadingSkeleton } from '../../ui/page-parts.tsx'
import type { useChannelMessages } from './channel-messages.ts'
import { MessageRow, nameOf, type RowActions } from './message-row.tsx'
import { rowsOf, type Row } from './message-rows.ts'
import type { Outgoing } from './outbox.ts'
import classes from './chat.module.css'
import { t } from '../../texts.ts'

interface MessageListProps extends RowActions {
  name: string
  messages: ReturnType<typeof useChannelMessages>
  outgoing: readonly Outgoing[]
}

/**
 * A virtualized list of messages. Opens at the newest and follows new ones while scrolled to the end; otherwise new and
 * older messages do not move the view.
 */
export function MessageList(props: MessageListProps) {
  const { name, messages: query, outgoing, ...actions } = props
  const { user_id } = actions
  const { messages, hasNextPage } = query
  const box = useRef<HTMLDivElement>(null)
  const rows = rowsOf({ messages, more: hasNextPage, outgoing, user_id })
  const list = useMessageVirtualizer(rows, box)
  const shown = list.getVirtualItems()
  const at_end = rows.length === 0 || list.isAtEnd(60)
  const newest = messages.at(-1)
  const unseen = useUnseen(newest?.id, messages, at_end)
  useScrollToEndOnce(rows.length > 0, () => list.scrollToEnd())
  useScrollToOwn(outgoing.length, () => list.scrollToEnd())
  useLoadEarlier(query, shown[0]?.index)
  return (
    <div className={classes.conversation}>
      <div
        ref={box}
        className={classes.scroll}
        role="region"
        aria-label={t('people.message-list.messages-in', { name })}
        tabIndex={0}
      >
        {rows.length === 0 && <NoMessages query={query} is_direct={'user_id' in actions.place} />}
        <div role="list" className={classes.rows} style={{ height: list.getTotalSize() }}>
          {rows.length > 0 && <Earlier query={query} />}
          {shown.map(({ index, key, start }) => {
            const row = rows[index]
            return (
              row && (
                <div
                  key={key}
                  ref={list.measureElement}
                  data-index={index}
                  role="listitem"
                  className={classes.row}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <MessageRow row={row} {...actions} />
                </div>
              )
            )
          })}
        </div>
      </div>
      {!at_end && <ToNewest unseen={unseen} onClick={() => list.scrollToEnd()} />}
      <VisuallyHidden role="log" aria-label={t('people.message-list.news-in', { name })}>
        {newest && newest.sender_id !== user_id && !newest.removed && `${nameOf(newest)}: ${newest.filtered_body}`}
      </VisuallyHidden>
    </div>
  )
}

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

/** Anchored to the end: rows added before or after the visible ones do not move them. */
const useMessageVirtualizer = (rows: readonly Row[], box: RefObject<HTMLDivElement | null>) =>
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: (at) => rows[at]?.key ?? at,
    estimateSize: (at) => (rows[at]?.head ? 62 : 25),
    overscan: 6,
    // Renders the first rows at the end immediately: the size of the list is read after the first layout, because
    // reading it earlier would force one.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    initialOffset: Number.MAX_SAFE_INTEGER,
    observeElementRect: observeSize,
    paddingStart: 44,
    paddingEnd: 12,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: 60,
  })

/** The loading, error and empty states. */
function NoMessages({
  query: { data, error, refetch },
  is_direct,
}: {
  query: ReturnType<typeof useChannelMessages>
  is_direct: boolean
}) {
  if (data)
    return (
      <EmptyState icon="chat" title={t('people.message-list.no-messages-yet')}>
        {is_direct
          ? t('people.message-list.write-the-first-one-below-only')
          : t('people.message-list.write-the-first-one-below-everybody')}
      </EmptyState>
    )
  return (
    <div className={classes.note}>
      {error ? <FailureNote error={error} onRetry={() => void refetch()} /> : <LoadingSkeleton rows={5} />}
    </div>
  )
}

const ToNewest = ({ unseen, onClick }: { unseen: number; onClick: () => void }) => (
  <Button
    size="compact-sm"
    radius="xl"
    className={classes.newest}
    onClick={onClick}
    rightSection={<Icon name="down" size={14} />}
  >
    {unseen > 0 ? t('common.new-below', { unseen }) : t('common.show-the-newest')}
  </Button>
)

/** Scrolls to the end when the first rows are rendered. */
function useScrollToEndOnce(filled: boolean, toEnd: () => void) {
  const opened = useRef(false)
  useLayoutEffect(() => {
    if (opened.current || !filled) return
    opened.current = true
    toEnd()
  })
}

/** Scrolls to the end when the user sends a message. */
function useScrollToOwn(outgoing_count: number, toEnd: () => void) {
  const before = useRef(0)
  useLayoutEffect(() => {
    if (outgoing_count > before.current) toEnd()
    before.current = outgoing_count
  })
}

/** Fetches older messages near the start of the list. */
function useLoadEarlier(query: ReturnType<typeof useChannelMessages>, first: number | undefined) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const near = first !== undefined && first < 8
  useEffect(() => {
    if (near && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [near, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
}

/** The number of new messages since the list was last scrolled to the end. */
function useUnseen(newest: string | undefined, messages: readonly { id: string }[], at_end: boolean) {
  const [seen, setSeen] = useState(newest)
  if (at_end && seen !== newest) setSeen(newest)
  const from = messages.findIndex(({ id }) => id === seen)
  return at_end || from === -1 ? 0 : messages.length - 1 - from
}

/** The row above the oldest loaded message. */
function Earlier({ query }: { query: ReturnType<typeof useChannelMessages> }) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  return (
    <Group justify="center" gap="xs" h={44} className={classes.earlier} role="listitem">
      {isFetchingNextPage && <Loader size="xs" aria-label={t('people.message-list.reading-earlier-messages')} />}
      {isFetchNextPageError && !isFetchingNextPage && (
        <>
          <Text size="sm" c="red">
            {t('people.message-list.earlier-messages-could-not-be-read')}
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => void fetchNextPage()}>
            {t('common.try-again')}
          </Button>
        </>
      )}
      {!hasNextPage && (
        <Text size="xs" c="dimmed">
          {t('people.message-list.this-is-the-first-message')}
        </Text>
      )}
    </Group>
  )
}
