const day_ms = 86_400_000

/** The day of a time in a time zone, such as 2026-03-29. */
export const dayIn = (time_zone: string, moment: Date) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: time_zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    moment,
  )

/** The number of a day. Days have no hours, so summer time does not matter. */
const numberOf = (day: string) => Date.parse(day) / day_ms

/**
 * The streak of a person who completed steps on these days, in ascending order (D-163). It lasts until a day has passed
 * without one. A day after `today` comes from a time zone further east, and counts too.
 */
export function streakOf(days: readonly string[], today: string) {
  let [current, longest, last] = [0, 0, -Infinity]
  for (const day of days.map(numberOf)) {
    current = day === last + 1 ? current + 1 : 1
    longest = Math.max(longest, current)
    last = day
  }
  return { current: last >= numberOf(today) - 1 ? current : 0, longest, completed_today: last >= numberOf(today) }
}
