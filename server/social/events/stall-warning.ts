/** Keeps how long something has stood still, and says so, once, when that is `warn_ms`. */
export function openStallWarning({ warn_ms, warn }: { warn_ms: number; warn: () => void }) {
  let since_ms: number | undefined
  let said = false
  const forMs = () => (since_ms === undefined ? 0 : Date.now() - since_ms)
  return {
    /** For how long it has stood still without a break. */
    forMs,
    note(stands_still: boolean) {
      since_ms = stands_still ? (since_ms ?? Date.now()) : undefined
      said &&= stands_still
      if (said || forMs() < warn_ms) return
      said = true
      warn()
    },
  }
}
