export interface Days {
  from?: string | undefined
  to?: string | undefined
}

const dayAfter = (day: Date) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1)

/** Midnight of a day such as `2026-11-22` in the browser's time zone. */
function midnight(text: string | undefined) {
  const [year, month, day] = (text ?? '').split('-').map(Number)
  const found = new Date(year ?? NaN, (month ?? NaN) - 1, day ?? NaN)
  return Number.isNaN(found.getTime()) ? undefined : found
}

/** The times from the first day to the end of the last one, as a list's `from` and `to`; invalid and reversed days are omitted. */
export function spanOf(days: Days) {
  const [first, last] = isReversed(days) ? [] : [midnight(days.from), midnight(days.to)]
  return { ...(first && { from: first.toISOString() }), ...(last && { to: dayAfter(last).toISOString() }) }
}

/** True if the first day is after the last one. */
export function isReversed({ from, to }: Days) {
  const [first, last] = [midnight(from), midnight(to)]
  return first !== undefined && last !== undefined && first > last
}
