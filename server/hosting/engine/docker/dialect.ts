import type { EngineKind } from '../../../../contract/kinds/engines.ts'
import type { Observed, Phase, Workload } from '../engine.ts'
import type { Container } from './containers.ts'
import { EngineError } from '../engine.ts'
import type { DaemonInfo } from './daemon.ts'
import { hasStatus, type EngineClient } from './http-client.ts'
import { resolveImage, type ImageRequest } from './images.ts'
import { dockerNetworks, type NetworkKind } from './network.ts'
import { openOomWatch, type OomWatch } from './oom-watch.ts'
import { hostConfig, isolationDifferences, type Publishing } from './profile.ts'

/** An image by digest. `pulled`: the image was pulled to find its digest. */
export interface ResolvedImage {
  image: string
  pulled: boolean
}

/** The differences between the engines with Docker's API: Docker itself, and Podman (`podman/podman.ts`). */
export interface Dialect {
  kind: EngineKind
  /** Limitations of this kind of engine, as sentences. */
  limits: string[]
  network_kind: NetworkKind
  /** True if the registry returns a digest without a pull, so that it can be requested early. */
  resolves_without_pull: boolean
  /** Fails with `isolation` or `too_old` if another engine answers or the engine cannot isolate. */
  requireSupported(client: EngineClient, signal: AbortSignal): Promise<void>
  /** Recommendations for its operator, as sentences. */
  adviceOf(info: DaemonInfo): string[]
  resolveImage(client: EngineClient, request: ImageRequest, signal: AbortSignal): Promise<ResolvedImage>
  /** Labels of a container in addition to the common ones. */
  labelsOf(image: string): Record<string, string>
  /** The image of a container, by digest. */
  imageOf(container: Container): string | undefined
  /** True if a creation failed because a container of that name exists. */
  isNameTaken(error: unknown): boolean
  /** The isolation profile in the engine's format. */
  hostConfig(workload: Workload, publishing: Publishing): Record<string, unknown>
  /** The fields of a created container that differ from the profile, by name. */
  isolationDifferences(
    client: EngineClient,
    expected: { workload: Workload; publishing: Publishing },
    container: Container,
    signal: AbortSignal,
  ): Promise<string[]>
  phaseOf(state: NonNullable<Container['State']>): Phase
  healthOf(state: NonNullable<Container['State']>): Observed['health']
  openOomWatch(client: EngineClient, installation_id: string): OomWatch
  /** The error of a start, with a fault that the engine's status does not show; undefined if another caller started the container. */
  startError(error: EngineError): EngineError | undefined
}

const healths = ['starting', 'healthy', 'unhealthy'] as const

const live_restore_advice =
  'When its daemon ends or restarts, its containers end with it: set "live-restore": true and "userland-proxy": false in ' +
  '/etc/docker/daemon.json.'

interface EngineVersion {
  Components?: { Name?: string; Version?: string }[] | null
}

export const docker: Dialect = {
  kind: 'docker',
  limits: [],
  network_kind: dockerNetworks({ driver: 'bridge', scope: 'local', options: {} }),
  resolves_without_pull: true,
  async requireSupported(client, signal) {
    const { Components } = await client.call<EngineVersion>('GET', '/version', { signal })
    const podman = (Components ?? []).find(({ Name }) => Name === 'Podman Engine')
    if (podman)
      throw new EngineError(
        'isolation',
        `It is Podman ${podman.Version ?? ''}: write podman+unix:// in place of docker+unix:// in CONTAINER_HOSTS.`,
      )
  },
  adviceOf: ({ LiveRestoreEnabled }) => (LiveRestoreEnabled ? [] : [live_restore_advice]),
  resolveImage: async (client, request, signal) => ({
    image: await resolveImage(client, request, signal),
    pulled: false,
  }),
  labelsOf: () => ({}),
  imageOf: ({ Config }) => Config?.Image,
  isNameTaken: (error) => hasStatus(error, 409),
  hostConfig,
  isolationDifferences: async (_, { workload, publishing }, container) =>
    isolationDifferences(workload, publishing, container),
  phaseOf,
  healthOf: ({ Health }) => healths.find((health) => health === Health?.Status),
  openOomWatch,
  startError: (error) => error,
}

/** Read from the status text: before a restart Docker sets both the `Running` and the `Restarting` flag. */
function phaseOf({ Status, Error }: NonNullable<Container['State']>): Phase {
  switch (Status) {
    case 'running':
      return 'running'
    case 'restarting':
      return 'restarting'
    case 'dead':
      return 'failed'
    case 'exited':
    case 'removing':
      return Error ? 'failed' : 'exited'
    default:
      return Error ? 'failed' : 'waiting'
  }
}
