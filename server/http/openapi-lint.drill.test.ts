import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
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

async function askSpectral(source: string) {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as spectral.RulesetDefinition, 'recommended']] })
  const problems = await linter.run(JSON.parse(source) as Record<string, unknown>)
  return problems.map(({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`)
}

test('Redocly’s recommended rules find neither errors nor warnings in the document', async () => {
  expect(await askRedocly(text)).toEqual([])
  expect((await askRedocly(faulty)).map((problem) => problem.split(' ')[0])).toContain('operation-operationId')
})

test('Spectral’s rules for OpenAPI find neither errors nor warnings in the document', async () => {
  expect(await askSpectral(text)).toEqual([])
  expect((await askSpectral(faulty)).map((problem) => problem.split(' ')[0])).toContain('operation-operationId')
})
