// Runs the failed test files once more, one after the other: `run-again.mjs REPORT FLAKY`. REPORT is the report of `failed-files.ts`. Adds
// a line `FLAKY <file>: <reason>` to the file FLAKY for each file that passes now: the first run has shown a fault of the product or of the
// test. Fails if the report is missing, more than three files failed, one fails again, or an error belongs to no failed file.
import { spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const files_max = 3
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [report, flaky] = process.argv.slice(2)

if (!existsSync(report)) throw new Error(`${report} is missing: the run ended before its tests did.`)
const { files, errors } = JSON.parse(readFileSync(report, 'utf8'))
if (files.length === 0) throw new Error(['The run failed outside of its tests.', ...errors].join('\n'))
if (files.length > files_max) {
  console.log(`${files.length} files failed: not run again.`)
  process.exit(1)
}
for (const { file, reason } of files) {
  console.log(`Again, by itself: ${file}`)
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', file, '--no-file-parallelism']
  const { TEST_REPORT: _, ...env } = process.env
  if (spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status === 0)
    appendFileSync(flaky, `FLAKY ${file}: ${[reason, ...errors].join(' ')}\n`)
  else process.exitCode = 1
}
