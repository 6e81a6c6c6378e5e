const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

/** A time window, split at the first whole minute and the first whole hour. */
export interface ActivityWindow {
  since: Date
  /** The start of the minute that contains `since`. */
  edge_from: Date
  /** The start of the first whole minute of the window. */
  minutes_from: Date
  /** The start of the first whole hour of the window. */
  hours_from: Date
}

/** The last `days` days. The window has no end, so that it includes transfers of processes whose clock is ahead. */
export function activityWindow(now: Date, days: number): ActivityWindow {
  const since = now.getTime() - days * day_ms
  const edge_from = Math.floor(since / minute_ms) * minute_ms
  return {
    since: new Date(since),
    edge_from: new Date(edge_from),
    minutes_from: new Date(Math.ceil(since / minute_ms) * minute_ms),
    hours_from: new Date(Math.ceil(since / hour_ms) * hour_ms),
  }
}
