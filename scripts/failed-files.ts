import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { package_root } from '../server/platform/package.ts'

/** Writes for `run-again.mjs` which files did not pass, and errors outside tests, such as a worker that died. */
export class FailedFiles implements Reporter {
  private readonly report: string

  constructor(report: string) {
    this.report = report
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]) {
    const files = modules
      // A file stays "pending" or "queued" if its worker died.
      .filter((module) => !['passed', 'skipped'].includes(module.state()))
      .map((module) => ({ file: relative(package_root, module.moduleId), reason: reasonOf(module) }))
    writeFileSync(this.report, JSON.stringify({ files, errors: unhandled.map(({ message }) => message) }))
  }
}

/** The first line of the first error of a file. */
function reasonOf(module: TestModule) {
  for (const test of module.children.allTests('failed'))
    return `${test.name}: ${firstLine(test.result().errors?.[0]?.message)}`
  const [error] = module.errors()
  return error ? firstLine(error.message) : `it did not end: ${module.state()}`
}

const firstLine = (text = '') => text.split('\n', 1)[0]?.slice(0, 300) ?? ''
