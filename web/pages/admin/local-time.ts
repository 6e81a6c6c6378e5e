/** Formats a timestamp for a `datetime-local` field: the browser's time, to the minute. */
export function toLocalInput(timestamp: string | null | undefined): string {
  if (!timestamp) return ''
  const date = new Date(timestamp)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** Parses the value of a `datetime-local` field; null when it is empty. */
export const fromLocalInput = (text: string): string | null => (text === '' ? null : new Date(text).toISOString())
