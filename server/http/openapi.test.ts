import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { decision_texts } from '../../contract/decision-texts.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { failures } from '../../contract/errors.ts'
import { webhook_payloads } from '../../contract/app-events.ts'
import { printDecisions } from '../../scripts/print-decisions.ts'
import { printDocument } from '../../scripts/print-document.ts'
import { package_root, package_version } from '../platform/package.ts'
import { sharedService } from '../test/harness.ts'
import { raw, someApp, someTokens, someUser, theAdmin } from '../test/world.ts'
import { exampleOf } from './schema-example.ts'
import type { SharedDocument } from './openapi-components.ts'
import type { OpenApiDocument, Operation } from './openapi.ts'
import type { JsonSchema } from './json-schema.ts'
import { oauthStatusOf } from './render-failure.ts'
import { failuresOf, type Media } from './openapi-responses.ts'

const plaza = await sharedService()
const { endpoints } = plaza.service.app
const served = await raw(plaza, 'GET', '/api/openapi.json')
const shared = served.body as SharedDocument
const document = resolved(shared) as OpenApiDocument

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

function operationOf({ method, path }: Declaration): Operation {
  const operation = document.paths[path]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is not in the document`)
  return operation
}

/** The value with its references resolved, except those to schemas. */
function resolved(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(resolved)
  if (!('$ref' in value) || String(value.$ref).startsWith('#/components/schemas/'))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]))
  const path = String(value.$ref).split('/').slice(1)
  return resolved(path.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], shared))
}

/** Every object inside a value, the value included. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner]
}

// An optimised validator takes twice as long to compile, and checks few values.
const ajv = new Ajv2020({ strict: false, inlineRefs: false, code: { optimize: false } })
addFormats.default(ajv)
ajv.addSchema({ $id: 'document', components: { schemas: shared.components.schemas } })
const compiled = new Map<string, ReturnType<typeof ajv.compile>>()

/** Compiles each schema once: 2,400 places have 380 different ones. */
function compile(schema: JsonSchema) {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
  const check = compiled.get(text) ?? ajv.compile(JSON.parse(text) as JsonSchema)
  compiled.set(text, check)
  return check
}

test('the document names the version and where it is served, and any site may read it', () => {
  expect(served.status).toBe(200)
  expect(served.headers.get('access-control-allow-origin')).toBe('*')
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toBe(package_version)
  expect(document.servers).toEqual([{ url: plaza.url }])
})

test('every mounted endpoint is an operation, and nothing else is', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(
    endpoints.map(({ method, path }) => `${method} ${path}`).sort(),
  )
})

test('every decision named exists, and the decision of an endpoint is on its operation', () => {
  const named = objectsIn(shared).flatMap((object) => ('x-decision' in object ? [object['x-decision']] : []))
  expect(named.filter((id) => !Object.hasOwn(decision_texts, String(id)))).toEqual([])
  for (const endpoint of endpoints) expect(operationOf(endpoint)['x-decision']).toBe(endpoint.decision)
})

test('exactly the endpoints beyond the specification are marked as extensions', () => {
  for (const endpoint of endpoints) expect(operationOf(endpoint)['x-origin']).toBe(endpoint.origin)
})

test('security names the credentials that an endpoint requires', () => {
  const { securitySchemes } = document.components
  for (const endpoint of endpoints) {
    const { security, 'x-caller': caller } = operationOf(endpoint)
    if (endpoint.errors === 'oauth') expect([security, caller]).toEqual([[{ client: [] }, {}], 'anyone'])
    else if (typeof endpoint.auth === 'object')
      expect([security, caller]).toEqual([
        [
          { oauth2: [endpoint.auth.scope] },
          ...(endpoint.auth.or_client ? [{ client: [] }] : []),
          ...(endpoint.auth.or_user ? [{ jwt: [] }] : []),
        ],
        endpoint.auth.or_user ? 'user' : 'app',
      ])
    else if (endpoint.auth === 'client') expect([security, caller]).toEqual([[{ client: [] }], 'client'])
    else if (endpoint.auth === 'agent') expect([security, caller]).toEqual([[{ oauth2: [] }], 'app'])
    else if (endpoint.auth === 'none') expect([security, caller]).toEqual([[], 'anyone'])
    else expect([security, caller]).toEqual([[{ jwt: [] }], endpoint.auth])
    for (const scheme of security.flatMap(Object.keys)) expect(Object.keys(securitySchemes)).toContain(scheme)
  }
})

test('D-04: every failure of an endpoint is under its status, with its message', () => {
  for (const endpoint of endpoints) {
    const { responses } = operationOf(endpoint)
    for (const code of failuresOf(endpoint)) {
      const { status, message } = failures[code]
      const example = responses[endpoint.errors === 'oauth' ? oauthStatusOf(code) : status]?.content?.[
        'application/json'
      ]?.examples?.[code]?.value as Record<string, unknown>
      expect([code, example?.message ?? example?.error_description]).toEqual([code, message])
    }
  }
})

test('D-05: limits, and their headers, are on the operation', () => {
  for (const endpoint of endpoints) {
    const { 'x-rate-limit': limit, responses } = operationOf(endpoint)
    expect(limit?.requests).toBe(endpoint.limit?.requests)
    expect(limit?.seconds).toBe(endpoint.limit?.seconds)
    if (!endpoint.limit) continue
    const success = responses[endpoint.status?.[0] ?? 200]
    expect(Object.keys(success?.headers ?? {})).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']))
    expect(Object.keys(responses[429]?.headers ?? {})).toContain('Retry-After')
  }
})

/** The examples of an answer. */
function shownValues(status: string, { example, examples = {} }: Media) {
  return status.startsWith('2') ? [example] : Object.values(examples).map(({ value }) => value)
}

test('every request and answer has an example, which fits its schema', async () => {
  for (const { name, operation } of operations) {
    // Closes idle connections of the service, which runs in this process, so that the next test does not use one.
    await new Promise(setImmediate)
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const media of Object.values(content)) {
        const fits = compile(media.schema)
        const values = shownValues(status, media)
        expect([name, status, values.length > 0]).toEqual([name, status, true])
        for (const value of values) expect([name, status, fits(value), fits.errors]).toEqual([name, status, true, null])
        const events = endpoints.find(({ method, path }) => name === `${method} ${path}`)?.events ?? {}
        for (const [event, data] of Object.entries(media['x-events'] ?? {}))
          expect([name, compile(data)(exampleOf(events[event] as JsonSchema))]).toEqual([name, true])
      }
    }
    for (const { schema, example } of Object.values(operation.requestBody?.content ?? {})) {
      const fits = compile(schema)
      expect([name, 'body', fits(example), fits.errors]).toEqual([name, 'body', true, null])
    }
  }
})

test('every response of an operation to malformed calls is in the document', async () => {
  let user = await someUser(plaza)
  const admin = await theAdmin(plaza)
  const app = await someApp(plaza)
  const tokens = await someTokens(plaza, app, await someUser(plaza))
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const credentials = ({ auth }: Declaration) =>
    bearer(auth === 'admin' ? admin.token : typeof auth === 'object' ? tokens.access_token : user.token)
  const kinds = new Set<string>()
  /** One endpoint for each method and format of errors: the type of a body is refused before the endpoint sees it. */
  const isFirst = ({ method, errors }: Declaration) => kinds.size < kinds.add(`${method} ${errors}`).size
  const careless = (endpoint: Declaration): RequestInit[] => {
    const headers = credentials(endpoint)
    // An open stream does not end; only its refusals are comparable with other endpoints.
    if (endpoint.events) return [{}]
    if (endpoint.method === 'GET') return [{ headers }]
    const with_body = (type: string, body: string) => ({ headers: { 'content-type': type, ...headers }, body })
    const without_body = endpoint.auth === 'admin' ? [] : [{ headers }]
    return [
      with_body('application/json', '[]'),
      ...without_body,
      ...(isFirst(endpoint) ? [with_body('text/plain', 'hello')] : []),
    ]
  }
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/\{\w+\}/g, '0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f')
    const { responses } = operationOf(endpoint)
    for (const call of careless(endpoint)) {
      const reply = await raw(plaza, endpoint.method, path, call)
      // Some calls end the session.
      if (reply.status === 401) user = await someUser(plaza)
      const response = responses[reply.status]
      const name = `${endpoint.method} ${path} ${reply.status} ${reply.text.slice(0, 120)}`
      expect([name, response !== undefined && reply.status !== 500]).toEqual([name, true])
      const fits = compile(response?.content?.['application/json']?.schema ?? {})
      expect([name, fits(reply.body), fits.errors]).toEqual([name, true, null])
    }
  }
})

test('docs/decisions.md and docs/openapi.json are up to date', async () => {
  const [page_on_disk, document_on_disk] = await Promise.all(
    ['decisions.md', 'openapi.json'].map((name) => readFile(join(package_root, 'docs', name), 'utf8')),
  )
  expect(page_on_disk === printDecisions(), 'docs/decisions.md is stale: run npm run print').toBe(true)
  expect(document_on_disk === printDocument({ ...shared }), 'docs/openapi.json is stale: run npm run print').toBe(true)
  expect(document_on_disk?.split('\n').length).toBeLessThanOrEqual(14_500)
})

test('every event of an app is in the document under webhooks, with an example that fits its payload', () => {
  expect(Object.keys(document.webhooks).sort()).toEqual(Object.keys(webhook_payloads).sort())
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { schema, example } = post.requestBody.content['application/json']
    const check = compile(schema)
    expect([type, check(example), check.errors]).toEqual([type, true, null])
    expect(post.parameters.map(({ name }) => name)).toEqual(['Webhook-Id', 'Webhook-Timestamp', 'Webhook-Signature'])
  }
})
