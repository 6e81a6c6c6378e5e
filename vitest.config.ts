import { configDefaults, defineConfig } from 'vitest/config'

const browser_tests = 'web/**/*.browser.test.ts'
/** Reads what PostgreSQL says as it is, without the readers of numbers that the service sets for the whole process. */
const database_tests = 'server/kit/embedded-postgres/*.test.ts'
/** Uses a browser and starts container engines. */
const both_tests = 'web/**/engine.browser.test.ts'

/**
 * One group of files after the other. A browser drops what it is loading whenever the machine gets or loses a network
 * interface, as it does with each engine that a test starts: so those two kinds never run side by side.
 * Nearly every file needs the whole service: loading it once a worker instead of once a file saves minutes. What a file
 * opens it closes itself, and nothing is mocked.
 */
const group = (name: string, groupOrder: number, include: string[], exclude: string[] = [], isolate = false) => ({
  test: {
    name,
    isolate,
    include,
    exclude: [...configDefaults.exclude, ...exclude],
    sequence: { groupOrder },
    // For a machine that is slow, or busy with other tests; none takes so long by itself.
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    // Two cores, but tests of container engines mostly wait.
    maxWorkers: 4,
    projects: [
      group(
        'service',
        0,
        ['{contract,client,server,examples,scripts,web}/**/*.test.ts'],
        [browser_tests, database_tests],
      ),
      group('database', 0, [database_tests], [], true),
      group('browser', 1, [browser_tests], [both_tests]),
      group('browser and engine', 2, [both_tests]),
    ],
  },
})
