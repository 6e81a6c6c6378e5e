import type { Container } from '../docker/containers.ts'
import type { EngineClient } from '../docker/http-client.ts'
import { differences, hostConfig, isEmpty, profile, type Publishing } from '../docker/profile.ts'
import type { Workload } from '../engine.ts'
import { libpod } from './libpod.ts'

/**
 * The maximum of processes per user on the host, over all containers. Podman's default of 1048576 is more than a
 * service without CAP_SYS_RESOURCE may set.
 */
const processes_of_user_max = 32_768

/** The isolation profile in the format of Podman's Docker API. */
export const podmanHostConfig = (workload: Workload, publishing: Publishing) => {
  const config = hostConfig(workload, publishing)
  return {
    ...config,
    Ulimits: [...config.Ulimits, { Name: 'nproc', Soft: processes_of_user_max, Hard: processes_of_user_max }],
    LogConfig: { Type: 'k8s-file', Config: { 'max-size': profile.output_bytes_max } },
    // The same as in Docker: without a capability, a program may listen on any port of its own network.
    Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' },
  }
}

/** A container in Podman's own API; its Docker API shows neither capabilities nor the limit of output. */
interface PodmanContainer {
  EffectiveCaps?: string[] | null
  BoundingCaps?: string[] | null
  Pod?: string
  Mounts?: { Type?: string }[] | null
  NetworkSettings?: { Networks?: Record<string, unknown> | null }
  HostConfig?: Record<string, unknown> & {
    LogConfig?: { Type?: string; Size?: string }
    Ulimits?: unknown[] | null
    PortBindings?: Record<string, { HostIp?: string }[] | null> | null
  }
}

const must_be_empty = ['Binds', 'Devices', 'VolumesFrom', 'Links', 'ExtraHosts', 'GroupAdd', 'Tmpfs', 'CapAdd']
const must_be_unset = ['UsernsMode', 'CgroupParent', 'VolumeDriver']

/** The fields of a created container that differ from the isolation profile, by name. */
export async function podmanDifferences(
  client: EngineClient,
  { workload, publishing }: { workload: Workload; publishing: Publishing },
  { Id }: Container,
  signal: AbortSignal,
) {
  const container = await libpod<PodmanContainer>(client, 'GET', `/containers/${Id}/json`, { signal })
  const { HostConfig: actual = {}, NetworkSettings, Mounts } = container
  const { Privileged, PidsLimit, Memory, MemorySwap, NanoCpus, RestartPolicy, PublishAllPorts } = hostConfig(
    workload,
    publishing,
  )
  const found = {
    Privileged,
    PidsLimit,
    Memory,
    MemorySwap,
    NanoCpus,
    RestartPolicy,
    PublishAllPorts,
    SecurityOpt: ['no-new-privileges'],
    NetworkMode: 'bridge',
    PidMode: 'private',
    UTSMode: 'private',
  }
  const checks: [string, boolean][] = [
    ['EffectiveCaps', isProfile(container.EffectiveCaps)],
    ['BoundingCaps', isProfile(container.BoundingCaps)],
    [
      'Ulimits',
      limits.every((limit) =>
        (actual.Ulimits ?? []).some((each) => differences(limit, { ...(each as object) }).length === 0),
      ),
    ],
    ['LogConfig', actual.LogConfig?.Type === 'k8s-file' && /^5\s?MB$/.test(actual.LogConfig.Size ?? '')],
    ['Networks', Object.keys(NetworkSettings?.Networks ?? {}).join() === publishing.network],
    // Podman's name for shared memory that no other container uses unless it requests that.
    ['IpcMode', actual.IpcMode === 'shareable' || actual.IpcMode === 'private'],
    ['PortBindings', isPublished(actual.PortBindings, workload.port, publishing.address)],
    ['Pod', (container.Pod ?? '') === ''],
    ...must_be_empty.map((field): [string, boolean] => [field, isEmpty(actual[field])]),
    ...must_be_unset.map((field): [string, boolean] => [field, (actual[field] ?? '') === '']),
    // Volumes that the image declares are managed by the engine and removed with the container.
    ['mount of the host', (Mounts ?? []).every(({ Type }) => Type === 'volume')],
  ]
  return [...differences(found, actual), ...checks.filter(([, holds]) => !holds).map(([field]) => field)]
}

const limits = [
  { Name: 'RLIMIT_NOFILE', Soft: profile.files_max, Hard: profile.files_max },
  { Name: 'RLIMIT_CORE', Soft: 0, Hard: 0 },
]

const isProfile = (capabilities: string[] | null | undefined) =>
  [...(capabilities ?? [])].sort().join() ===
  profile.capabilities
    .map((name) => `CAP_${name}`)
    .sort()
    .join()

/** Podman chooses the host port when it creates the container. */
function isPublished(
  bindings: Record<string, { HostIp?: string }[] | null> | null | undefined,
  port: number,
  address: string,
) {
  const [only, ...more] = Object.entries(bindings ?? {}).flatMap(([name, all]) =>
    (all ?? []).map(({ HostIp }) => `${name} ${HostIp}`),
  )
  return more.length === 0 && only === `${port}/tcp ${address}`
}
