import type { Target } from './routing.rules.ts'
import { connectTo, isWithoutAnswer, TargetAgent } from './upstream-connections.ts'

/** The connections to one target, and the state that determines if it is chosen. */
export interface Upstream {
  target: Target
  /** Its open requests and WebSockets. */
  open: number
  /** The reachability check in progress. */
  probe: Promise<Reach> | undefined
  /** The time of its last failure, in milliseconds of `performance.now`; 0 if it has answered since. */
  failed_at: number
  /** The agent for one request. `new_connection` disables connection reuse. */
  agent(options: { new_connection: boolean }): TargetAgent
}

/**
 * How a target answers new connections. A target that refuses them may be finishing its requests, so it counts as answering. `silent`: only
 * its host answers; its program may not accept connections for a while. `gone`: its host does not answer either.
 */
type Reach = 'answers' | 'silent' | 'gone'

interface OpenedUpstream extends Upstream {
  retire(): void
}

const hasNoAnswer = (target: Pick<Target, 'host' | 'port'>, ms: number) =>
  connectTo(target, ms).then((socket) => {
    socket.destroy()
    return false
  }, isWithoutAnswer)

/** No program listens on this port, so a reachable host refuses the connection. */
const unused_port = 1

async function reachOf({ host, port }: Target, ms: number): Promise<Reach> {
  const [is_silent, is_gone] = await Promise.all(
    [port, unused_port].map((each) => hasNoAnswer({ host, port: each }, ms)),
  )
  return is_silent ? (is_gone ? 'gone' : 'silent') : 'answers'
}

/** A target that failed gets no requests for this time if there is another one. */
const failed_ms = 10_000

/** The connections to all targets. */
export function openUpstreams(connect_timeout_ms: number) {
  const by_deployment = new Map<string, OpenedUpstream[]>()
  /** The next target among several equally busy ones. */
  let turn = 0

  function upstreamOf(target: Target): Upstream {
    const known = by_deployment.get(target.deployment_id)
    const found = known?.find((upstream) => isSame(upstream.target, target))
    if (found) return found
    const opened = openUpstream(target, connect_timeout_ms)
    if (known) known.push(opened)
    else by_deployment.set(target.deployment_id, [opened])
    return opened
  }

  /** Lower is better. Targets without a failure come first, then healthy ones, then those with the fewest open requests. */
  function costOf(target: Target) {
    const { open, failed_at } = upstreamOf(target)
    const has_failed = failed_at !== 0 && performance.now() - failed_at < failed_ms
    return (has_failed ? 2e9 : 0) + (target.is_healthy ? 0 : 1e9) + open
  }

  return {
    upstreamOf,
    /** The target of a deployment with the fewest open requests, among those that work (D-105). */
    choose(targets: readonly [Target, ...Target[]]): Target {
      let [best] = targets
      if (targets.length === 1) return best
      turn++
      let lowest = Infinity
      for (let at = 0; at < targets.length; at++) {
        const target = targets[(at + turn) % targets.length]!
        const cost = costOf(target)
        if (cost < lowest) [best, lowest] = [target, cost]
      }
      return best
    },
    /** Callers share one check, which takes at most half of the connection timeout. */
    reachOf(target: Target): Promise<Reach> {
      const upstream = upstreamOf(target)
      upstream.probe ??= reachOf(target, connect_timeout_ms / 2).finally(() => {
        upstream.probe = undefined
      })
      return upstream.probe
    },
    hasFailed: (target: Target) => costOf(target) >= 2e9,
    /** Closes the idle connections to former targets of the deployment. */
    setTargets(deployment_id: string, targets: readonly Target[]) {
      const known = by_deployment.get(deployment_id)
      if (!known) return
      const kept = known.filter((upstream) => targets.some((target) => isSame(upstream.target, target)))
      for (const upstream of known) if (!kept.includes(upstream)) upstream.retire()
      if (kept.length > 0) by_deployment.set(deployment_id, kept)
      else by_deployment.delete(deployment_id)
    },
    close() {
      for (const upstream of [...by_deployment.values()].flat()) upstream.retire()
      by_deployment.clear()
    },
  }
}

export type Upstreams = ReturnType<typeof openUpstreams>

const isSame = (a: Target, b: Target) =>
  a.generation === b.generation && a.replica === b.replica && a.host === b.host && a.port === b.port

function openUpstream(target: Target, connect_timeout_ms: number): OpenedUpstream {
  const reused = new TargetAgent(target, { connect_timeout_ms, keepAlive: true })
  const single = new TargetAgent(target, { connect_timeout_ms, keepAlive: false })
  return {
    target,
    open: 0,
    probe: undefined,
    failed_at: 0,
    agent: ({ new_connection }) => (new_connection ? single : reused),
    retire: () => reused.retire(),
  }
}
