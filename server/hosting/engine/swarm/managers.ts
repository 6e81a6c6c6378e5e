import type { EngineClient } from '../docker/http-client.ts'
import { EngineError } from '../engine.ts'

/** After each such time without a response, the managers are checked for one that responds. */
const patience_ms = 1_500
/** Deadline of that check. */
const probe_ms = 1_500

/**
 * One client for all managers of a Swarm. Calls go to the manager that answered last. If it does not answer, or has
 * lost the Swarm's leader, the call is repeated at one that answers, and later calls start there. Repeating is safe:
 * names of services and networks are unique in a Swarm, and an update names the version that it changes.
 */
export function managersClient(managers: readonly [EngineClient, ...EngineClient[]]): EngineClient {
  let current = managers[0]
  let choice: Promise<void> | undefined

  const choose = (is_suspect = false) => {
    choice ??= findAnswering(managers, is_suspect ? managers.find((manager) => manager !== current) : current)
      .then((answering) => {
        current = answering ?? current
      })
      .finally(() => {
        choice = undefined
      })
    return choice
  }

  /** Runs the call at one manager until it answers or another manager has been chosen. */
  async function attempt<Result>(manager: EngineClient, signal: AbortSignal, call: ManagerCall<Result>) {
    const leaving = new AbortController()
    const leaveIfOther = () => {
      if (current !== manager) leaving.abort()
    }
    const timer = setInterval(() => void choose().then(leaveIfOther), patience_ms)
    try {
      return await call(manager, AbortSignal.any([signal, leaving.signal]))
    } finally {
      clearInterval(timer)
    }
  }

  async function atAnswering<Result>(signal: AbortSignal, call: ManagerCall<Result>) {
    for (const tried = new Set<EngineClient>(); ;) {
      const manager = current
      tried.add(manager)
      try {
        return await attempt(manager, signal, call)
      } catch (error) {
        if (!isWithoutAnswer(error)) throw error
        // Also for a caller that gave up, so that the next one does not wait again.
        const chosen = current === manager ? choose(hasLostLeader(error)) : undefined
        if (signal.aborted) throw error
        await chosen
        if (tried.has(current)) throw error
      }
    }
  }

  return {
    call: <Answer>(...[verb, path, options]: Parameters<EngineClient['call']>) =>
      atAnswering(options.signal, (manager, signal) => manager.call<Answer>(verb, path, { ...options, signal })),
    stream: (verb, path, options) =>
      atAnswering(options.signal, (manager, signal) => manager.stream(verb, path, { ...options, signal })),
    async negotiate(signal) {
      // A daemon that is no longer a manager answers this call and several others.
      await choose()
      return atAnswering(signal, (manager, inner) => manager.negotiate(inner))
    },
    apiVersion: (signal) => atAnswering(signal, (manager, inner) => manager.apiVersion(inner)),
    close: async () => void (await Promise.all(managers.map((manager) => manager.close()))),
  }
}

type ManagerCall<Result> = (manager: EngineClient, signal: AbortSignal) => Promise<Result>

const isWithoutAnswer = (error: unknown) =>
  error instanceof EngineError && (error.fault === 'unreachable' || error.fault === 'timeout')

/** An isolated manager still responds for some seconds before it notices. */
const hasLostLeader = (error: unknown) => error instanceof EngineError && /\bleader\b/.test(error.message)

/** The given manager if it answers, else the first other one that does. */
async function findAnswering(managers: readonly EngineClient[], preferred: EngineClient | undefined) {
  const answers = new Map(managers.map((manager) => [manager, requireLeader(manager).then(() => manager)]))
  const first = Promise.any(answers.values()).catch(() => undefined)
  const is_preferred = preferred && (await answers.get(preferred)?.then(Boolean, () => false))
  return is_preferred ? preferred : first
}

/** Makes a call that the manager forwards to the leader of its Swarm. */
const requireLeader = (manager: EngineClient) =>
  manager.call('GET', '/swarm', { signal: AbortSignal.timeout(probe_ms) })
