import type { Observed, Phase } from '../engine.ts'
import { ownedBy } from '../names.ts'
import { redactValues } from './profile.ts'
import { environmentEntries, secretValues } from '../../secrets.rules.ts'
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
    FinishedAt?: string
    Health?: { Status?: string } | null
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

interface ObservedHost {
  installation_id: string
  /** Where ports are published. */
  address: string
  dialect: {
    phaseOf(state: NonNullable<Container['State']>): Phase
    healthOf(state: NonNullable<Container['State']>): Observed['health']
    imageOf(container: Container): string | undefined
  }
}

/** The observation of one container; undefined for one of another owner. */
export function observedOf(
  { installation_id, address, dialect }: ObservedHost,
  container: Container,
): Observed | undefined {
  const owned = ownedBy(installation_id, container.Name, container.Config?.Labels)
  if (!owned) return undefined
  const { State: state = {} } = container
  const phase = dialect.phaseOf(state)
  const ended = phase !== 'running' && phase !== 'waiting'
  const secrets = secretValues(environmentEntries(container.Config?.Env ?? []))
  return {
    id: owned.id,
    generation: owned.generation,
    replica: owned.replica,
    app_id: owned.app_id,
    phase,
    restarts: container.RestartCount ?? 0,
    exit_code: ended ? (state.ExitCode ?? null) : null,
    oom_killed: ended && state.OOMKilled === true,
    reason: state.Error ? shorten(redactValues(state.Error, secrets)) : null,
    health: phase === 'running' ? dialect.healthOf(state) : undefined,
    endpoint: phase === 'running' ? endpointOf(container, address) : null,
    is_cut_off: phase === 'running' && isCutOff(container),
    host: null,
    image: dialect.imageOf(container) ?? null,
    created_at: new Date(container.Created ?? 0),
    started_at: timeOf(state.StartedAt),
  }
}

/** The observation of a container that the engine lists but cannot inspect. */
export const unknownOf = ({ id, generation, replica, app_id, created_at }: ListedInstance): Observed => ({
  id,
  generation,
  replica,
  app_id,
  created_at,
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

function endpointOf({ NetworkSettings }: Container, host: string) {
  const port = Object.values(NetworkSettings?.Ports ?? {})
    .flatMap((bindings) => bindings ?? [])
    .map(({ HostPort }) => Number(HostPort))
    .find((number) => number > 0)
  return port === undefined ? null : { host, port }
}

/** True if a running container lacks its network or its published port, as after a manual disconnection. */
const isCutOff = (container: Container) =>
  Object.keys(container.NetworkSettings?.Networks ?? {}).length === 0 || endpointOf(container, '') === null

/** Engines write the year 1 for a time that is not set. */
function timeOf(text: string | undefined) {
  const time = new Date(text ?? 0)
  return time.getTime() > 0 ? time : null
}
