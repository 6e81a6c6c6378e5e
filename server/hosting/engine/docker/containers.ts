import type { Observed, Phase } from '../engine.ts'
import { ownedBy } from '../names.ts'
import { redactValues } from './profile.ts'
import { shorten } from './http-client.ts'

/** A container as Docker's inspect describes it. Fields that a daemon may omit are optional. */
export interface Container {
  Id: string
  Name: string
  Created?: string
  Image?: string
  RestartCount?: number
  State?: {
    Status?: string
    OOMKilled?: boolean
    ExitCode?: number
    Error?: string
    StartedAt?: string
  }
  Config?: { Image?: string; Labels?: Record<string, string> | null; Env?: string[] | null }
  HostConfig?: Record<string, unknown>
  Mounts?: { Type?: string }[] | null
  NetworkSettings?: {
    Ports?: Record<string, { HostIp?: string; HostPort?: string }[] | null> | null
    Networks?: Record<string, { IPAddress?: string }> | null
  }
}

export type ListedInstance = Pick<Observed, 'id' | 'generation' | 'replica' | 'app_id' | 'created_at'>

/** The observation of one container; undefined for one of another owner. `address`: where its port is published. */
export function observedOf(installation_id: string, address: string, container: Container): Observed | undefined {
  const owned = ownedBy(installation_id, container.Name, container.Config?.Labels)
  if (!owned) return undefined
  const { State: state = {} } = container
  const phase = phaseOf(state.Status, state.Error)
  const ended = phase !== 'running' && phase !== 'waiting'
  const values = (container.Config?.Env ?? []).map((entry) => entry.slice(entry.indexOf('=') + 1))
  return {
    id: owned.id,
    generation: owned.generation,
    replica: owned.replica,
    app_id: owned.app_id,
    phase,
    restarts: container.RestartCount ?? 0,
    exit_code: ended ? (state.ExitCode ?? null) : null,
    oom_killed: ended && state.OOMKilled === true,
    reason: state.Error ? shorten(redactValues(state.Error, values)) : null,
    endpoint: phase === 'running' ? endpointOf(container, address) : null,
    host: null,
    image: container.Config?.Image ?? null,
    created_at: new Date(container.Created ?? 0),
    started_at: timeOf(state.StartedAt),
  }
}

/** The observation of a container that is listed and cannot be inspected. */
export const unknownOf = ({ id, generation, replica, app_id, created_at }: ListedInstance): Observed => ({
  ...{ id, generation, replica, app_id, created_at },
  phase: 'unknown',
  restarts: 0,
  exit_code: null,
  oom_killed: false,
  reason: null,
  endpoint: null,
  host: null,
  image: null,
  started_at: null,
})

/** Read from the status text: before a restart Docker sets both the `Running` and the `Restarting` flag. */
function phaseOf(status: string | undefined, error: string | undefined): Phase {
  switch (status) {
    case 'running':
      return 'running'
    case 'restarting':
      return 'restarting'
    case 'dead':
      return 'failed'
    case 'exited':
    case 'removing':
      return error ? 'failed' : 'exited'
    default:
      return error ? 'failed' : 'waiting'
  }
}

function endpointOf({ NetworkSettings }: Container, host: string) {
  const port = Object.values(NetworkSettings?.Ports ?? {})
    .flatMap((bindings) => bindings ?? [])
    .map(({ HostPort }) => Number(HostPort))
    .find((number) => number > 0)
  return port === undefined ? null : { host, port }
}

/** Engines write the year 1 for a time that has not been. */
function timeOf(text: string | undefined) {
  const time = new Date(text ?? 0)
  return time.getTime() > 0 ? time : null
}
