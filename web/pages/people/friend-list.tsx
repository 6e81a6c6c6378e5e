import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { Presence } from '../../api/live-queries.ts'
import { FriendRow, type Friend } from './friend-row.tsx'
import classes from './people.module.css'
import { t } from '../../texts.ts'

interface FriendListProps {
  friends: readonly Friend[]
  /** Undefined until known. */
  presence: ReadonlyMap<string, Presence> | undefined
}

/** A virtualized list of friends in the scrolling page. */
export function FriendList({ friends, presence }: FriendListProps) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  // The sections above change their height.
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  const list = useWindowVirtualizer({
    count: friends.length,
    getItemKey: (at) => friends[at]?.id ?? at,
    estimateSize: () => 58,
    overscan: 12,
    scrollMargin: top,
  })
  return (
    <div
      ref={box}
      role="list"
      aria-label={t('common.your-friends')}
      className={classes.lines}
      style={{ height: list.getTotalSize() }}
    >
      {list.getVirtualItems().map(({ index, key, start }) => {
        const friend = friends[index]
        return (
          friend && (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className={classes.line}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <FriendRow
                friend={friend}
                presence={presence && (presence.get(friend.id) ?? 'never')}
                position={{ at: index + 1, of: friends.length }}
              />
            </div>
          )
        )
      })}
    </div>
  )
}
