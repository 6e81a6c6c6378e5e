const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

/** A window of time, cut where whole minutes and whole hours begin. */
export interface ActivityWindow {
  since: Date
  /** The minute that `since` is in begins here. */
  edge_from: Date
  /** The first whole minute of the window begins here. */
  minutes_from: Date
  /** The first whole hour of the window begins here. */
  hours_from: Date
}

/** The last `days` days up to now. It has no end: what another process dates a moment ahead of us has happened too. */
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
