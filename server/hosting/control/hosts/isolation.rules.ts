import type { ProbedMachine, ProbeFinding, ProtectedThing } from '../../containers.rules.ts'
import { joinWithAnd } from '../../../platform/text.ts'

/** The state of the isolation of one machine of a container host. */
export interface MachineIsolation {
  host: string
  /** Empty if the host is a single machine. */
  node: string
  state: 'isolated' | 'reachable' | 'unchecked' | 'trusted'
  found: ProbeFinding[]
  reason: string | null
}

/** True if untrusted images may not run on a host that was not probed or cannot be probed. */
export interface IsolationPolicy {
  refuse_unchecked: boolean
}

/** The maximum of findings that are kept per machine. */
const found_max = 50

/** The isolation of a probed machine. `allowed`: addresses with port that apps may reach, such as the platform's. */
export function isolationOf(
  host: string,
  { node, failure, found }: ProbedMachine,
  allowed: ReadonlySet<string>,
): MachineIsolation {
  const forbidden = found.filter(({ address, port }) => !allowed.has(`${address}:${port}`))
  const state = failure !== null ? 'unchecked' : forbidden.length > 0 ? 'reachable' : 'isolated'
  return { host, node: node ?? '', state, found: forbidden.slice(0, found_max), reason: failure }
}

/** Why a host may not start new instances: a message for owners, and the full reason for admins. */
export interface Refusal {
  host: string
  plain: string
  full: string
}

/** The check before workers start a new instance. */
export interface Isolation {
  /** Why these hosts may not start new instances. Isolated hosts have no entry. */
  findRefusals(hosts: readonly string[]): Promise<ReadonlyMap<string, Refusal>>
  /** Fails with `host_not_isolated` if the host may not start new instances. */
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

/** One line for admins: each target and its answer. */
export const describeFindings = (found: readonly ProbeFinding[]) =>
  found.map(({ what, address, port, answer }) => `${what} ${address}:${port} ${answer}`).join(', ')

const waiting = 'New containers wait until the administrators of the platform have fixed this.'

/** Why this host may not start new instances; undefined if it may. A host that was never probed may not: its first probe is in progress. */
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
