import { afterAll, describe } from 'vitest'
import {
  missing_for_engines,
  missing_for_podman,
  openEngines,
  shareEngines,
  type EnginesOptions,
  type TestEngines,
} from './engines.ts'

export { joinSwarm, swarmSpec, type TestEngines, type TestHost } from './engines.ts'
export { pull_credentials } from './registry.ts'

type Describe = (title: string, body: () => void | Promise<void>) => void

const describeWith = (missing: readonly string[]): Describe =>
  missing.length === 0 ? describe : (title) => skip(title, missing.join(', '))

function skip(title: string, needed: string) {
  if (process.env.CI === 'true') throw new Error(`Tests of container engines need ${needed}.`)
  process.stderr.write(`Skipped: "${title}" needs ${needed}.\n`)
  describe.skipIf(true)('tests of container engines', () => {})
}

/** `describe` if container engines can be started. Otherwise the tests are skipped with a message, and under CI they fail. */
export const describeEngines = describeWith(missing_for_engines)

/** The same for Podman. */
export const describePodman = describeWith([...missing_for_engines, ...missing_for_podman])

/**
 * Docker hosts and two registries, shared with other files; with options, hosts that are removed after the tests of the surrounding
 * `describe`. Await it in the body of `describeEngines`, before `startTestService`, never inside a hook.
 */
export async function startEngines({ hosts = 1, ...options }: EnginesOptions = {}): Promise<TestEngines> {
  const is_shared = Object.keys(options).length === 0
  const engines = await (is_shared ? shareEngines(hosts) : openEngines({ hosts, ...options }))
  afterAll(engines.close)
  return engines
}

/** Pushes `demo/<mode>:1` for the modes that the contract uses. The command of `demo/nothing:1` does not exist. */
export async function pushFixtures({ push }: TestEngines) {
  for (const mode of ['echo', 'exit1', 'oom', 'nothing'] as const) await push(`demo/${mode}`, '1', { mode })
}
