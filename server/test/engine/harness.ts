import { afterAll, describe } from 'vitest'
import { missing_for_engines, openEngines, type EnginesOptions, type TestEngines } from './engines.ts'
import type { FixtureMode } from './registry.ts'

export { joinSwarm, swarmSpec, type TestEngines, type TestHost } from './engines.ts'
export { pull_credentials } from './registry.ts'

if (missing_for_engines.length > 0 && process.env.CI === 'true')
  throw new Error(`Tests of container engines need ${missing_for_engines.join(', ')}.`)

/** `describe` where container engines can be started. Elsewhere the tests are skipped with a message; under CI they fail. */
export const describeEngines: (title: string, body: () => void | Promise<void>) => void =
  missing_for_engines.length === 0 ? describe : skip

function skip(title: string) {
  process.stderr.write(`Skipped: "${title}" needs ${missing_for_engines.join(', ')}.\n`)
  describe.skipIf(true)('tests of container engines', () => {})
}

/**
 * Starts Docker hosts and two registries (about a second), and removes them after the tests of the surrounding `describe`.
 * Await it in the body of `describeEngines`, before `startTestService`, never inside a hook.
 */
export async function startEngines(options: EnginesOptions = {}): Promise<TestEngines> {
  const engines = await openEngines(options)
  afterAll(engines.close)
  return engines
}

/** Pushes `demo/<mode>:1` for the usual modes, and `demo/nothing:1`, whose command does not exist. */
export async function pushFixtures({ push }: TestEngines) {
  const modes: FixtureMode[] = [
    'echo',
    'exit0',
    'exit1',
    'flap',
    'nolisten',
    'slow',
    'oom',
    'sigterm-ignore',
    'nothing',
  ]
  for (const mode of modes) await push(`demo/${mode}`, '1', { mode })
}
