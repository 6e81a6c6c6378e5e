import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openEngineClient, type EngineClient } from '../../hosting/engine/docker/http-client.ts'
import { openDaemon } from './daemon.ts'
import {
  addNamespace,
  cgroupOf,
  killProcessesOf,
  removeNetworkFixture,
  namespaceOf,
  setLink,
  setPortRange,
  createNetworkFixture,
  type NetworkFixture,
} from './network-fixture.ts'
import {
  imageMaker,
  openRegistry,
  passwordAuth,
  type FixtureImage,
  type Registry,
  type RegistryAuth,
} from './registry.ts'
import { isInstalled, run, until } from './shell.ts'

/** A Docker daemon in its own network namespace: like another machine. */
export interface TestHost {
  name: string
  /** The host's address, where its containers' ports are published. */
  address: string
  socket_path: string
  /** An item of CONTAINER_HOSTS. */
  spec: string
  /** The daemon's API without a driver, for inspection and fault injection. */
  docker: EngineClient
  /** Starts the daemon with its existing data. */
  start(): Promise<void>
  /** Stops the daemon and its containers, as a service manager does. */
  stop(): Promise<void>
  /** Kills the daemon only; containers continue. */
  crash(): Promise<void>
  /** Ends the daemon's supervision: it is no longer restarted. */
  unsupervise(): void
  /** Disconnects the host from all others; its socket stays. */
  disconnect(): Promise<void>
  reconnect(): Promise<void>
  /** Runs a program in the host's network namespace; returns its output. */
  run(program: string, ...args: string[]): Promise<string>
  /** Simulates a power failure: network, daemon and containers end immediately. */
  lose(): Promise<void>
}

export interface TestEngines {
  hosts: TestHost[]
  /** The first host. */
  host: TestHost
  /** Serves all images without authentication. */
  registry: Registry
  /** Serves the same images with `pull_credentials`. */
  private_registry: Registry
  /** Adds a registry with the same images, which is not started yet. */
  addRegistry(auth?: RegistryAuth): Promise<Registry>
  /** The address at which hosts reach this machine. */
  gateway: string
  /** An address of this machine at which hosts require TLS of a registry. */
  tls_only_address: string
  /** Pushes an image as `path:tag` to both registries; returns its digest. */
  push(path: string, tag: string, image?: FixtureImage): Promise<string>
}

const needed = ['dockerd', 'docker-registry', 'busybox', 'ip', 'nsenter']

/** The programs that are needed to start engines and that this machine lacks. */
export const missing_for_engines = [
  ...(process.platform === 'linux' && process.getuid?.() === 0 ? [] : ['root on Linux']),
  ...needed.filter((program) => !isInstalled(program)),
]

/** The programs that are needed to start Podman and that this machine lacks. Debian installs its network tools separately. */
export const missing_for_podman = [
  ...(isInstalled('podman') ? [] : ['podman']),
  ...(existsSync('/usr/lib/podman/netavark') ? [] : ['netavark']),
]

export interface EnginesOptions {
  hosts?: number
  daemon_options?: string[]
  /** The size of a file system for each daemon's data; by default the machine's own is used. */
  disk_mb?: number
  /** First and last port that each daemon publishes on. */
  ports?: readonly [number, number]
  /** Hosts with Podman instead of Docker. */
  podman?: boolean
  /** Hosts that no other file uses, for tests that change a host itself. */
  own?: true
}

/** Starts hosts and two registries; `close` removes everything. */
export async function openEngines({ hosts: count = 1, ...options }: EnginesOptions = {}) {
  const network = await createNetworkFixture()
  const registries: Registry[] = []
  const hosts: TestHost[] = []
  const close = async () => {
    if (options.podman) await Promise.all(hosts.map(removeContainers))
    for (const host of hosts) host.unsupervise()
    await Promise.all(hosts.map((host) => host.docker.close()))
    for (const registry of registries) await registry.stop()
    await removeNetworkFixture(network)
  }
  const addRegistry = async (auth?: RegistryAuth) => {
    const added = await openRegistry(network.folder, network.gateway, auth)
    registries.push(added)
    return added
  }
  /** Starts hosts until there are this many. */
  const addHosts = async (wanted: number) => {
    const added: TestHost[] = []
    while (hosts.length < wanted) {
      const host = await makeHost(network, hosts.length + 1, options)
      hosts.push(host)
      added.push(host)
    }
    await Promise.all(added.map((host) => host.start()))
  }
  try {
    const registry = await addRegistry()
    const private_registry = await addRegistry(passwordAuth(network.folder))
    await Promise.all([registry.start(), private_registry.start(), addHosts(count)])
    const { push } = imageMaker(network.folder, registry)
    const { tls_only_address, gateway } = network
    return {
      hosts,
      host: hosts[0]!,
      registry,
      private_registry,
      addRegistry,
      addHosts,
      tls_only_address,
      gateway,
      push,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

let shared: ReturnType<typeof openEngines> | undefined

/**
 * Docker hosts that the test files of a worker use one after the other, because a host costs seconds of processor time. `close` restores
 * them, except for their images; the end of the run removes them.
 */
export async function shareEngines(count: number): Promise<TestEngines & { close(): Promise<void> }> {
  const all = await (shared ??= openEngines({ hosts: count }))
  await all.addHosts(count)
  const hosts = all.hosts.slice(0, count)
  const added: Registry[] = []
  return {
    ...all,
    hosts,
    async addRegistry(auth) {
      const registry = await all.addRegistry(auth)
      added.push(registry)
      return registry
    },
    async close() {
      await Promise.all(added.map((registry) => registry.stop()))
      await Promise.all([all.registry, all.private_registry].map((registry) => registry.start()))
      await Promise.all(hosts.map(makeEmpty))
    },
  }
}

/** Removes all containers and networks of apps, even after a test that lost the host. */
async function makeEmpty(host: TestHost) {
  const { docker, socket_path } = host
  await host.reconnect()
  if (!(await isUp(docker, socket_path))) await host.start()
  const signal = AbortSignal.timeout(200_000)
  const containers = { signal, query: { all: 'true' } }
  for (const { Id } of await docker.call<{ Id: string }[]>('GET', '/containers/json', containers))
    await docker.call('DELETE', `/containers/${Id}`, { signal, query: { force: 'true' } }).catch(() => {})
  const networks = await docker.call<{ Id: string; Name: string }[]>('GET', '/networks', { signal })
  // A network that stays only occupies a part of the address range.
  for (const { Id, Name } of networks)
    if (Name.startsWith('plaza-')) await docker.call('DELETE', `/networks/${Id}`, { signal }).catch(() => {})
}

/** Removing the containers is the only way to clear Podman's state of them below /run. */
async function removeContainers({ docker }: TestHost) {
  const call = { signal: AbortSignal.timeout(10_000) }
  const all = await docker
    .call<{ Id: string }[]>('GET', '/containers/json', { ...call, query: { all: 'true' } })
    .catch(() => [])
  for (const { Id } of all) {
    await docker.call('POST', `/containers/${Id}/kill`, call).catch(() => {})
    await docker.call('DELETE', `/containers/${Id}`, { ...call, query: { force: 'true' } }).catch(() => {})
  }
}

const default_ports = [32_768, 60_999] as const

async function makeHost(
  network: NetworkFixture,
  number: number,
  { daemon_options = [], disk_mb, ports, podman = false }: Omit<EnginesOptions, 'hosts'>,
): Promise<TestHost> {
  const name = `host${number}`
  const folder = join(network.folder, name)
  const socket_path = join(folder, 'docker.sock')
  await mkdir(folder)
  const address = await addNamespace(network, number)
  const docker = openEngineClient(socket_path)
  if (disk_mb !== undefined) {
    await mkdir(join(folder, 'data'))
    await run('mount', '-t', 'tmpfs', '-o', `size=${disk_mb}m`, 'tmpfs', join(folder, 'data'))
  }
  const command = podman
    ? await podmanCommand({ network, folder, socket_path })
    : dockerCommand({ network, folder, socket_path }, daemon_options)
  // `nsenter` enters the network namespace only; `ip netns exec` would hide the control groups.
  const namespace = `--net=/var/run/netns/${namespaceOf(network, number)}`
  const named = ['unshare', '--uts', 'sh', '-c', 'hostname "$0" && exec "$@"', name] as const
  const daemon = openDaemon(name, folder, [...named, 'nsenter', namespace, ...command])
  return {
    name,
    address,
    socket_path,
    spec: `${name}=${podman ? 'podman' : 'docker'}+unix://${socket_path}?address=${address}`,
    docker,
    async start() {
      // The daemon reads the range at its start. Later its own connections need more ports.
      if (ports) await setPortRange(network, number, ports)
      daemon.start()
      await until(`the engine of ${name}`, () => isUp(docker, socket_path))
      if (ports) await setPortRange(network, number, default_ports)
    },
    stop: daemon.stop,
    crash: daemon.crash,
    unsupervise: daemon.unsupervise,
    run: (program, ...args) => run('nsenter', namespace, program, ...args),
    disconnect: async () => void (await setLink(network, number, 'down')),
    reconnect: async () => void (await setLink(network, number, 'up')),
    async lose() {
      daemon.unsupervise()
      await setLink(network, number, 'down')
      await killProcessesOf(folder)
    },
  }
}

interface HostFiles {
  network: NetworkFixture
  folder: string
  socket_path: string
}

function dockerCommand({ network, folder, socket_path }: HostFiles, daemon_options: readonly string[]) {
  const options = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')]
  options.push('-H', `unix://${socket_path}`, '--pidfile', join(folder, 'pid'), '--storage-driver', 'overlay2')
  options.push('--insecure-registry', network.range, '--cgroup-parent', cgroupOf(network), ...daemon_options)
  return ['dockerd', ...options]
}

/** The service of Podman with separate files, so that it finds nothing of the machine's Podman. */
async function podmanCommand({ network, folder, socket_path }: HostFiles) {
  const files = {
    CONTAINERS_CONF: `[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
[engine]
events_logger = "file"
cgroup_manager = "cgroupfs"
lock_type = "file"
tmp_dir = "${folder}/tmp"
`,
    CONTAINERS_STORAGE_CONF: `[storage]
driver = "overlay"
graphroot = "${folder}/data"
runroot = "${folder}/run"
`,
    CONTAINERS_REGISTRIES_CONF: `unqualified-search-registries = []
[[registry]]
location = "${network.gateway}"
insecure = true
`,
  }
  const variables: string[] = []
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content)
    variables.push(`${name}=${join(folder, name)}`)
  }
  // Its monitors write into the folder in which it was started.
  return [
    'env',
    `--chdir=${folder}`,
    ...variables,
    'podman',
    '--log-level',
    'info',
    'system',
    'service',
    '--time=0',
    `unix://${socket_path}`,
  ]
}

async function isUp(docker: EngineClient, socket_path: string) {
  if (!existsSync(socket_path)) return false
  return docker.negotiate(AbortSignal.timeout(5_000)).then(Boolean, () => false)
}

/** Joins the hosts to one Swarm with the first one as manager, or the first several; returns its item of CONTAINER_HOSTS. */
export async function joinSwarm({ hosts }: TestEngines, { managers = 1 } = {}) {
  const signal = AbortSignal.timeout(60_000)
  const [manager, ...others] = hosts
  if (!manager) throw new Error('no hosts')
  const addressed = ({ address }: TestHost) => ({
    ListenAddr: `${address}:2377`,
    AdvertiseAddr: address,
    DataPathAddr: address,
  })
  await manager.docker.call('POST', '/swarm/init', { signal, body: addressed(manager) })
  const { JoinTokens } = await manager.docker.call<{ JoinTokens: { Worker: string; Manager: string } }>(
    'GET',
    '/swarm',
    { signal },
  )
  for (const [at, host] of others.entries()) {
    const body = {
      ...addressed(host),
      RemoteAddrs: [`${manager.address}:2377`],
      JoinToken: at + 1 < managers ? JoinTokens.Manager : JoinTokens.Worker,
    }
    await host.docker.call('POST', '/swarm/join', { signal, body })
  }
  return swarmSpec(hosts.slice(0, managers).map(({ socket_path }) => socket_path))
}

/** An item of CONTAINER_HOSTS for a Swarm with these managers. */
export const swarmSpec = ([first, ...more]: string[]) =>
  `swarm=swarm+unix://${first}${more.map((path, at) => `${at === 0 ? '?' : '&'}manager=${path}`).join('')}`
