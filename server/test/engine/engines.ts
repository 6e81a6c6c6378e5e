import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
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
import { imageMaker, openRegistry, type FixtureImage, type Registry } from './registry.ts'
import { isInstalled, run, until } from './shell.ts'

/** A Docker daemon in a network namespace of its own, as another machine would be. */
export interface TestHost {
  name: string
  /** Where the host is reached from here, and where its containers' ports are published. */
  address: string
  socket_path: string
  /** An item of CONTAINER_HOSTS. */
  spec: string
  /** Straight to the daemon, past the port: for looking, and for breaking things. */
  docker: EngineClient
  /** Starts the daemon again with all that it had. */
  start(): Promise<void>
  /** Ends the daemon and with it its containers, as a service manager does. */
  stop(): Promise<void>
  /** Kills the daemon alone; containers go on without it. */
  crash(): Promise<void>
  /** What ends the daemon from now on is meant to: it is not started again. */
  unsupervise(): void
  /** Gives a disk that was given a size another. */
  resize(mb: number): Promise<void>
  /** Pulls the plug: network, daemon and containers are gone at once. */
  lose(): Promise<void>
}

export interface TestEngines {
  hosts: TestHost[]
  /** The first host. */
  host: TestHost
  /** Serves every image to anybody. */
  registry: Registry
  /** Serves the same images to those who show `pull_credentials`. */
  private_registry: Registry
  /** An address of this machine that hosts reach, and where they take a registry for a real one only over TLS. */
  strange_address: string
  /** Makes `path:tag` be this image in both registries; answers its digest. */
  push(path: string, tag: string, image?: FixtureImage): Promise<string>
}

const needed = ['dockerd', 'docker-registry', 'busybox', 'ip', 'nsenter']

/** What this machine lacks for starting engines; empty where they can be started. */
export const missing_for_engines = [
  ...(process.platform === 'linux' && process.getuid?.() === 0 ? [] : ['root on Linux']),
  ...needed.filter((program) => !isInstalled(program)),
]

export interface EnginesOptions {
  hosts?: number
  daemon_options?: string[]
  /** What each daemon stores lies in a file system of this size; it is the machine's own otherwise. */
  disk_mb?: number
  /** First and last of the ports that each daemon publishes on. */
  ports?: readonly [number, number]
}

/** Starts Docker hosts and two registries; `close` takes all away again. */
export async function openEngines({ hosts: count = 1, ...options }: EnginesOptions = {}): Promise<
  TestEngines & { close(): Promise<void> }
> {
  const ground = await createNetworkFixture()
  const programs: Registry[] = []
  const hosts: TestHost[] = []
  const close = async () => {
    for (const host of hosts) host.unsupervise()
    await Promise.all(hosts.map((host) => host.docker.close()))
    for (const registry of programs) await registry.stop()
    await removeNetworkFixture(ground)
  }
  try {
    for (const auth of [false, true]) programs.push(await openRegistry(ground.folder, ground.gateway, { auth }))
    const [registry, private_registry] = programs
    for (let number = 1; number <= count; number++) hosts.push(await makeHost(ground, number, options))
    const [host] = hosts
    if (!registry || !private_registry || !host) throw new Error('no hosts were asked for')
    await Promise.all([...programs, ...hosts].map((program) => program.start()))
    const { push } = imageMaker(ground.folder, registry)
    return { hosts, host, registry, private_registry, strange_address: ground.strange_address, push, close }
  } catch (error) {
    await close()
    throw error
  }
}

const usual_ports = [32_768, 60_999] as const

async function makeHost(
  ground: NetworkFixture,
  number: number,
  { daemon_options = [], disk_mb, ports }: Omit<EnginesOptions, 'hosts'>,
): Promise<TestHost> {
  const name = `host${number}`
  const folder = join(ground.folder, name)
  const socket_path = join(folder, 'docker.sock')
  await mkdir(folder)
  const address = await addNamespace(ground, number)
  const docker = openEngineClient(socket_path)
  const resize = async (mb: number, how = 'remount,') =>
    void (await run('mount', '-t', 'tmpfs', '-o', `${how}size=${mb}m`, 'tmpfs', join(folder, 'data')))
  if (disk_mb !== undefined) {
    await mkdir(join(folder, 'data'))
    await resize(disk_mb, '')
  }
  const options = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')]
  options.push('-H', `unix://${socket_path}`, '--pidfile', join(folder, 'pid'), '--storage-driver', 'overlay2')
  options.push('--insecure-registry', ground.range, '--cgroup-parent', cgroupOf(ground), ...daemon_options)
  // Only its network is the namespace's: `ip netns exec` would hide the control groups.
  const namespace = `--net=/var/run/netns/${namespaceOf(ground, number)}`
  const daemon = openDaemon(name, folder, ['nsenter', namespace, 'dockerd', ...options])
  return {
    name,
    address,
    socket_path,
    spec: `${name}=docker+unix://${socket_path}?address=${address}`,
    docker,
    async start() {
      // Read by the daemon as it starts; its own connections want more of them later.
      if (ports) await setPortRange(ground, number, ports)
      daemon.start()
      await until(`docker of ${name}`, 20, () => isUp(docker, socket_path))
      if (ports) await setPortRange(ground, number, usual_ports)
    },
    resize,
    stop: daemon.stop,
    crash: daemon.crash,
    unsupervise: daemon.unsupervise,
    async lose() {
      daemon.unsupervise()
      await setLink(ground, number, 'down')
      await killProcessesOf(folder)
    },
  }
}

async function isUp(docker: EngineClient, socket_path: string) {
  if (!existsSync(socket_path)) return false
  return docker.negotiate(AbortSignal.timeout(5_000)).then(Boolean, () => false)
}

/** Joins the hosts to one Swarm with the first as manager. */
export async function joinSwarm({ hosts: [manager, ...workers] }: TestEngines) {
  const signal = AbortSignal.timeout(60_000)
  if (!manager) throw new Error('no hosts')
  const port = 2377
  await manager.docker.call('POST', '/swarm/init', {
    signal,
    body: { ListenAddr: `${manager.address}:${port}`, AdvertiseAddr: manager.address, DataPathAddr: manager.address },
  })
  const { JoinTokens } = await manager.docker.call<{ JoinTokens: { Worker: string } }>('GET', '/swarm', { signal })
  for (const { docker, address } of workers) {
    const body = {
      ListenAddr: `${address}:${port}`,
      AdvertiseAddr: address,
      DataPathAddr: address,
      RemoteAddrs: [`${manager.address}:${port}`],
      JoinToken: JoinTokens.Worker,
    }
    await docker.call('POST', '/swarm/join', { signal, body })
  }
  return `swarm=swarm+unix://${manager.socket_path}`
}
