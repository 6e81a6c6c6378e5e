import { Alert, Box, Button, Group, Kbd, Paper, Stack, Text, UnstyledButton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Declaration } from '../../../contract/endpoint.ts'
import { mayNow } from '../../session/rights.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LoadMore, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { hasUserInput } from '../../ui/page-title.tsx'
import { scrollToElement } from '../../ui/scroll-to-element.ts'
import { RelativeTime } from '../../ui/format.tsx'
import type { PagedList } from './list-card.tsx'
import classes from './queue.module.css'
import bar from '../../ui/sticky-bar.module.css'
import { StatusBadge } from './status-badge.tsx'
import { t } from '../../texts.ts'

/** A decision about an entry, with its button and its key. */
export interface Decision<Row> {
  key: string
  label: string
  tone?: 'primary' | 'danger'
  allowed: (row: Row) => boolean
  /** Only people who may make this call see it (D-135). */
  call: Declaration
  run: (row: Row) => void
}

interface QueueProps<Row> {
  name: string
  list: PagedList<Row>
  /** Shown when the list is empty. */
  empty: ReactNode
  summary: (row: Row) => ReactNode
  detail: (row: Row) => ReactNode
  decisions: readonly Decision<Row>[]
  /** A dialog is open or a decision is pending: keys do nothing. */
  busy: boolean
  /** The last entry decided here: when it leaves the list, the next one is selected. */
  decided: string | undefined
}

/**
 * Reverses a list that the API returns newest first, if `ascending`. The oldest entry is on the last page, so the list
 * counts as loading until all pages have been read once.
 */
export function useAscendingList<Row>(list: PagedList<Row>, ascending: boolean): PagedList<Row> {
  const { data, rows, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  const [complete, setComplete] = useState(false)
  if (!complete && data && (!hasNextPage || isFetchNextPageError)) setComplete(true)
  useEffect(() => {
    if (ascending && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [ascending, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  if (!ascending) return list
  return { ...list, data: complete ? data : undefined, rows: [...rows].reverse() }
}

/** A review queue with one selected entry. While it has the focus, keys move the selection and decide. */
export function Queue<Row extends { id: string }>(props: QueueProps<Row>) {
  const { list, empty, decisions } = props
  if (list.error && !list.data) return <FailureNote error={list.error} onRetry={() => void list.refetch()} />
  if (!list.data) return <LoadingSkeleton rows={5} />
  return list.rows.length === 0 ? (
    <Section>{empty}</Section>
  ) : (
    <Entries {...props} decisions={decisions.filter(({ call }) => mayNow(call))} />
  )
}

/**
 * Selects an entry by id while the list changes. An entry that left the list without a decision made here stays
 * selected, with `decided_elsewhere`, until the selection moves.
 */
function useSelection<Row extends { id: string }>(rows: readonly Row[], decided: string | undefined) {
  const [selected, setSelected] = useState<{ row: Row; at: number }>()
  const index = selected ? rows.findIndex(({ id }) => id === selected.row.id) : 0
  const decided_elsewhere = selected !== undefined && index < 0 && selected.row.id !== decided
  const at = Math.min(index < 0 ? (selected?.at ?? 0) : index, rows.length - 1)
  const row = decided_elsewhere ? selected.row : rows[at]
  if (row && (selected?.row !== row || selected.at !== at)) setSelected({ row, at })
  const select = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to))
    if (rows[next]) setSelected({ row: rows[next], at: next })
  }
  // The next entry has the index of the removed one.
  const move = (by: number) => select(decided_elsewhere && by > 0 ? at + by - 1 : at + by)
  return { row, at: decided_elsewhere ? undefined : at, decided_elsewhere, select, move }
}

function Entries<Row extends { id: string }>(props: QueueProps<Row>) {
  const { name, list: paged, summary, detail, decisions, busy, decided } = props
  const { rows } = paged
  const { row, at: current, decided_elsewhere, select, move } = useSelection(rows, decided)
  const list = useRef<HTMLDivElement>(null)
  const wide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  const decide = (decision: Decision<Row>) => () => {
    if (!busy && !decided_elsewhere && row && decision.allowed(row)) decision.run(row)
  }
  const container = useFocusWhenUnset(busy, rows.length)
  const hints_id = useId()
  const handleKey = (key: string | undefined, is_held: boolean) => {
    if (key === 'j' && !busy) move(1)
    if (key === 'k' && !busy) move(-1)
    const decision = decisions.find((one) => one.key === key)
    // A repeated keydown must not decide: by then, the next entry has taken this one's place.
    if (decision && !is_held) decide(decision)()
  }
  useEffect(() => {
    scrollToElement(list.current?.querySelector('[aria-current=true]'))
  }, [current])
  useUnfocusedKeys(handleKey)
  const detail_pane = row && (
    <Detail row={row} decisions={decided_elsewhere ? [] : decisions} busy={busy} decide={decide}>
      {decided_elsewhere && <AlreadyDecided />}
      {detail(row)}
    </Detail>
  )
  return (
    <>
      <KeyHints id={hints_id} decisions={decisions} />
      <Box
        ref={container}
        role="group"
        aria-label={name}
        aria-describedby={hints_id}
        tabIndex={0}
        onKeyDown={(event) => handleKey(queueKey(event), event.repeat)}
        className={classes.queue}
      >
        {!wide && decided_elsewhere && <div>{detail_pane}</div>}
        <div ref={list} role="list" aria-label={name} className={classes.list}>
          {rows.map((entry, index) => (
            <div key={entry.id} role="listitem" className={classes.item}>
              <UnstyledButton
                className={classes.entry}
                aria-current={index === current ? 'true' : undefined}
                onClick={() => select(index)}
              >
                {summary(entry)}
              </UnstyledButton>
              {!wide && index === current && detail_pane}
            </div>
          ))}
          <LoadMore query={paged} />
        </div>
        {wide && <div className={classes.detail}>{detail_pane}</div>}
      </Box>
    </>
  )
}

const AlreadyDecided = () => (
  <Alert role="alert" color="yellow" icon={<Icon name="alert" />} title={t('common.already-decided')} mb="md">
    {t('admin.queue.another-admin-has-decided-this-already')}
  </Alert>
)

/** The key of an event inside the queue; undefined with a modifier, and inside a field, menu or dialog. */
function queueKey({ currentTarget, target, key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent<HTMLElement>) {
  if (ctrlKey || metaKey || altKey || shiftKey || !(target instanceof HTMLElement)) return undefined
  // React events of portals bubble to their React parents.
  if (!currentTarget.contains(target) || target.isContentEditable) return undefined
  return target.closest('input, textarea, select, [role=menu], [role=dialog]') ? undefined : key.toLowerCase()
}

/** Handles keys that are pressed while no element has the focus. */
function useUnfocusedKeys(press: (key: string, is_held: boolean) => void) {
  useEffect(() => {
    const onKeyDown = ({ target, key, repeat, ctrlKey, metaKey, altKey, shiftKey }: globalThis.KeyboardEvent) => {
      if (target === document.body && !(ctrlKey || metaKey || altKey || shiftKey)) press(key.toLowerCase(), repeat)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })
}

/**
 * Focuses the queue when no element has the focus: when the list is loaded, and when the focused dialog or button is
 * removed. The page's heading, focused by a navigation, counts as no element. After a full page load Tab starts at the top.
 */
function useFocusWhenUnset(busy: boolean, count: number) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const focused = document.activeElement
    if (busy || !hasUserInput() || (focused && focused !== document.body && !focused.matches('main h1'))) return
    box.current?.focus({ preventScroll: true })
  }, [busy, count])
  return box
}

interface DetailProps<Row> extends Pick<QueueProps<Row>, 'decisions' | 'busy'> {
  row: Row
  decide: (decision: Decision<Row>) => () => void
  children: ReactNode
}

/** The selected entry with its decisions. */
const Detail = <Row,>({ row, decisions, busy, decide, children }: DetailProps<Row>) => (
  <Paper
    withBorder
    p={{ base: 'md', sm: 'lg' }}
    bg="var(--plaza-card)"
    component="section"
    aria-label={t('admin.queue.selected-entry')}
  >
    {children}
    <Group gap="xs" className={bar.bar}>
      {decisions
        .filter(({ allowed }) => allowed(row))
        .map((decision) => (
          <Button
            key={decision.key}
            size="sm"
            variant={decision.tone === 'primary' ? 'filled' : 'default'}
            {...(decision.tone === 'danger' && { c: 'red' })}
            onClick={decide(decision)}
            disabled={busy}
            rightSection={
              <Kbd size="xs" visibleFrom="sm" aria-hidden>
                {decision.key.toUpperCase()}
              </Kbd>
            }
          >
            {decision.label}
          </Button>
        ))}
    </Group>
  </Paper>
)

const KeyHints = <Row,>({ id, decisions }: { id: string; decisions: readonly Decision<Row>[] }) => (
  <Group id={id} gap="md" mb="sm" visibleFrom="sm" role="note" aria-label={t('admin.queue.keys')}>
    <Text size="xs" c="dimmed">
      {t('admin.queue.while-the-focus-is-in-the')}
    </Text>
    <Text size="xs" c="dimmed">
      <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> {t('admin.queue.move')}
    </Text>
    {decisions.map(({ key, label }) => (
      <Text key={key} size="xs" c="dimmed">
        <Kbd size="xs">{key.toUpperCase()}</Kbd> {label.toLowerCase().replace('…', '')}
      </Text>
    ))}
  </Group>
)

interface QueueRowProps {
  name: string
  about: ReactNode
  inserted_at: string
  status: string
}

export const QueueRow = ({ name, about, inserted_at, status }: QueueRowProps) => (
  <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={600} truncate className="user-content">
        {name}
      </Text>
      <Text size="xs" c="dimmed">
        {about}, <RelativeTime at={inserted_at} />
      </Text>
    </Stack>
    <Box flex="none">
      <StatusBadge status={status} />
    </Box>
  </Group>
)
