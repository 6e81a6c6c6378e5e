import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { startTestService } from '../test/harness.ts'
import { raw } from '../test/world.ts'

const plaza = await startTestService({ PUBLIC_URL: 'https://plaza.example' })
const { text } = await raw(plaza, 'GET', '/api/openapi.json')
/** An operation without an id. */
const faulty = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'A', version: '1' },
  paths: { '/a': { get: { responses: { 200: { description: 'Done' } } } } },
})

async function askRedocly(source: string) {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

test('Redocly’s recommended rules find neither errors nor warnings in the document', async () => {
  expect(await askRedocly(text)).toEqual([])
  expect((await askRedocly(faulty)).map((problem) => problem.split(' ')[0])).toContain('operation-operationId')
})
