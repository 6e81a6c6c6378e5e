import { configDefaults, defineConfig } from 'vitest/config'

const browser_tests = 'web/**/*.browser.test.ts'
/** Uses a browser and starts container engines. */
const both_tests = 'web/**/engine.browser.test.ts'

/**
 * One group of files after the other. A browser drops what it is loading whenever the machine gets or loses a network
 * interface, as it does with each engine that a test starts: so those two kinds never run side by side.
 */
const group = (name: string, groupOrder: number, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude: [...configDefaults.exclude, ...exclude], sequence: { groupOrder } },
})

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers only make each other slow.
    maxWorkers: 3,
    projects: [
      group('service', 0, ['{contract,client,server,examples,scripts,web}/**/*.test.ts'], [browser_tests]),
      group('browser', 1, [browser_tests], [both_tests]),
      group('browser and engine', 2, [both_tests]),
    ],
  },
})
