import type { Timing } from '../timing.rules.ts'

interface SilencePort {
  host: string | null
  is_silent: boolean
  at: number
}

/**
 * Finds hosts of which no port is reachable. A port that answers, or whose program refuses the connection, ends the
 * silence. If no port is left to probe because everything was placed elsewhere, it ends after `silent_seconds`.
 */
export function openSilence({ health_seconds, silent_seconds }: Pick<Timing, 'health_seconds' | 'silent_seconds'>) {
  const ports = new Map<string, SilencePort>()
  const silent_at = new Map<string, number>()
  const isRecent = (at: number, seconds: number) => performance.now() - at <= seconds * 1000
  return {
    record(key: string, host: string | null, is_silent: boolean) {
      ports.set(key, { host, is_silent, at: performance.now() })
    },
    /** True if a port of the host was reachable since then, or its program refused the connection. */
    hasAnsweredSince: (host: string | null, since: number) =>
      [...ports.values()].some((port) => port.host === host && !port.is_silent && port.at >= since),
    of(host: string) {
      for (const [key, { at }] of ports) if (!isRecent(at, health_seconds * 2)) ports.delete(key)
      const probed = [...ports.values()].filter((port) => port.host === host)
      if (probed.some(({ is_silent }) => !is_silent)) silent_at.delete(host)
      else if (probed.length > 0) silent_at.set(host, performance.now())
      return isRecent(silent_at.get(host) ?? -Infinity, silent_seconds)
    },
  }
}
