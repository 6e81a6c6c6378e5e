import { observedOf, unknownOf, type Container, type ListedInstance } from './containers.ts'
import { openObservationCache, type ListedState } from './observation-cache.ts'
import {
  engineTime,
  EngineError,
  position_overlap_ns,
  type ContainerEngine,
  type InstanceName,
  type LogQuery,
  type OutputStart,
  type Workload,
} from '../engine.ts'
import { hasStatus, orUndefined, type EngineClient } from './http-client.ts'
import { requireEnforcement, type DaemonInfo } from './daemon.ts'
import type { DockerHost } from './host.ts'
import type { ResolvedImage } from './dialect.ts'
import { fetchImage, removeImage } from './images.ts'
import { filterFor, labelsOf, isMeant, nameOf, ownedBy } from '../names.ts'
import { ensureNetwork, removeNetwork, type Networks } from './network.ts'
import { environment, profile, redactSecrets, type Publishing } from './profile.ts'
import { readListeners } from './listeners.ts'
import { probeHost } from './probe.ts'
import { readLog } from './streams.ts'
import { readUsage } from './usage.ts'

const creation_ms_max = 5_000

/**
 * The driver of one host with Docker, or with another engine that implements Docker's API. Every instance is a container on the network of
 * its app. That network does not separate a workload from the Internet, nor from listeners on the host's addresses other than loopback,
 * including published ports of other workloads. The operator's firewall does that (docs/hosting/firewall.sh).
 */
export function dockerEngine(host: DockerHost): ContainerEngine {
  const { client, dialect } = host
  const networks: Networks = {
    installation_id: host.installation_id,
    range: host.network_range,
    kind: dialect.network_kind,
  }
  const cache = openObservationCache()
  const oom_watch = dialect.openOomWatch(client, host.installation_id)
  return {
    info: openInfo(host),
    async ensure(workload, signal) {
      try {
        return await ensureContainer(host, networks, workload, signal)
      } catch (error) {
        throw redactSecrets(asTransient(error), workload)
      }
    },
    async remove(what, signal) {
      if ('image' in what) return removeImage(client, what.image, signal)
      if ('network_of_app' in what) return removeNetwork(client, networks, what.network_of_app, signal)
      const all = await listOwn(host, what.workload, signal)
      const named = all.filter((instance) => isMeant(what, instance))
      await Promise.all(named.map((container) => removeContainer(client, container.docker_id, signal)))
      return 'gone'
    },
    async observe(signal, deployment) {
      oom_watch.keepOpen()
      const all = await listOwn(host, deployment, signal)
      const listed_at = performance.now()
      const observed_all = await inParallel(all, async (listed) => {
        const cached = deployment === undefined ? cache.get(listed, listed_at) : undefined
        if (cached) return cached
        const at = performance.now()
        const container = await inspect(client, listed.docker_id, signal).catch((error: unknown) => {
          // The other containers of the host are still observed. An observation of one deployment fails.
          if (deployment !== undefined || !hasStatus(error, 500)) throw error
          return 'unknown' as const
        })
        if (container === 'unknown') return unknownOf(listed)
        const observed = container && observedOf(host, container)
        if (container && observed?.exit_code && !observed.oom_killed)
          observed.oom_killed = await oom_watch.hadOom(container, signal)
        if (observed) cache.set(listed.docker_id, observed, at)
        return observed
      })
      if (deployment === undefined) {
        cache.retain(all)
        oom_watch.retain(all.map(({ docker_id }) => docker_id))
      }
      return observed_all.filter((observed) => observed !== undefined)
    },
    logs: (instance, query, signal) => readLogs(host, instance, query, signal),
    output: (instance, start, signal) => readOutput(host, instance, start, signal),
    usage: (instance, signal) => readUsage(client, nameOf(instance), signal),
    listeners: (instance, signal) => findListeners(host, instance, signal),
    probe: async (targets, signal) => [await probeHost(host, networks, targets, signal)],
  }
}

/** Checks the kind of engine at first and after each failure, since it may have changed. */
function openInfo(host: DockerHost): ContainerEngine['info'] {
  let is_supported = false
  return async (signal) => {
    const known = is_supported
    is_supported = false
    const api_version = await host.client.negotiate(signal)
    if (!known) await host.dialect.requireSupported(host.client, signal)
    const info = await readInfo(host, api_version, signal)
    is_supported = true
    return info
  }
}

async function readInfo({ client, dialect }: DockerHost, api_version: string, signal: AbortSignal) {
  const info = await client.call<DaemonInfo>('GET', '/info', { signal })
  requireEnforcement(info)
  return {
    kind: dialect.kind,
    version: info.ServerVersion ?? '',
    api_version,
    memory_mb: Math.floor((info.MemTotal ?? 0) / 1024 / 1024),
    millicores: (info.NCPU ?? 0) * 1000,
    hosts: 1,
    advice: dialect.adviceOf(info),
    limits: dialect.limits,
  }
}

/** 404 and 409 mean that an object changed between two calls: the next attempt finds the new state. */
const asTransient = (error: unknown) =>
  hasStatus(error, 404, 409) && error.fault === 'refused' ? new EngineError('unreachable', error.message) : error

async function ensureContainer(host: DockerHost, networks: Networks, workload: Workload, signal: AbortSignal) {
  const resolve = () => host.dialect.resolveImage(host.client, workload, signal)
  // Started first, because the registry is the slowest part. An existing container does not need the result.
  const early = host.dialect.resolves_without_pull ? resolve() : undefined
  early?.catch(() => {})
  const [network, found] = await Promise.all([
    ensureNetwork(host.client, networks, workload.app_id, signal),
    findOwn(host, workload, signal),
  ])
  const publishing = { network, address: host.address }
  const container =
    (found && (await reuseOrRemove(host, workload, publishing, found, signal))) ??
    (await createContainer(host, workload, { publishing, resolved: await (early ?? resolve()) }, signal))
  await (workload.running ? startContainer(host, container, signal) : stopContainer(host.client, container, signal))
  const owned = ownedBy(host.installation_id, container.Name, container.Config?.Labels)
  return { image: host.dialect.imageOf(container) ?? '', pulled: owned?.pulled ?? false }
}

/**
 * Returns the existing container. Removes one that differs from the isolation profile, because of older settings or
 * another creator, unless it only has to be stopped.
 */
async function reuseOrRemove(
  { client, dialect }: DockerHost,
  workload: Workload,
  publishing: Publishing,
  container: Container,
  signal: AbortSignal,
) {
  if (!workload.running) return container
  const differences = await dialect.isolationDifferences(client, { workload, publishing }, container, signal)
  if (differences.length === 0) return container
  await removeContainer(client, container.Id, signal)
  return undefined
}

/** The container of this instance. Fails with `refused` if a container of another owner has its name. */
async function findOwn({ client, installation_id }: DockerHost, workload: Workload, signal: AbortSignal) {
  const container = await inspect(client, nameOf(workload), signal)
  if (!container) return undefined
  const owned = ownedBy(installation_id, container.Name, container.Config?.Labels)
  if (owned?.app_id === workload.app_id) return container
  throw new EngineError(
    'refused',
    `The name ${nameOf(workload)} is taken by a container that is not this deployment's.`,
  )
}

interface Creation {
  publishing: Publishing
  resolved: ResolvedImage
}

/** Creates the container of a workload with this image. */
async function createContainer(
  host: DockerHost,
  { image: _, ...given }: Workload,
  { publishing, resolved }: Creation,
  signal: AbortSignal,
) {
  const workload = { ...given, image: resolved.image }
  const pulled = (await fetchImage(host.client, workload, signal)) || resolved.pulled
  try {
    await host.client.call('POST', '/containers/create', {
      signal,
      query: { name: nameOf(workload) },
      body: {
        Image: workload.image,
        Env: environment(workload),
        Labels: { ...labelsOf(host.installation_id, workload, pulled), ...host.dialect.labelsOf(workload.image) },
        ExposedPorts: { [`${workload.port}/tcp`]: {} },
        StopTimeout: profile.stop_seconds,
        HostConfig: host.dialect.hostConfig(workload, publishing),
      },
    })
  } catch (error) {
    // The container exists, from a call whose answer was lost or from another worker. It is adopted if it belongs to this installation.
    if (!host.dialect.isNameTaken(error)) throw error
  }
  const container = await waitForOwn(host, workload, signal)
  const expected = { workload, publishing }
  const differences = await host.dialect.isolationDifferences(host.client, expected, container, signal)
  if (differences.length === 0) return container
  await removeContainer(host.client, container.Id, signal)
  throw new EngineError('isolation', `The engine did not apply: ${differences.join(', ')}.`)
}

/** Waits for a container that this or another caller has just created: Docker reserves the name before inspect finds it. */
async function waitForOwn(host: DockerHost, workload: Workload, signal: AbortSignal) {
  for (const deadline = performance.now() + creation_ms_max; performance.now() < deadline;) {
    const container = await findOwn(host, workload, signal)
    if (container) return container
    await new Promise((next) => setTimeout(next, 50))
  }
  throw new EngineError('unreachable', 'The container was created but cannot be found.')
}

async function startContainer({ client, dialect }: DockerHost, { Id, State }: Container, signal: AbortSignal) {
  if (State?.Status === 'paused') await client.call('POST', `/containers/${Id}/unpause`, { signal })
  else if (State?.Status !== 'running' && State?.Status !== 'restarting')
    await client.call('POST', `/containers/${Id}/start`, { signal }).catch((error: unknown) => {
      const failure = error instanceof EngineError ? dialect.startError(error) : error
      if (failure instanceof Error) throw failure
    })
}

async function stopContainer(client: EngineClient, { Id, State }: Container, signal: AbortSignal) {
  if (State?.Status === 'created') return
  if (State?.Status === 'paused') await client.call('POST', `/containers/${Id}/unpause`, { signal })
  await client.call('POST', `/containers/${Id}/stop`, { signal, query: { t: String(profile.stop_seconds) } })
}

/** Stops the container, then removes it with the volumes that its image declares. The container is gone when this returns. */
async function removeContainer(client: EngineClient, docker_id: string, signal: AbortSignal) {
  try {
    await client.call('POST', `/containers/${docker_id}/stop`, { signal, query: { t: String(profile.stop_seconds) } })
  } catch (error) {
    if (hasStatus(error, 404)) return
    // A paused or broken container cannot be stopped; the forced removal below kills it.
    if (!hasStatus(error, 409, 500)) throw error
  }
  for (;;) {
    try {
      await client.call('DELETE', `/containers/${docker_id}`, { signal, query: { force: 'true', v: 'true' } })
      return
    } catch (error) {
      if (hasStatus(error, 404)) return
      // 409: its removal is in progress.
      if (!hasStatus(error, 409)) throw error
      await new Promise((next) => setTimeout(next, 100))
    }
  }
}

async function listOwn({ client, installation_id }: DockerHost, deployment: string | undefined, signal: AbortSignal) {
  const query = { all: 'true', filters: filterFor(installation_id, deployment === undefined ? {} : { deployment }) }
  const all = await client.call<ListedContainer[]>('GET', '/containers/json', { signal, query })
  return all.flatMap((entry) => {
    const { Id, Names, Labels, Created = 0, State = '', Status = '' } = entry
    const owned = (Names ?? [])
      .map((name) => ownedBy(installation_id, name, Labels))
      .find((found) => found !== undefined)
    if (!owned) return []
    const created_at = new Date(Created * 1000)
    const listed = {
      ...owned,
      created_at,
      docker_id: Id,
      state: State,
      status: Status,
      is_cut_off: isListedCutOff(entry),
    }
    return [listed satisfies ListedState & ListedInstance]
  })
}

interface ListedContainer {
  Id: string
  Names?: string[] | null
  Labels?: Record<string, string> | null
  /** In seconds. */
  Created?: number
  State?: string
  Status?: string
  Ports?: { PublicPort?: number }[] | null
  NetworkSettings?: { Networks?: Record<string, unknown> | null }
}

const isListedCutOff = ({ Ports, NetworkSettings }: ListedContainer) =>
  Object.keys(NetworkSettings?.Networks ?? {}).length === 0 || !Ports?.some(({ PublicPort }) => PublicPort)

const inspect = (client: EngineClient, name: string, signal: AbortSignal) =>
  client.call<Container>('GET', `/containers/${name}/json`, { signal }).catch(orUndefined(404))

async function* readLogs(host: DockerHost, instance: InstanceName, { tail }: LogQuery, signal: AbortSignal) {
  const container = await inspectOwn(host, instance, signal)
  if (!container) return
  const query = { stdout: '1', stderr: '1', timestamps: '1', tail: String(tail), follow: '0' }
  const batches = readLog(await host.client.stream('GET', `/containers/${container.Id}/logs`, { signal, query }))
  for await (const lines of batches) yield* lines
}

async function* readOutput(
  host: DockerHost,
  instance: InstanceName,
  { positions, tail, follow }: OutputStart,
  signal: AbortSignal,
) {
  const container = await inspectOwn(host, instance, signal)
  if (!container) return
  const source = container.Id
  const position = positions.get(source)
  const query = {
    stdout: '1',
    stderr: '1',
    timestamps: '1',
    follow: follow ? '1' : '0',
    ...(position !== undefined && { since: engineTime(position - position_overlap_ns) }),
    ...(tail !== undefined && { tail: String(tail) }),
  }
  const batches = readLog(
    await host.client.stream('GET', `/containers/${source}/logs`, { signal, query, is_kept_open: true }),
  )
  for await (const lines of batches) yield lines.map((line) => ({ ...line, source }))
}

async function findListeners(host: DockerHost, instance: InstanceName, signal: AbortSignal) {
  const container = await inspectOwn(host, instance, signal)
  return container && readListeners(host, container, signal)
}

/** The container of an instance; undefined if there is none or it belongs to another owner. */
async function inspectOwn({ client, installation_id }: DockerHost, instance: InstanceName, signal: AbortSignal) {
  const container = await inspect(client, nameOf(instance), signal)
  return container && ownedBy(installation_id, container.Name, container.Config?.Labels) ? container : undefined
}

/** Runs `work` for all items, eight at a time; results keep their order. */
async function inParallel<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>) {
  const results: Result[] = []
  const queue = items.entries()
  const worker = async () => {
    for (const [at, item] of queue) results[at] = await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return results
}
