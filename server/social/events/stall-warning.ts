/** Measures how long a condition has held without a break, and calls `warn` once after `warn_ms`. */
export function openStallWarning({ warn_ms, warn }: { warn_ms: number; warn: () => void }) {
  let since_ms: number | undefined
  let warned = false
  const durationMs = () => (since_ms === undefined ? 0 : performance.now() - since_ms)
  return {
    durationMs,
    update(is_stalled: boolean) {
      since_ms = is_stalled ? (since_ms ?? performance.now()) : undefined
      warned &&= is_stalled
      if (warned || durationMs() < warn_ms) return
      warned = true
      warn()
    },
  }
}
