// npm run test:quick: types, lint, the pure tests, and the tests of the changes since HEAD or since a given commit.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'
import { printCode } from './print-code.ts'
import { relatedTests } from './related-tests.ts'
import { runSteps, type Step } from './steps.ts'
import { pureTests } from './test-files.ts'

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: package_root, encoding: 'utf8' }).split('\n').filter(Boolean)
const namesIn = (folder: string) =>
  existsSync(join(package_root, folder)) ? readdirSync(join(package_root, folder)) : []

const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', process.argv[2] ?? 'HEAD'),
  ...git('ls-files', '--others', '--exclude-standard'),
].filter((file) => /\.(?:tsx?|sql)$/.test(file))
const sources = changed.filter((file) => !file.endsWith('.sql'))
const tests = new Set([...pureTests(), ...changed.flatMap((file) => relatedTests(file, namesIn))])

/** The second run reads the output of the first, and takes two seconds. */
const types = (name: string, project: string): Step => ({
  name,
  command: [
    'tsc',
    '-p',
    project,
    '--incremental',
    '--tsBuildInfoFile',
    `node_modules/.cache/${name.replace(' ', '-')}`,
  ],
})

printCode()
await runSteps([
  { name: 'tests', command: ['vitest', 'run', '--project=tests', ...tests] },
  types('types', 'tsconfig.json'),
  types('web types', 'web/tsconfig.json'),
  { name: 'lint', command: ['oxlint', ...(sources.length > 0 ? ['--type-aware', ...sources] : [])] },
])
