/** A moment as a `datetime-local` field shows it: this browser's time, to the minute. */
export function toLocal(moment: string | null | undefined): string {
  if (!moment) return ''
  const date = new Date(moment)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** What such a field holds, as the API takes it; null for an empty one. */
export const fromLocal = (text: string): string | null => (text === '' ? null : new Date(text).toISOString())
