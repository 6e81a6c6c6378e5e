// Runs at the end of `npm ci`: generates the code that git ignores, so that an editor finds it. `npm ci --omit=dev` installs no tools and
// needs no types.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')
if (existsSync(tsx)) {
  const { status } = spawnSync(process.execPath, [tsx, join(root, 'scripts/print-code.ts')], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
