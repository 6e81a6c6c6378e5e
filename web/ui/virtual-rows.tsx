import { Button } from '@mantine/core'
import type { Rect, Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Icon } from './icon.tsx'
import { t } from '../texts.ts'

interface VirtualRowsProps<Row> {
  list: Pick<Virtualizer<HTMLDivElement, Element>, 'getVirtualItems' | 'measureElement'>
  rows: readonly Row[]
  className: string | undefined
  role?: 'listitem'
  /** The size of the whole list; -1 if unknown. */
  set_size?: number
  children: (row: Row, index: number) => ReactNode
}

/** The visible rows of a virtualized list, at their positions. */
export const VirtualRows = <Row,>({ list, rows, className, role, set_size, children }: VirtualRowsProps<Row>) =>
  list.getVirtualItems().map(({ index, key, start }) => {
    const row = rows[index]
    return (
      row && (
        <div
          key={key}
          ref={list.measureElement}
          data-index={index}
          className={className}
          style={{ transform: `translateY(${start}px)` }}
          role={role}
          aria-setsize={set_size}
          aria-posinset={set_size === undefined ? undefined : index + 1}
        >
          {children(row, index)}
        </div>
      )
    )
  })

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

/** Options of a list anchored to the end: rows added before or after the visible ones do not move them. */
export const anchored_to_end = {
  initialOffset: Number.MAX_SAFE_INTEGER,
  observeElementRect: observeSize,
  anchorTo: 'end',
  followOnAppend: true,
} as const

/** Scrolls to the end when the first rows are rendered. */
export function useScrollToEndOnce(filled: boolean, toEnd: () => void) {
  const opened = useRef(false)
  useLayoutEffect(() => {
    if (opened.current || !filled) return
    opened.current = true
    toEnd()
  })
}

/** Counts the rows added since the end was last visible; the button scrolls to them. */
export function ToNewest({
  rows,
  at_end,
  className,
  onClick,
}: {
  rows: readonly { id: string }[]
  at_end: boolean
  className: string | undefined
  onClick: () => void
}) {
  const newest = rows.at(-1)?.id
  const [seen, setSeen] = useState(newest)
  if (at_end && seen !== newest) setSeen(newest)
  if (at_end) return undefined
  const from = rows.findLastIndex(({ id }) => id === seen)
  const unseen = from === -1 ? 0 : rows.length - 1 - from
  return (
    <Button
      size="compact-sm"
      radius="xl"
      className={className}
      onClick={onClick}
      rightSection={<Icon name="down" size={14} />}
    >
      {unseen > 0 ? t('common.new-below', { unseen }) : t('common.show-the-newest')}
    </Button>
  )
}
