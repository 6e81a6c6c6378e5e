/** Returns the current time. Tests pass a clock that they set. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

export const secondsAfter = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000)

/** By how much the clocks of two machines may differ; a stored time that lies further ahead was written while a clock was wrong. */
export const clocks_apart_seconds = 60
/** The same as an interval of SQL. */
export const clocks_apart = `${clocks_apart_seconds} s`

/**
 * Whether a stored time lies further ahead than `seconds`, the furthest that it can be written. A wrong clock wrote it, and it counts as
 * none: otherwise nothing would be due before that time.
 */
export const isTooFarAhead = (time: Date, now: Date, seconds = 0) =>
  time.getTime() > now.getTime() + (seconds + clocks_apart_seconds) * 1000

/** A time as mails write it: 2026-01-31 12:00 UTC. */
export const utcTime = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
