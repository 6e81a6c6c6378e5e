import { isIPv4 } from 'node:net'
import { EngineError, type LogLine, type ProbeFinding, type ProbeTarget, type ProbedMachine } from '../engine.ts'

/** How long the program waits for responses. */
const reach_ms = 2_000
/** The port on which the probe's listeners accept connections. */
export const listen_port = 8080
/** The apps whose networks the probe uses: a listener on each, and on the second also the container that tries all targets. */
export const probe_apps = { other: 'isolation-probe-1', own: 'isolation-probe-2' } as const
/** Containers and services of probes that are older than this are left over from a process that ended. */
export const abandoned_seconds = 180

/** Ports with common listeners, and one without any, which a reachable host refuses. */
const host_ports = [1, 22, 80, 443, 5432, 9323]
const engine_ports = [2375, 2376, 2377]

export const isLoopback = (address: string) => address.startsWith('127.') || address === '::1'

/** Targets that apps must not reach on any machine. `addresses`: the addresses of container hosts. */
export const usualTargets = (addresses: readonly string[]): ProbeTarget[] => [
  { what: 'metadata', address: '169.254.169.254', port: 80 },
  ...['gateway', ...new Set(addresses.filter((address) => isIPv4(address) && !isLoopback(address)))].flatMap(
    (address) => [
      ...host_ports.map((port) => ({ what: 'host', address, port }) as const),
      ...engine_ports.map((port) => ({ what: 'engine', address, port }) as const),
    ],
  ),
]

/** Every engine limits the length of a command. */
const targets_max = 500

const textOf = ({ address, port }: Pick<ProbeTarget, 'address' | 'port'>) => `${address}:${port}`

/** The arguments of the program. It also tests the sibling: the probe is valid only if it reaches the sibling. */
export const reachArguments = (targets: readonly ProbeTarget[], sibling: string) => [
  'reach',
  String(reach_ms),
  textOf({ address: sibling, port: listen_port }),
  ...new Set(targets.slice(0, targets_max).map(textOf)),
]

/** Parses the program's output. Fails with `refused` if it is incomplete or the sibling was not reached. */
export function readFindings(
  lines: readonly string[],
  targets: readonly ProbeTarget[],
  sibling: string,
): ProbeFinding[] {
  if (lines.at(-1) !== 'done')
    throw new EngineError('refused', `The probe did not complete: ${lines.at(-1) ?? 'no output'}.`)
  const answers = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
  if (answers.get(textOf({ address: sibling, port: listen_port })) !== 'connected')
    throw new EngineError(
      'refused',
      'Containers of one app do not reach each other there, so the probe proves nothing.',
    )
  return targets.flatMap((target) => {
    const answer = answers.get(textOf(target))
    return answer === 'connected' || answer === 'refused' ? [{ ...whatOf(target, answer), answer }] : []
  })
}

/** A machine that refuses a connection to a port is itself reachable, whatever the target was. */
const whatOf = (target: ProbeTarget, answer: string): ProbeTarget =>
  target.address === 'gateway' && answer === 'refused' ? { ...target, what: 'host' } : target

export async function textsOf(lines: AsyncIterable<LogLine[]>) {
  const texts: string[] = []
  for await (const read of lines) texts.push(...read.map(({ text }) => text))
  return texts
}

/** The result for a machine. An engine error becomes the reason why it could not be probed. */
export async function probed(node: string | null, find: () => Promise<ProbeFinding[]>): Promise<ProbedMachine> {
  try {
    return { node, failure: null, found: await find() }
  } catch (error) {
    if (!(error instanceof EngineError) || error.fault === 'unreachable' || error.fault === 'timeout') throw error
    return { node, failure: error.message, found: [] }
  }
}
