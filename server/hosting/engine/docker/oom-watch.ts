import { filterFor } from '../names.ts'
import type { Container } from './containers.ts'
import type { EngineClient } from './http-client.ts'
import { readProgress } from './streams.ts'

/** Detects from the engine's events that containers ran out of memory: the flag of a container is set too late, or never. */
export interface OomWatch {
  /** Opens the stream of events if it is not open, without waiting for it. */
  keepOpen(): void
  /** True if the container ran out of memory since its last start. */
  hadOom(container: Container, signal: AbortSignal): Promise<boolean>
  /** Forgets all other containers. */
  retain(docker_ids: readonly string[]): void
}

/** The engine keeps its last few hundred events; all of them are read after each connection. */
const events_since_seconds = 86_400
const reopen_ms = 1_000
/** The exit code of a program that the kernel killed. */
const killed = 137
/** How long after the end of its container an event may arrive. */
const late_ms = 200

export function openOomWatch(client: EngineClient, installation_id: string): OomWatch {
  /** The time of the last event, in ms of the engine's clock. */
  const last_oom = new Map<string, number>()
  /** The starts whose end has been checked. */
  const asked = new Map<string, string>()
  const never = new AbortController().signal
  let is_open = false
  let opened_at = -Infinity

  async function read(signal: AbortSignal, end: { until?: string } = {}) {
    const { label } = JSON.parse(filterFor(installation_id)) as { label: string[] }
    const since = String(Math.floor(Date.now() / 1000) - events_since_seconds)
    const filters = JSON.stringify({ type: ['container'], event: ['oom'], label })
    for await (const event of readProgress(
      await client.stream('GET', '/events', { signal, query: { since, filters, ...end } }),
    )) {
      const { id, at } = eventOf(event)
      last_oom.set(id, Math.max(at, last_oom.get(id) ?? 0))
    }
  }

  return {
    keepOpen() {
      if (is_open || performance.now() - opened_at < reopen_ms) return
      is_open = true
      opened_at = performance.now()
      void read(never)
        .catch(() => {})
        .finally(() => {
          is_open = false
        })
    },
    async hadOom({ Id, State: { StartedAt = '', ExitCode } = {} }, signal) {
      const isKnown = () => (last_oom.get(Id) ?? 0) >= Date.parse(StartedAt)
      if (isKnown() || ExitCode !== killed || asked.get(Id) === StartedAt) return isKnown()
      asked.set(Id, StartedAt)
      // The stream may lag. Without an answer, the container counts as killed for another reason.
      await read(signal, { until: ((Date.now() + late_ms) / 1000).toFixed(3) }).catch(() => asked.delete(Id))
      return isKnown()
    },
    retain(docker_ids) {
      const alive = new Set(docker_ids)
      for (const known of [last_oom, asked]) for (const id of known.keys()) if (!alive.has(id)) known.delete(id)
    },
  }
}

function eventOf(event: Record<string, unknown>) {
  const { Actor, timeNano } = event as { Actor?: { ID?: string }; timeNano?: number }
  return { id: Actor?.ID ?? '', at: (timeNano ?? 0) / 1e6 }
}
