import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { package_root } from '../server/platform/package.ts'

const folders = ['cli', 'client', 'contract', 'examples', 'scripts', 'server', 'web']

/** The test files below the project's folders, as paths from its root; `.drill` and `.browser` are part of their names. */
export const testFiles = (): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(package_root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  )

/** Whether a test needs no service: its file takes nothing from the harness (folders `test/`, `inject`) and starts no program. */
export const isPure = (source: string) => !/from '[^']*\/test\/[^']*'|node:child_process|\binject\(/.test(source)

/** The pure tests: rules, and other code without a database. */
export const pureTests = (): string[] =>
  testFiles().filter(
    (file) =>
      !file.endsWith('.drill.test.ts') &&
      !/(?:^|\/)test\//.test(file) &&
      isPure(readFileSync(join(package_root, file), 'utf8')),
  )
