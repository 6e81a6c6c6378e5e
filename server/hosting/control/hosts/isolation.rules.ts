import { joinWithAnd } from '../../../platform/text.ts'

type ProtectedThing = 'app' | 'host' | 'engine' | 'metadata' | 'registry' | 'database'

/** Something that a container reached, and must not. */
export interface Finding {
  what: ProtectedThing
  address: string
  port: number
  answer: 'connected' | 'refused'
}

/** The report of an engine about one of its machines. */
interface Probed {
  node: string | null
  failure: string | null
  found: Finding[]
}

/** The state of the isolation of one machine of a container host. */
export interface MachineIsolation {
  host: string
  /** Empty where the host is one machine. */
  node: string
  state: 'isolated' | 'reachable' | 'unchecked' | 'trusted'
  found: Finding[]
  reason: string | null
}

/** Whether strangers' images may run on a host that was not probed, or cannot be. */
export interface IsolationPolicy {
  refuse_unchecked: boolean
}

/** Findings that are kept of one machine. */
const found_max = 50

/** `allowed`: addresses with port that apps may reach, as that of the platform. */
export function isolationOf(
  host: string,
  { node, failure, found }: Probed,
  allowed: ReadonlySet<string>,
): MachineIsolation {
  const forbidden = found.filter(({ address, port }) => !allowed.has(`${address}:${port}`))
  const state = failure !== null ? 'unchecked' : forbidden.length > 0 ? 'reachable' : 'isolated'
  return { host, node: node ?? '', state, found: forbidden.slice(0, found_max), reason: failure }
}

/** Why a host may not start what is new: for the owners of apps, and in full for admins. */
export interface Refusal {
  host: string
  plain: string
  full: string
}

/** The check before workers start something new. */
export interface Isolation {
  /** Why nothing new may start on these hosts; those that are isolated have no entry. */
  findRefusals(hosts: readonly string[]): Promise<ReadonlyMap<string, Refusal>>
  /** Fails with `host_not_isolated` where nothing new may start on the host. */
  requireIsolated(host: string): Promise<void>
}

const things: Record<ProtectedThing, string> = {
  app: 'other apps',
  host: 'the host itself',
  engine: 'the engine’s API',
  metadata: 'the metadata address of its cloud',
  registry: 'the private registry',
  database: 'the database',
}

const kindsOf = (machines: readonly MachineIsolation[]) => {
  const all = new Set(machines.flatMap(({ found }) => found.map(({ what }) => what)))
  return (Object.keys(things) as ProtectedThing[]).filter((what) => all.has(what)).map((what) => things[what])
}

const placeOf = ({ host, node }: MachineIsolation) => (node === '' ? host : `${host}/${node}`)

/** One line for admins: each target and what it answered. */
export const describeFindings = (found: readonly Finding[]) =>
  found.map(({ what, address, port, answer }) => `${what} ${address}:${port} ${answer}`).join(', ')

const waiting = 'New containers wait until the administrators of the platform have fixed this.'

/**
 * Why nothing new may start on this host; undefined where it may. A host that was never probed may not: its first probe is under way.
 */
export function refusalOf(
  host: string,
  machines: readonly MachineIsolation[],
  policy: IsolationPolicy,
): Refusal | undefined {
  const open = machines.filter(({ state }) => state === 'reachable')
  if (open.length > 0) {
    const places = open.map(placeOf)
    return {
      host,
      plain: `Containers on ${joinWithAnd(places)} reach ${joinWithAnd(kindsOf(open))}. ${waiting}`,
      full: `${open.map((machine) => `${placeOf(machine)}: ${describeFindings(machine.found)}`).join('; ')}`,
    }
  }
  if (machines.length === 0)
    return { host, plain: `The isolation of ${host} is being checked.`, full: `${host} has not been probed yet` }
  const unchecked = machines.filter(({ state }) => state === 'unchecked')
  if (unchecked.length === 0 || !policy.refuse_unchecked) return undefined
  return {
    host,
    plain: `The isolation of ${joinWithAnd(unchecked.map(placeOf))} could not be checked. ${waiting}`,
    full: unchecked.map((machine) => `${placeOf(machine)}: ${machine.reason}`).join('; '),
  }
}
