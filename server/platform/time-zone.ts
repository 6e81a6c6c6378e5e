/** Whether this is the name of a time zone. PostgreSQL accepts abbreviations and offsets too, some with the opposite sign. */
export function isTimeZone(name: string) {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
