import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { configDefaults, defineConfig } from 'vitest/config'
import { FailedFiles } from './scripts/failed-files.ts'
import { LongFilesFirst } from './scripts/long-files.ts'
import { printCode } from './scripts/print-code.ts'
import { SlowestFiles } from './scripts/slowest-files.ts'
import { texts } from './web/texts-plugin.ts'

// Tests import it, and git ignores it.
printCode()

/** Tests of processes, browsers, servers and engines, and of what fails under them (`npm run drills`). `npm test` leaves them out. */
const drills = '**/*.drill.test.ts'
const browser_drills = '{client,server,web}/**/*.browser.drill.test.ts'
/** Tests that may start container engines, and so network interfaces. */
const engine_drills = ['server/hosting/**/*.drill.test.ts', 'server/docs/deploying-guide.drill.test.ts']
/** Its systemd manages the control groups of the machine, those of other tests' containers too. */
const image_drill = 'server/test/image.drill.test.ts'
/** Needs pg's default type parsers, which the service replaces for the whole process. */
const database_drills = 'server/platform/postgres/embedded/*.drill.test.ts'

/** Where `.ci/run` reads which files failed. */
const report = process.env.TEST_REPORT

interface Tests {
  include: string[]
  exclude?: string[]
  isolate?: boolean
}

/** Modules of the console get their texts from it. They are not cached, because they depend on the files of the languages too. */
const consoleTexts = (): Plugin => ({
  ...texts(),
  configureVitest: ({ experimental_defineCacheKeyGenerator: defineCacheKey }) =>
    defineCacheKey(({ id }) => (/\/web\/|virtual:/.test(id) ? false : undefined)),
})

/**
 * Groups run one after the other. A browser aborts its requests when a network interface is added or removed, which every engine
 * that a test starts does: so tests of browsers and of engines run concurrently only in separate network namespaces (`.ci/run`).
 * Files share the modules of their worker (`isolate: false`), since loading the service once per worker saves minutes. Every file
 * closes what it opens, and nothing is mocked.
 */
const group = (name: string, groupOrder: number, maxWorkers: number, tests: Tests) => ({
  // As tsconfig.json has it: the example imports the client by its name.
  resolve: { alias: { '@plaza/client': fileURLToPath(new URL('client/src/index.ts', import.meta.url)) } },
  plugins: [consoleTexts()],
  test: {
    name,
    isolate: false,
    ...tests,
    exclude: [...configDefaults.exclude, ...(tests.exclude ?? [])],
    sequence: { groupOrder },
    maxWorkers,
    // For a slow or loaded machine: they end what hangs, and assert nothing.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    expect: { poll: { timeout: 200_000 } },
  },
})

export default defineConfig({
  test: {
    // Each project compiles the modules of the service otherwise, which takes 3 s of processor time.
    experimental: { fsModuleCache: true },
    globalSetup: ['server/test/global-setup.ts'],
    sequence: { sequencer: LongFilesFirst },
    reporters: ['default', new SlowestFiles(), ...(report === undefined ? [] : [new FailedFiles(report)])],
    projects: [
      // A fourth worker would load the service once more, which takes longer than it saves.
      group('tests', 0, 3, {
        include: ['{cli,contract,client,server,examples,scripts,web}/**/*.test.ts'],
        exclude: [drills],
      }),
      // More workers than cores, because tests of processes mostly wait.
      group('database drills', 1, 3, { include: [database_drills], isolate: true }),
      group('engine drills', 1, 3, { include: engine_drills, exclude: [browser_drills] }),
      group('drills', 1, 3, {
        include: [drills],
        exclude: [...engine_drills, browser_drills, database_drills, image_drill],
      }),
      // A fourth browser slows the others down without a shorter total.
      group('browser drills', 2, 3, { include: [browser_drills] }),
      group('image drills', 3, 1, { include: [image_drill] }),
    ],
  },
})
