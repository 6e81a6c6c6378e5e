import { mkdir, readdir, readFile, readlink, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryRun, run, until } from './shell.ts'

/**
 * The network of test hosts: a bridge with its own address range and a network namespace per host, so that daemons change no firewall or
 * network of the machine or of other runs.
 */
export interface NetworkFixture {
  number: number
  folder: string
  /** The machine's address in the network: registries listen here. */
  gateway: string
  range: string
  /** Another address of the machine that hosts can reach, outside the range. Hosts require TLS there. */
  tls_only_address: string
}

const prefix = 'plaza-engines-'
const folderOf = (number: number) => join(tmpdir(), `${prefix}${number}`)
/** The machine's end of the veth pair to the bridge. */
const uplinkOf = (number: number) => `plz${number}`
/** The bridge has its own namespace: on the machine, firewall rules could drop its frames. */
const bridgeNamespaceOf = (number: number) => `plz${number}-switch`
export const namespaceOf = ({ number }: NetworkFixture, host: number) => `plz${number}-${host}`
const linkOf = (host: number) => `host${host}`
export const cgroupOf = ({ number }: NetworkFixture) => `plz${number}`

/** Creates the network with the first free number; `mkdir` decides between concurrent runs. Removes networks of ended runs first. */
export async function createNetworkFixture(): Promise<NetworkFixture> {
  await removeAbandonedNetworks()
  for (let number = 0; number < 200; number++) {
    const folder = folderOf(number)
    try {
      await mkdir(folder)
    } catch {
      continue
    }
    await writeFile(join(folder, 'owner'), String(process.pid))
    const network = {
      number,
      folder,
      gateway: `10.77.${number}.254`,
      range: `10.77.${number}.0/24`,
      tls_only_address: `10.78.${number}.254`,
    }
    await addBridge(network)
    return network
  }
  throw new Error('no number is free for a test network')
}

async function addBridge({ number, gateway, tls_only_address }: NetworkFixture) {
  const inside = bridgeNamespaceOf(number)
  await run('ip', 'netns', 'add', inside)
  await run('ip', '-n', inside, 'link', 'add', 'switch', 'type', 'bridge')
  await run('ip', '-n', inside, 'link', 'set', 'switch', 'up')
  await run('ip', 'link', 'add', uplinkOf(number), 'type', 'veth', 'peer', 'name', 'uplink', 'netns', inside)
  await run('ip', '-n', inside, 'link', 'set', 'uplink', 'master', 'switch', 'up')
  await run('ip', 'address', 'add', `${gateway}/24`, 'dev', uplinkOf(number))
  await run('ip', 'address', 'add', `${tls_only_address}/32`, 'dev', uplinkOf(number))
  await run('ip', 'link', 'set', uplinkOf(number), 'up')
}

/** Adds a namespace to the bridge; returns its address. */
export async function addNamespace(network: NetworkFixture, host: number) {
  const namespace = namespaceOf(network, host)
  const address = `10.77.${network.number}.${host}`
  await run('ip', 'netns', 'add', namespace)
  const inside = bridgeNamespaceOf(network.number)
  await run('ip', '-n', inside, 'link', 'add', linkOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  await run('ip', '-n', inside, 'link', 'set', linkOf(host), 'master', 'switch', 'up')
  await run('ip', '-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0')
  await run('ip', '-n', namespace, 'link', 'set', 'eth0', 'up')
  await run('ip', '-n', namespace, 'link', 'set', 'lo', 'up')
  await run('ip', '-n', namespace, 'route', 'add', 'default', 'via', network.gateway)
  return address
}

/** Sets a host's ephemeral port range. */
export const setPortRange = (network: NetworkFixture, host: number, [first, last]: readonly [number, number]) =>
  run(
    'ip',
    'netns',
    'exec',
    namespaceOf(network, host),
    'sh',
    '-c',
    `echo ${first} ${last} > /proc/sys/net/ipv4/ip_local_port_range`,
  )

/** Disconnects a host from the bridge, or connects it again. */
export const setLink = (network: NetworkFixture, host: number, state: 'up' | 'down') =>
  run('ip', '-n', bridgeNamespaceOf(network.number), 'link', 'set', linkOf(host), state)

/** Removes the network with all its processes, mounts and namespaces. */
export async function removeNetworkFixture(network: NetworkFixture) {
  await clear(network.number)
}

async function clear(number: number) {
  const folder = folderOf(number)
  await killProcessesOf(folder)
  for (const name of (await tryRun('ip', 'netns', 'list')).split('\n').map((line) => line.split(' ')[0] ?? ''))
    if (name.startsWith(`plz${number}-`)) await tryRun('ip', 'netns', 'delete', name)
  await tryRun('ip', 'link', 'delete', uplinkOf(number))
  for (const mount of await mountsOf(folder)) await tryRun('umount', '--lazy', mount)
  await removeCgroups(`plz${number}`)
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

/** Removes the networks of processes that have ended, together with their hosts. */
export async function removeAbandonedNetworks() {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const folder = join(tmpdir(), name)
    if (await claimAbandoned(folder)) await clear(Number(name.slice(prefix.length)))
  }
}

/** Claims an abandoned network for this run; of several concurrent runs, one succeeds. */
async function claimAbandoned(folder: string) {
  const owner = await ownerOf(folder)
  if (owner === undefined || owner === '' || isAlive(Number(owner))) return false
  const claim = join(folder, `claimed-from-${owner}`)
  try {
    await mkdir(claim)
  } catch {
    return false
  }
  // It may have been removed and created by another run meanwhile.
  if ((await ownerOf(folder)) !== owner) {
    await rm(claim, { recursive: true, force: true })
    return false
  }
  await writeFile(join(folder, 'owner'), String(process.pid))
  return true
}

const ownerOf = (folder: string) => readFile(join(folder, 'owner'), 'utf8').catch(() => undefined)

function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * Kills all processes of a host, as a power failure does: those with its folder in their command line, and their descendants in containers.
 */
export async function killProcessesOf(folder: string) {
  await until('the end of killed processes', async () => {
    const pids = await pidsOf(folder)
    for (const pid of pids) killOne(pid)
    return pids.length === 0
  })
}

function killOne(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

async function pidsOf(folder: string) {
  const processes = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => describeProcess(Number(name))),
  )
  const known = processes.filter((found) => found !== undefined)
  const members = new Set(known.filter(({ command }) => command.includes(`${folder}/`)).map(({ pid }) => pid))
  // Programs in a container do not name the folder, but their parent, the shim, does.
  for (let size = 0; size !== members.size;) {
    size = members.size
    for (const { pid, parent } of known) if (members.has(parent)) members.add(pid)
  }
  members.delete(process.pid)
  return [...members]
}

async function describeProcess(pid: number) {
  try {
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ended = state === 'Z' || state === 'X'
    return ended ? undefined : { pid, parent: Number(parent), command }
  } catch {
    return undefined
  }
}

async function mountsOf(folder: string) {
  const real = await readlink(folder).catch(() => folder)
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '')
  return mounts.filter((mount) => mount.startsWith(`${real}/`)).reverse()
}

async function removeCgroups(name: string) {
  const roots = ['/sys/fs/cgroup', ...(await readdir('/sys/fs/cgroup')).map((each) => join('/sys/fs/cgroup', each))]
  await Promise.all(roots.map((root) => removeTree(join(root, name))))
}

/** `rmdir` removes a control group, but only if it has no subgroup. */
async function removeTree(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name))
  await rmdir(folder).catch(() => {})
}
