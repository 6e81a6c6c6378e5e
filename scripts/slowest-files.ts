import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { package_root } from '../server/platform/package.ts'

/** Prints the ten slowest files at the end of a run of more than ten. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const files = modules.map((module) => ({
      name: relative(package_root, module.moduleId),
      seconds: secondsOf(module),
    }))
    if (files.length <= 10) return
    const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`)
    process.stdout.write(`\nThe slowest files:\n${lines.join('\n')}\n`)
  }
}

/** The duration of a file, including loading its modules and starting its service. */
const secondsOf = (module: TestModule) => {
  const { duration, collectDuration } = module.diagnostic()
  return (duration + collectDuration) / 1000
}
