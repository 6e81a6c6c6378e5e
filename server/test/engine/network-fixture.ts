import { mkdir, readdir, readFile, readlink, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryRun, run, until } from './shell.ts'

/**
 * The ground that test hosts stand on: a switch with an address range of its own, and a network namespace for each host,
 * so that what daemons do to firewalls and networks touches neither the machine nor other runs.
 */
export interface NetworkFixture {
  number: number
  folder: string
  /** The machine's own address on it: registries listen here. */
  gateway: string
  range: string
  /** Another address of the machine that hosts reach, outside of the range. */
  strange_address: string
}

const prefix = 'plaza-engines-'
const folderOf = (number: number) => join(tmpdir(), `${prefix}${number}`)
/** The machine's own end of the cable to the switch. */
const uplinkOf = (number: number) => `plz${number}`
/** The switch has a namespace of its own: on the machine itself, a firewall's rules could hold up what it passes on. */
const switchOf = (number: number) => `plz${number}-switch`
export const namespaceOf = ({ number }: NetworkFixture, host: number) => `plz${number}-${host}`
const linkOf = (host: number) => `host${host}`
export const cgroupOf = ({ number }: NetworkFixture) => `plz${number}`

/** Takes the first free ground; folders are made by one caller only. What ended runs left behind is taken away first. */
export async function createNetworkFixture(): Promise<NetworkFixture> {
  await removeAbandoned()
  for (let number = 0; number < 200; number++) {
    const folder = folderOf(number)
    try {
      await mkdir(folder)
    } catch {
      continue
    }
    await writeFile(join(folder, 'owner'), String(process.pid))
    const ground = {
      number,
      folder,
      gateway: `10.77.${number}.254`,
      range: `10.77.${number}.0/24`,
      strange_address: `10.78.${number}.254`,
    }
    await addSwitch(ground)
    return ground
  }
  throw new Error('no ground is free for test hosts')
}

async function addSwitch({ number, gateway, strange_address }: NetworkFixture) {
  const inside = switchOf(number)
  await run('ip', 'netns', 'add', inside)
  await run('ip', '-n', inside, 'link', 'add', 'switch', 'type', 'bridge')
  await run('ip', '-n', inside, 'link', 'set', 'switch', 'up')
  await run('ip', 'link', 'add', uplinkOf(number), 'type', 'veth', 'peer', 'name', 'uplink', 'netns', inside)
  await run('ip', '-n', inside, 'link', 'set', 'uplink', 'master', 'switch', 'up')
  await run('ip', 'address', 'add', `${gateway}/24`, 'dev', uplinkOf(number))
  await run('ip', 'address', 'add', `${strange_address}/32`, 'dev', uplinkOf(number))
  await run('ip', 'link', 'set', uplinkOf(number), 'up')
}

/** A namespace joined to the switch; answers the address it has there. */
export async function addNamespace(ground: NetworkFixture, host: number) {
  const namespace = namespaceOf(ground, host)
  const address = `10.77.${ground.number}.${host}`
  await run('ip', 'netns', 'add', namespace)
  const inside = switchOf(ground.number)
  await run('ip', '-n', inside, 'link', 'add', linkOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  await run('ip', '-n', inside, 'link', 'set', linkOf(host), 'master', 'switch', 'up')
  await run('ip', '-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0')
  await run('ip', '-n', namespace, 'link', 'set', 'eth0', 'up')
  await run('ip', '-n', namespace, 'link', 'set', 'lo', 'up')
  await run('ip', '-n', namespace, 'route', 'add', 'default', 'via', ground.gateway)
  return address
}

/** From which ports a host's programs take those that they do not care about. */
export const setPortRange = (ground: NetworkFixture, host: number, [first, last]: readonly [number, number]) =>
  run(
    'ip',
    ...['netns', 'exec', namespaceOf(ground, host)],
    ...['sh', '-c', `echo ${first} ${last} > /proc/sys/net/ipv4/ip_local_port_range`],
  )

/** Pulls a host's cable, or plugs it in again. */
export const setLink = (ground: NetworkFixture, host: number, state: 'up' | 'down') =>
  run('ip', '-n', switchOf(ground.number), 'link', 'set', linkOf(host), state)

/** Takes the ground away with every process, mount and namespace on it. */
export async function removeNetworkFixture(ground: NetworkFixture) {
  await clear(ground.number)
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

async function removeAbandoned() {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const folder = join(tmpdir(), name)
    if (await takeOver(folder)) await clear(Number(name.slice(prefix.length)))
  }
}

/** Makes an abandoned ground this run's own; of several who find it, one does. */
async function takeOver(folder: string) {
  const owner = await ownerOf(folder)
  if (owner === undefined || owner === '' || isAlive(Number(owner))) return false
  const claim = join(folder, `taken-from-${owner}`)
  try {
    await mkdir(claim)
  } catch {
    return false
  }
  // Meanwhile it may have been cleared, and be another's again.
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
 * Kills whatever was started for a folder, as a machine that loses its power: programs that name it in their command
 * lines, and what runs inside the containers below them.
 */
export async function killProcessesOf(folder: string) {
  await until('the end of killed processes', 10, async () => {
    const pids = await pidsOf(folder)
    for (const pid of pids) killOne(pid)
    return pids.length === 0
  })
}

function killOne(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone by itself.
  }
}

async function pidsOf(folder: string) {
  const processes = await Promise.all(
    (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map((name) => describeProcess(Number(name))),
  )
  const known = processes.filter((found) => found !== undefined)
  const members = new Set(known.filter(({ words }) => words.includes(`${folder}/`)).map(({ pid }) => pid))
  // Programs in a container do not name the folder; the shim above them does.
  for (let size = 0; size !== members.size;) {
    size = members.size
    for (const { pid, parent } of known) if (members.has(parent)) members.add(pid)
  }
  members.delete(process.pid)
  return [...members]
}

async function describeProcess(pid: number) {
  try {
    const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ended = state === 'Z' || state === 'X'
    return ended ? undefined : { pid, parent: Number(parent), words }
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

/** A control group is a folder that only `rmdir` takes away, and only when no group is left in it. */
async function removeTree(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name))
  await rmdir(folder).catch(() => {})
}
