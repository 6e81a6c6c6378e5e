import { Button, Group, Loader, Text, VisuallyHidden } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'
import { FailureNote } from '../../ui/failure-note.tsx'
import { EmptyState, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { anchored_to_end, ToNewest, useScrollToEndOnce, VirtualRows } from '../../ui/virtual-rows.tsx'
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
  const at_end = rows.length === 0 || list.isAtEnd(60)
  const newest = messages.at(-1)
  useScrollToEndOnce(rows.length > 0, () => list.scrollToEnd())
  useScrollToOwn(outgoing.length, () => list.scrollToEnd())
  useLoadEarlier(query, list.getVirtualItems()[0]?.index)
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
          <VirtualRows list={list} rows={rows} className={classes.row} role="listitem">
            {(row) => <MessageRow row={row} {...actions} />}
          </VirtualRows>
        </div>
      </div>
      <ToNewest rows={messages} at_end={at_end} className={classes.newest} onClick={() => list.scrollToEnd()} />
      <VisuallyHidden role="log" aria-label={t('people.message-list.news-in', { name })}>
        {newest && newest.sender_id !== user_id && !newest.removed && `${nameOf(newest)}: ${newest.filtered_body}`}
      </VisuallyHidden>
    </div>
  )
}

const useMessageVirtualizer = (rows: readonly Row[], box: RefObject<HTMLDivElement | null>) =>
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  useVirtualizer({
    ...anchored_to_end,
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: (at) => rows[at]?.key ?? at,
    estimateSize: (at) => (rows[at]?.head ? 62 : 25),
    overscan: 6,
    // Renders the first rows at the end immediately: the size of the list is read after the first layout, because
    // reading it earlier would force one.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    paddingStart: 44,
    paddingEnd: 12,
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
