import { randomBytes } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { EngineError, type ProbeTarget, type Workload } from '../engine.ts'
import { networkLabelsOf } from '../names.ts'
import { loadProbeImage, probeImageName } from '../probe/image.ts'
import {
  abandoned_seconds,
  isLoopback,
  listen_port,
  probe_apps,
  probed,
  reachArguments,
  readFindings,
  textsOf,
  usualTargets,
} from '../probe/targets.ts'
import type { DaemonInfo } from './daemon.ts'
import type { DockerHost } from './host.ts'
import type { Container } from './containers.ts'
import { orUndefined } from './http-client.ts'
import { ensureNetwork, removeNetwork, type Networks } from './network.ts'
import { readLog } from './streams.ts'

export const probe_label = 'plaza.probe'

/** The limits of the probe's containers. All other settings are the same as for apps. */
export const probe_workload = {
  id: 'probe',
  generation: 1,
  replica: 1,
  image: '',
  registry_auth: undefined,
  env: {},
  running: true,
  port: listen_port,
  memory_mb: 16,
  millicores: 200,
}

/**
 * Tests from a container on this host if it can reach targets that apps must not reach. Two listeners represent a
 * container of another app, which must not be reachable, and one of the same app, which must be.
 */
export const probeHost = (host: DockerHost, networks: Networks, targets: readonly ProbeTarget[], signal: AbortSignal) =>
  probed(null, async () => {
    const { client } = host
    const image = await loadProgram(host, signal)
    await removeAbandoned(host, signal)
    const started: string[] = []
    const run = async (app_id: string, command: readonly string[]) => {
      const network = await ensureNetwork(client, networks, app_id, signal)
      const id = await create(host, { image, app_id, network, command }, signal)
      started.push(id)
      await client.call('POST', `/containers/${id}/start`, { signal })
      return client.call<Container>('GET', `/containers/${id}/json`, { signal })
    }
    try {
      const [other, sibling] = [
        await run(probe_apps.other, ['listen', String(listen_port)]),
        await run(probe_apps.own, ['listen', String(listen_port)]),
      ]
      const all = [...targets, ...usualTargets([host.address]), ...listenerTargets(host, other)]
      const own_address = addressesOf(sibling)[0] ?? ''
      const { Id } = await run(probe_apps.own, reachArguments(all, own_address))
      return readFindings(await outputOf(host, Id, signal), all, own_address)
    } finally {
      await cleanUp(host, networks, started)
    }
  })

/** Loads the image of the probe's program on the host; returns its name. */
export async function loadProgram({ client }: DockerHost, signal: AbortSignal) {
  const { Architecture } = await client.call<DaemonInfo>('GET', '/info', { signal })
  const image = probeImageName(Architecture)
  if (image === undefined)
    throw new EngineError('refused', `The probe has no program for this processor (${Architecture}).`)
  await loadProbeImage(client, image, signal)
  return image
}

/** The output of a container that has ended. */
export async function outputOf({ client }: DockerHost, id: string, signal: AbortSignal) {
  await client.call('POST', `/containers/${id}/wait`, { signal })
  const query = { stdout: '1', stderr: '1', timestamps: '1', tail: 'all', follow: '0' }
  return textsOf(readLog(await client.stream('GET', `/containers/${id}/logs`, { signal, query })))
}

export const probeName = () => `plaza-probe-${randomBytes(8).toString('hex')}`

const addressesOf = ({ NetworkSettings }: Container) =>
  Object.values(NetworkSettings?.Networks ?? {}).flatMap(({ IPAddress }) => (IPAddress ? [IPAddress] : []))

/** The addresses of a container of another app: on its network, and at its published port. */
function listenerTargets({ address }: DockerHost, listener: Container): ProbeTarget[] {
  const published = Object.values(listener.NetworkSettings?.Ports ?? {}).flatMap((bindings) => bindings ?? [])
  const hosts = ['gateway', ...(isIPv4(address) && !isLoopback(address) ? [address] : [])]
  return [
    ...addressesOf(listener).map((own) => ({ what: 'app' as const, address: own, port: listen_port })),
    ...published.flatMap(({ HostPort }) =>
      hosts.map((host) => ({ what: 'app' as const, address: host, port: Number(HostPort) })),
    ),
  ]
}

interface ProbeContainer {
  image: string
  app_id: string
  network: string
  command: readonly string[]
}

async function create(host: DockerHost, { image, app_id, network, command }: ProbeContainer, signal: AbortSignal) {
  const workload: Workload = { ...probe_workload, app_id }
  const { Id } = await host.client.call<{ Id: string }>('POST', '/containers/create', {
    signal,
    query: { name: probeName() },
    body: {
      Image: image,
      Cmd: command,
      // Podman applies it to a forced removal too.
      StopTimeout: 0,
      Labels: { ...networkLabelsOf(host.installation_id, app_id), [probe_label]: host.installation_id },
      ExposedPorts: { [`${listen_port}/tcp`]: {} },
      HostConfig: {
        ...host.dialect.hostConfig(workload, { network, address: host.address }),
        RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
      },
    },
  })
  return Id
}

async function removeAbandoned(host: DockerHost, signal: AbortSignal) {
  const query = { all: 'true', filters: JSON.stringify({ label: [`${probe_label}=${host.installation_id}`] }) }
  const all = await host.client.call<{ Id: string; Created?: number }[]>('GET', '/containers/json', { signal, query })
  for (const { Id, Created = 0 } of all)
    if (Date.now() / 1000 - Created > abandoned_seconds) await removeOne(host, Id, signal)
}

export const removeOne = ({ client }: DockerHost, id: string, signal: AbortSignal) =>
  client
    .call('DELETE', `/containers/${id}`, { signal, query: { force: 'true', v: 'true' } })
    .catch(orUndefined(404, 409))

const cleanup_ms = 20_000

/** Also runs after the probe's signal. The next probe removes anything left over. */
async function cleanUp(host: DockerHost, networks: Networks, started: readonly string[]) {
  const signal = AbortSignal.timeout(cleanup_ms)
  await Promise.all(started.map((id) => removeOne(host, id, signal).catch(() => {})))
  for (const app_id of Object.values(probe_apps))
    await removeNetwork(host.client, networks, app_id, signal).catch(() => {})
}
