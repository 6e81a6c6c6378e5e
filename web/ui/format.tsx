import { Text, type TextProps } from '@mantine/core'
import { useState } from 'react'
import { lazyComponent, OnDemand } from './lazy-component.tsx'
import { useTicking } from './ticker.ts'
import { locale, t } from '../texts.ts'

const Tooltip = lazyComponent(() => import('./tooltip.tsx'))

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30.44],
  ['month', 12],
  ['year', Infinity],
] as const

/** A time relative to now: `3 minutes ago`. */
export function relativeTime(moment: string) {
  let amount = (Date.parse(moment) - Date.now()) / 1000
  for (const [unit, size] of steps) {
    if (Math.abs(Math.round(amount)) < size) return relative.format(Math.round(amount), unit)
    amount /= size
  }
  return exact.format(new Date(moment))
}

/** A relative time that is updated; the exact one is in a tooltip, and in hidden text for screen readers. */
export function RelativeTime({
  at,
  never = t('ui.format.never'),
  ...rest
}: { at: string | null | undefined; never?: string } & TextProps) {
  const [hovered, setHovered] = useState<HTMLElement>()
  const text = useTicking(() => (at ? relativeTime(at) : ''))
  if (!at)
    return (
      <Text inherit span c="dimmed" {...rest}>
        {never}
      </Text>
    )
  const exact_time = exact.format(new Date(at))
  return (
    <>
      <Text
        component="time"
        dateTime={at}
        inherit
        span
        onPointerEnter={({ currentTarget }) => setHovered(currentTarget)}
        {...rest}
      >
        {text}
        <span> ({exact_time})</span>
      </Text>
      {hovered && (
        <OnDemand>
          <Tooltip target={hovered} label={exact_time} />
        </OnDemand>
      )}
    </>
  )
}

/** A number with thousands separators. */
export const formatNumber = (amount: number) => amount.toLocaleString(locale)

export const formatPoints = (amount: number) => t('ui.format.points', { amount })
