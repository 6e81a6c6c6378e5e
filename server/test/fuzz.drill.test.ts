import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { me, renewSession } from '../../contract/accounts.ts'
import type { Declaration } from '../../contract/endpoint.ts'
import { getExternalUser } from '../../contract/external.ts'
import { mcp_path } from '../../contract/mcp.ts'
import { getPoints } from '../../contract/points.ts'
import { startTestService } from './harness.ts'
import { allowHosting, any_image, someContainerHost } from './hosting-world.ts'
import { inParallel } from './in-parallel.ts'
import { sleep } from './wait.ts'
import { basicOf, givePoints, raw, someApp, someTokens, someUser, theAdmin } from './world.ts'
import { hosting_settings } from './settings.ts'

/** The number of requests of the run, divided among the endpoints; `FUZZ_REQUESTS` overrides it. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 3_000)
const seed = 42

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
}

const hostile = fc.constantFrom<unknown>(
  null,
  '',
  '\0',
  'a\0b',
  '\ud800',
  -1,
  0,
  1.5,
  1e21,
  9007199254740992,
  true,
  [],
  {},
  { __proto__: null, a: 1 },
  'x'.repeat(5000),
  '%',
  "'; drop table users; --",
  '‮',
  '💥',
  '../../etc/passwd',
  '00000000-0000-0000-0000-000000000000',
  'urn:uuid:00000000-0000-0000-0000-000000000000',
  '2026-02-30T25:61:61Z',
  '1e400',
)

/** Values that approximately match a schema; invalid values are useful too. */
function fitting(schema: Schema, known: readonly string[]): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((option) => fitting(option, known)))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'integer':
    case 'number':
      return fc.integer({
        min: schema.minimum ?? -5,
        max: Math.min(schema.maximum ?? 1000, (schema.minimum ?? 0) + 1000),
      })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(fitting(schema.items ?? {}, known), { maxLength: Math.min(schema.maxItems ?? 4, 4) })
    case 'object':
      return object(schema, known)
    default:
      return string(schema, known)
  }
}

function string({ format, pattern, minLength = 0, maxLength = 60 }: Schema, known: readonly string[]) {
  if (format === 'uuid') return fc.oneof(fc.constantFrom(...known), fc.uuid())
  if (format === 'email') return fc.nat(1e6).map((n) => `fuzz${n}@fuzz.test`)
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  if (pattern) return fc.stringMatching(new RegExp(pattern))
  return fc.oneof(
    fc.constantFrom(...known),
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }),
  )
}

const object = ({ properties = {}, required = [] }: Schema, known: readonly string[]) =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fitting(schema, known)])), {
    requiredKeys: required.filter((name) => name in properties),
  })

/** Three quarters are valid values; in one quarter a field, or the whole value, is hostile. */
const mixed = (schema: Schema | undefined, known: readonly string[]): fc.Arbitrary<unknown> =>
  schema === undefined
    ? fc.constant(undefined)
    : fc.oneof(
        { weight: 3, arbitrary: fitting(schema, known) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fitting(schema, known), fc.constantFrom('', ...Object.keys(schema.properties ?? {})), hostile)
            .map(([value, name, evil]) => (name === '' ? evil : { ...(value as object), [name]: evil })),
        },
      )

interface FuzzCase {
  params: unknown
  query: unknown
  body: unknown
  key: unknown
}

const caseOf = (endpoint: Declaration, known: readonly string[]): fc.Arbitrary<FuzzCase> =>
  fc.record({
    params: mixed(endpoint.params as Schema | undefined, known),
    query: mixed(endpoint.query as Schema | undefined, known),
    body: mixed(endpoint.body as Schema | undefined, known),
    key: fc.option(fc.constantFrom('k1', 'k2', ' ', 'x'.repeat(300)), { nil: undefined }),
  })

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const encode = (value: unknown) => {
  try {
    return encodeURIComponent(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  } catch {
    return '%ED%A0%80'
  }
}

function requestOf({ path }: Declaration, { params, query, body, key }: FuzzCase, authorization: string) {
  const inPath = (name: string) =>
    encode(typeof params === 'object' && params !== null ? (params as Record<string, unknown>)[name] : params) || 'x'
  const pairs = typeof query === 'object' && query !== null ? Object.entries(query) : []
  const search = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return {
    url: path.replace(/\{(\w+)\}/g, (_, name: string) => inPath(name)) + (search && `?${search}`),
    headers: {
      authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': text(key) }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

const formats = {
  standard_with_message: {
    type: 'object',
    required: ['error', 'message'],
    properties: { error: { type: 'string' }, message: { type: 'string' }, fields: { type: 'array' } },
    additionalProperties: false,
  },
  oauth: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: { type: 'string' }, error_description: { type: 'string' } },
    additionalProperties: false,
  },
  /** A message to the MCP server. */
  json_rpc: {
    type: 'object',
    required: ['jsonrpc', 'error', 'id'],
    properties: {
      jsonrpc: { const: '2.0' },
      error: { type: 'object', required: ['code', 'message'] },
      id: {},
    },
    additionalProperties: false,
  },
  framework: {
    type: 'object',
    required: ['errors'],
    properties: { errors: { type: 'object', required: ['detail'], properties: { detail: { type: 'string' } } } },
    additionalProperties: false,
  },
}
const ajv = new Ajv2020({ strict: false })
const isFailureBody = Object.fromEntries(Object.entries(formats).map(([name, schema]) => [name, ajv.compile(schema)]))

const plaza = await startTestService({ LOG_LEVEL: 'debug', ...hosting_settings })
await someContainerHost(plaza)

/** New users, app and tokens. */
async function freshWorld() {
  const admin = await theAdmin(plaza)
  const [user, other] = [await someUser(plaza), await someUser(plaza)]
  const scopes = ['profile:read', 'points:read', 'points:spend', 'points:transfer', 'app:balance:read'] as const
  const app = await someApp(plaza, { scopes: [...scopes], owner: user })
  await allowHosting(plaza, app)
  await givePoints(plaza, user, 1_000_000)
  const tokens = await someTokens(plaza, app, user)
  const agent = await someTokens(plaza, app, user, undefined, plaza.url + mcp_path)
  const known = [user.id, other.id, app.id, app.client_id, 'S256', 'code', 'https://app.test/cb', any_image, 'starter']
  const secrets = [
    user.password,
    admin.password,
    app.client_secret,
    tokens.access_token,
    tokens.refresh_token,
    agent.access_token,
    user.token,
  ]
  return { admin, user, other, app, tokens, agent, known, secrets }
}

type World = Awaited<ReturnType<typeof freshWorld>>

/** True if every credential is still valid: some endpoints end sessions and tokens, suspend users or delete apps. */
async function isIntact({ admin, user, other, app, tokens }: World) {
  const replies = await Promise.all([
    ...[admin, user, other].map(({ api }) => api.call(me)),
    tokens.api.call(getExternalUser),
    tokens.api.call(getPoints),
    raw(plaza, 'GET', '/api/app/balance', { headers: { authorization: basicOf(app) } }),
  ])
  return replies.every(({ status }) => status === 200)
}

test(`${requests} generated requests to every endpoint: no 5xx, every response as declared, no secret in the log`, async () => {
  const endpoints = plaza.service.app.endpoints.filter(({ events }) => events === undefined)
  const each = Math.ceil(requests / endpoints.length)
  const violations: string[] = []
  const all_secrets = new Set<string>()

  /** Sends the requests to an endpoint; returns true if one was authorized. */
  async function fuzz(endpoint: Declaration, { admin, user, other, app, tokens, agent, known, secrets }: World) {
    for (const secret of secrets) all_secrets.add(secret)
    const jwts = [user.token, other.token, ...(endpoint.auth === 'admin' ? [admin.token] : [])]
    const bearer = [...jwts, (endpoint.auth === 'agent' ? agent : tokens).access_token].map(
      (token) => `Bearer ${token}`,
    )
    const credentials = [...bearer, basicOf(app), '', 'Bearer x', 'Basic eDp5']
    // Uses each credential in turn.
    const cases = fc
      .sample(caseOf(endpoint, known), { numRuns: each, seed })
      .map((fuzzed, at) => ({ fuzzed, credential: credentials[at % credentials.length]! }))
    const statuses = new Set<number>()
    await inParallel(16, cases, async ({ fuzzed, credential }) => {
      const { status, violation } = await checkResponse(endpoint, fuzzed, credential)
      statuses.add(status)
      if (violation) violations.push(violation)
    })
    return [...statuses].some((status) => status !== 401)
  }

  let world = await freshWorld()
  const always_unauthorized: string[] = []
  for (const endpoint of endpoints) {
    if (!(await isIntact(world))) world = await freshWorld()
    if (await fuzz(endpoint, world)) continue
    // The app may have lost the scope earlier.
    world = await freshWorld()
    if (!(await fuzz(endpoint, world))) always_unauthorized.push(endpoint.path)
  }
  expect(violations.slice(0, 10)).toEqual([])
  // Requires a cookie of the console.
  expect(always_unauthorized).toEqual([renewSession.path])
  const log = plaza.logged()
  expect([...all_secrets].filter((secret) => log.includes(secret))).toEqual([])
}, 900_000)

/** The status of the response, and a description if it is wrong. The service itself validates successful responses. */
async function checkResponse(endpoint: Declaration, fuzz: FuzzCase, authorization: string) {
  const { url, headers, body } = requestOf(endpoint, fuzz, authorization)
  const send = async () => {
    const response = await fetch(plaza.url + url, {
      method: endpoint.method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
    return { response, answer: await response.text() }
  }
  let { response, answer } = await send()
  // A busy machine: nothing was done. What the content causes comes again.
  for (let tries = 0; tries < 5 && response.headers.has('retry-after') && response.status === 503; tries++) {
    await sleep(1_000)
    ;({ response, answer } = await send())
  }
  const where = `${endpoint.method} ${url.slice(0, 200)} ${body?.slice(0, 200) ?? ''} -> ${response.status} ${answer.slice(0, 200)}`
  const { status } = response
  if (status >= 500) return { status, violation: where }
  if (status < 400) return { status }
  const parsed = JSON.parse(answer) as Record<string, unknown>
  // Fields that the endpoint declares in addition to those of every failure.
  for (const fields of Object.values(endpoint.failure_fields ?? {}))
    for (const name of Object.keys(fields)) delete parsed[name]
  const declared = endpoint.errors ?? 'standard_with_message'
  const is_declared =
    isFailureBody[declared]?.(parsed) ||
    (endpoint.auth === 'agent' && isFailureBody.json_rpc?.(parsed)) ||
    (declared !== 'oauth' && isFailureBody.framework?.(parsed)) ||
    false
  return is_declared ? { status } : { status, violation: where }
}
