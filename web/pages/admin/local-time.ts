/** A moment as a `datetime-local` field shows it: this browser's time, to the minute. */
export function toLocalInput(timestamp: string | null | undefined): string {
  if (!timestamp) return ''
  const date = new Date(timestamp)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** What such a field holds, as the API takes it; null for an empty one. */
export const fromLocalInput = (text: string): string | null => (text === '' ? null : new Date(text).toISOString())
