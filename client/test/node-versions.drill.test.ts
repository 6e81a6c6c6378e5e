import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestService } from '../../server/test/harness.ts'
import { fetchNode, image_node } from '../../server/test/newer-node.ts'
import { addFlow, emptyProject, flowOf, flowSettings, playWith } from './packed.ts'

const project = await emptyProject()
const plaza = await startTestService()
await addFlow(project)
await project.compile()

// The first and a late one of the versions that the package is for; between them is that of the tests.
test.each(['20.0.0', image_node])('the packed client plays the main flow in Node %s', async (version) => {
  const node = await fetchNode(version)
  expect((await promisify(execFile)(node, ['--version'])).stdout.trim()).toBe(`v${version}`)
  const { user, settings } = await flowSettings(plaza)
  expect(await playWith(node, project, settings)).toEqual(flowOf(user.username, { has_secret: true }))
})
