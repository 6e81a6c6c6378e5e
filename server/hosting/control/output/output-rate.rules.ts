import { decisions } from '../../../../contract/decisions.ts'

const { window_seconds, window_lines_max, window_bytes_max } = decisions.container_output
const window_ns = BigInt(window_seconds) * 1_000_000_000n

/**
 * Limits the stored output of one container: admits the lines up to the limits of each window; counts and drops the others. A window is a
 * span of the lines' own times, so output that an engine kept while no worker read is admitted as if it had been read immediately.
 */
export function openOutputRate() {
  let window = -1n
  let lines = 0
  let bytes = 0
  return {
    admits(at_ns: bigint, size: number) {
      const own = at_ns / window_ns
      if (own !== window) {
        window = own
        lines = 0
        bytes = 0
      }
      if (lines >= window_lines_max || bytes + size > window_bytes_max) return false
      lines++
      bytes += size
      return true
    },
  }
}
