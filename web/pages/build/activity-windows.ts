import { locale } from '../../texts.ts'

/** Selectable ranges in days; the last is the longest window of the contract (D-49). */
export const ranges = [7, 30, 90, 365] as const

const bars_max = 12

/** Window lengths in days, ascending, that divide `days` into bars of nearly equal length. */
export function windowsOf(days: number): number[] {
  const bars = days <= bars_max ? days : days % 10 === 0 ? 10 : bars_max
  return Array.from({ length: bars }, (_, at) => Math.round(((at + 1) * days) / bars))
}

interface Total {
  window_days: number
  total_spends: number
  total_awards: number
}

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })

/** The differences between consecutive windows, oldest first. */
export function barsOf(totals: readonly Total[], now = Date.now()) {
  return totals
    .map(({ total_spends, total_awards }, at) => {
      const shorter = totals[at - 1]
      return {
        until: day.format(new Date(now - (shorter?.window_days ?? 0) * 86_400_000)),
        Spends: Math.max(0, total_spends - (shorter?.total_spends ?? 0)),
        Awards: Math.max(0, total_awards - (shorter?.total_awards ?? 0)),
      }
    })
    .reverse()
}
