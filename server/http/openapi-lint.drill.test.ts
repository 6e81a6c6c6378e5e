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

test('Redocly’s recommended rules find nothing in the document, neither errors nor warnings', async () => {
  expect(await askRedocly(text)).toEqual([])
  expect((await askRedocly(faulty)).map((problem) => problem.split(' ')[0])).toContain('operation-operationId')
})

test('Spectral’s rules for OpenAPI find nothing in the document, neither errors nor warnings', async () => {
  expect(await askSpectral(text)).toEqual([])
  expect((await askSpectral(faulty)).map((problem) => problem.split(' ')[0])).toContain('operation-operationId')
})

interface Described {
  description?: string
  $ref?: string
  properties?: Record<string, Described>
  allOf?: Described[]
  [key: string]: unknown
}

const document = JSON.parse(text) as Record<'paths' | 'webhooks', Record<string, Record<string, Described>>> & {
  tags: (Described & { name: string })[]
  components: Record<string, Record<string, Described>>
}

/** The component of a reference. */
function at(reference: string): Described {
  const [, , kind = '', name = ''] = reference.split('/')
  return document.components[kind]?.[name] ?? {}
}

/** The description of a part, beside it or in the referenced component. */
const descriptionOf = ({ description, $ref }: Described): string | undefined =>
  description ?? ($ref === undefined ? undefined : descriptionOf(at($ref)))

/** Fields without a description. A schema that narrows another one may inherit the description. */
function silentFields(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties = {}, allOf = [] } = value as Described
  const narrowed = allOf.flatMap(({ $ref }) => ($ref === undefined ? [] : [at($ref).properties ?? {}]))
  const silent = Object.entries(properties).filter(
    ([name, field]) => ![field, ...narrowed.map((fields) => fields[name] ?? {})].some(descriptionOf),
  )
  const inside = Object.entries(value).filter(([key]) => !key.startsWith('example'))
  return [
    ...silent.map(([name]) => `${path}/${name}`),
    ...inside.flatMap(([key, part]) => silentFields(part, `${path}/${key}`)),
  ]
}

test('everything in the document is described: operations, parameters, answers, headers, groups and fields', () => {
  const operations = Object.entries({ ...document.paths, ...document.webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )
  const parts = operations.flatMap(({ name, operation }) => [
    [name, operation] as const,
    ...((operation.parameters ?? []) as Described[]).map(
      (each, index) => [`${name} parameter ${index}`, each] as const,
    ),
    ...Object.entries(operation.responses as Record<string, Described>).map(
      ([status, each]) => [`${name} ${status}`, each] as const,
    ),
  ])
  const { parameters, responses, headers } = document.components
  const named = Object.entries({ ...parameters, ...responses, ...headers })
  const groups = document.tags.map((tag) => [tag.name, tag] as const)
  const silent = [...parts, ...named, ...groups].filter(([, part]) => !descriptionOf(part)?.trim())
  expect(silent.map(([name]) => name)).toEqual([])
  expect(silentFields(document, '')).toEqual([])
})
