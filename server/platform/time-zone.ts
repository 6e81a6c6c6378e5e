/** True if this is the name of a time zone. PostgreSQL also accepts abbreviations and offsets, some with the opposite sign. */
export function isTimeZone(name: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
