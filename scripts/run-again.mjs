// Runs the test files that failed once more, one after the other, with nothing beside them: `run-again.mjs REPORT…`, each a JSON report of vitest.
// A drill that kills machines while others run on the same two cores can miss its time; what fails again is at fault. Which files these
// were is printed in any case. Fails where a report is missing, more than three files failed, or one fails again.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const files_max = 3
const root = dirname(dirname(fileURLToPath(import.meta.url)))

function failedFiles(report) {
  if (!existsSync(report)) throw new Error(`${report} is missing: the run ended before its tests did.`)
  const { testResults, success } = JSON.parse(readFileSync(report, 'utf8'))
  const failed = testResults.filter(({ status }) => status !== 'passed').map(({ name }) => relative(root, name))
  if (!success && failed.length === 0) throw new Error(`${report}: the run failed outside of its tests.`)
  return failed
}

const files = process.argv.slice(2).flatMap(failedFiles)
if (files.length > files_max) {
  console.log(`${files.length} files failed: not run again.`)
  process.exit(1)
}
const still = files.filter((file) => {
  console.log(`Again, by itself: ${file}`)
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', file, '--no-file-parallelism']
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status !== 0
})
for (const file of files)
  console.log(`${file} failed among the others, and ${still.includes(file) ? 'again by itself' : 'passed by itself'}.`)
process.exitCode = still.length > 0 ? 1 : 0
