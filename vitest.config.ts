import { configDefaults, defineConfig } from 'vitest/config'
import { LongFilesFirst } from './scripts/long-files.ts'

const browser_tests = 'web/**/*.browser.test.ts'
/** Reads what PostgreSQL says as it is, without the readers of numbers that the service sets for the whole process. */
const database_tests = 'server/platform/postgres/embedded/*.test.ts'
/** Uses a browser and starts container engines. */
const both_tests = 'web/**/engine.browser.test.ts'

interface Tests {
  include: string[]
  exclude?: string[]
  isolate?: boolean
}

/**
 * One group of files after the other. A browser drops what it is loading whenever the machine gets or loses a network
 * interface, as it does with each engine that a test starts: so those two kinds never run side by side.
 * Nearly every file needs the whole service: loading it once a worker instead of once a file saves minutes. What a file
 * opens it closes itself, and nothing is mocked.
 */
const group = (name: string, groupOrder: number, maxWorkers: number, tests: Tests) => ({
  test: {
    name,
    isolate: false,
    ...tests,
    exclude: [...configDefaults.exclude, ...(tests.exclude ?? [])],
    sequence: { groupOrder },
    maxWorkers,
    // For a machine that is slow, or busy with other tests; none takes so long by itself.
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    sequence: { sequencer: LongFilesFirst },
    projects: [
      // Two cores, but tests of container engines and of processes mostly wait.
      group('service', 0, 5, {
        include: ['{contract,client,server,examples,scripts,web}/**/*.test.ts'],
        exclude: [browser_tests, database_tests],
      }),
      group('database', 0, 5, { include: [database_tests], isolate: true }),
      // A fourth browser makes all of them slower, and none is done sooner.
      group('browser', 1, 3, { include: [browser_tests], exclude: [both_tests] }),
      group('browser and engine', 2, 1, { include: [both_tests] }),
    ],
  },
})
