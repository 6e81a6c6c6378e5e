// Runs the test files that failed once more, one after the other: `run-again.mjs REPORT FLAKY`. REPORT is vitest's, as JSON. For each file
// that passes now a line `FLAKY <file>: <reason>` is added to the file FLAKY: the first run has shown a fault, of the product or of the
// test. Fails where the report is missing, more than three files failed, or one fails again.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const files_max = 3
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [report, flaky] = process.argv.slice(2)

/** The first line of the first error of a file. */
function reasonOf({ message, assertionResults }) {
  const failed = assertionResults.find(({ status }) => status === 'failed')
  const text = failed ? `${failed.title}: ${failed.failureMessages[0] ?? ''}` : message
  return text.split('\n')[0].slice(0, 300)
}

if (!existsSync(report)) throw new Error(`${report} is missing: the run ended before its tests did.`)
const { testResults, success } = JSON.parse(readFileSync(report, 'utf8'))
const failed = testResults.filter(({ status }) => status !== 'passed')
if (!success && failed.length === 0) throw new Error(`${report}: the run failed outside of its tests.`)
if (failed.length > files_max) {
  console.log(`${failed.length} files failed: not run again.`)
  process.exit(1)
}
for (const result of failed) {
  const file = relative(root, result.name)
  console.log(`Again, by itself: ${file}`)
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', file, '--no-file-parallelism']
  const { TEST_REPORT: _, ...env } = process.env
  if (spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status === 0)
    appendFileSync(flaky, `FLAKY ${file}: ${reasonOf(result)}\n`)
  else process.exitCode = 1
}
