/** Returns the current time. Tests pass a clock that they set. */
export type Clock = () => Date

export const systemClock: Clock = () => new Date()

export const secondsAfter = (time: Date, seconds: number) => new Date(time.getTime() + seconds * 1000)

/** The maximum difference between the clocks of two machines. A stored time further in the future was written while a clock was wrong. */
export const clocks_apart_seconds = 60
/** The same as an SQL interval. */
export const clocks_apart = `${clocks_apart_seconds} s`

/**
 * True if a stored time is further in the future than `seconds`, the maximum that is ever written. A wrong clock wrote
 * such a time, and it must be ignored: otherwise nothing would be due before it.
 */
export const isTooFarAhead = (time: Date, now: Date, seconds = 0) =>
  time.getTime() > now.getTime() + (seconds + clocks_apart_seconds) * 1000

/** A time in the format of mails: 2026-01-31 12:00 UTC. */
export const utcTime = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
