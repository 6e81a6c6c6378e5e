import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { webhook_headers, webhook_payloads } from './app-events.ts'
import { decisions } from './decisions.ts'
import { decision_texts, type DecisionId } from './decision-texts.ts'
import { bodyBytesMax, type Declaration } from './endpoint.ts'
import { failures, type FailureCode } from './errors.ts'
import { tags } from './tags.ts'

const contract_folder = fileURLToPath(new URL('.', import.meta.url))
const server_folder = join(contract_folder, '../server')

const isDeclaration = (value: unknown): value is Declaration =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value

/** Every endpoint that a file of the contract declares, with its exported name. */
async function declaredEndpoints() {
  const files = (await readdir(contract_folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  const modules = await Promise.all(files.map((name) => import(join(contract_folder, name)) as Promise<object>))
  return modules.flatMap((exported) =>
    Object.entries(exported).flatMap(([name, value]) => (isDeclaration(value) ? [{ name, endpoint: value }] : [])),
  )
}

/** The text of all server sources except tests. */
async function serverSources() {
  const names = await readdir(server_folder, { recursive: true })
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return (await Promise.all(sources.map((name) => readFile(join(server_folder, name), 'utf8')))).join('\n')
}

/** Every value under `x-decision` inside a schema. */
function marksIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'x-decision' ? [String(inner)] : marksIn(inner)))
}

const endpoints = await declaredEndpoints()
const carried = new Set(
  endpoints.flatMap(({ endpoint }) => [...(endpoint.decision ? [endpoint.decision] : []), ...marksIn(endpoint)]),
)

/** Decisions that no endpoint or field is marked with, each with the reason. */
const without_mark: Partial<Record<DecisionId, string>> = {
  'D-154': 'a page, and parameters that are ignored',
  'D-01': 'said by the declared success statuses; the document marks every 201',
  'D-02': 'a way of reading every response, not a field',
  'D-03': 'the body of failures: the document marks their schemas',
  'D-04': 'the status of failures: contract/errors.ts; the document marks the header and the validation schema',
  'D-05': 'how every limit counts: the document marks limits and their headers',
  'D-06': 'the limits read their numbers from the entry: the document marks them',
  'D-07': 'holds for every id, time and request field',
  'D-08': 'holds for every text',
  'D-19': 'a setting and a command',
  'D-40': 'an effect of approval and suspension on calls elsewhere',
  'D-83': 'the size of every request; the document names the bytes of each body',
  'D-87': 'an effect of a narrowed app on codes and tokens issued before',
  'D-88': 'an effect of a suspension on apps and deployments elsewhere',
  'D-112': 'a way of reading every body',
  'D-114': 'the ids and components of the document',
  'D-115': 'holds for every path and method',
  'D-118': 'a rule of names beside those of their schema: said by the failure username_taken',
  'D-120': 'holds for every call and stream with a credential',
  'D-127': 'holds for every request',
  'D-82': 'the version: the document marks its info',
}

test('the contract declares endpoints, and no two share method and path', () => {
  const addresses = endpoints.map(({ endpoint: { method, path } }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
  expect(addresses.length).toBeGreaterThan(60)
  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([])
})

test('every decision that the contract names is in the register', () => {
  expect([...carried].filter((id) => !Object.hasOwn(decision_texts, id))).toEqual([])
})

test('each decision has one entry with values at most', () => {
  const ids = Object.values(decisions).map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
})

test('every decision is carried by an endpoint or a field, or cannot be', () => {
  const ids = Object.keys(decision_texts) as DecisionId[]
  expect(ids.filter((id) => !carried.has(id) && without_mark[id] === undefined)).toEqual([])
  expect(ids.filter((id) => carried.has(id) && without_mark[id] !== undefined)).toEqual([])
})

test('an endpoint of ours names the decision that made it', () => {
  const unexplained = endpoints.filter(({ endpoint }) => endpoint.origin === 'extension' && !endpoint.decision)
  expect(unexplained.map(({ name }) => name)).toEqual([])
})

test('path and declared parameters agree', () => {
  for (const { name, endpoint } of endpoints) {
    const in_path = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    expect([name, Object.keys(endpoint.params?.properties ?? {})]).toEqual([name, in_path])
  }
})

test('ids of requests stand at the top, where they are given their one spelling', () => {
  const isId = (schema: object) => 'format' in schema && schema.format === 'uuid'
  const holdsId = (schema: unknown): boolean =>
    typeof schema === 'object' && schema !== null && (isId(schema) || Object.values(schema).some(holdsId))
  for (const { name, endpoint } of endpoints)
    for (const part of [endpoint.params, endpoint.query, endpoint.body, endpoint.headers]) {
      const { properties = {} } = (part ?? {}) as { properties?: Record<string, object> }
      const deeper = Object.entries(properties).filter(([, schema]) => !isId(schema) && holdsId(schema))
      // The service normalizes the ids of a batch itself.
      const fields = deeper.map(([field]) => field).filter((field) => field !== 'payouts')
      expect([name, fields]).toEqual([name, []])
    }
})

test('D-115: a GET that makes a change takes a credential in a header, which no other site can send', () => {
  const changing = endpoints.filter(({ endpoint: { method, changes } }) => method === 'GET' && changes)
  expect(changing.map(({ endpoint: { path, auth } }) => [path, auth]).sort()).toEqual([
    ['/api/app/events', 'client'],
    ['/api/external/ads/serve', { scope: 'profile:read' }],
    ['/api/oauth/authorize', 'user'],
  ])
})

test('no failure is declared twice by an endpoint', () => {
  const twice = endpoints.filter(({ endpoint: { fails = [] } }) => new Set(fails).size < fails.length)
  expect(twice.map(({ name }) => name)).toEqual([])
})

interface TextSchema {
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown
  const?: unknown
  'x-read-as'?: string
  properties?: Record<string, TextSchema>
  items?: TextSchema
  additionalProperties?: TextSchema | boolean
}

/** Every free text in the schema of a body, by its path: a text without an enum, format or pattern. */
function freeTexts(schema: TextSchema | undefined, at: string): { at: string; read_as: string | undefined }[] {
  if (!schema) return []
  const { type, format, pattern, properties = {}, items, additionalProperties, 'x-read-as': read_as } = schema
  const is_free = [type].flat().includes('string') && !(format ?? pattern ?? schema.enum ?? schema.const)
  const values = typeof additionalProperties === 'object' ? additionalProperties : undefined
  return [
    ...(is_free ? [{ at, read_as }] : []),
    ...Object.entries(properties).flatMap(([name, field]) => freeTexts(field, `${at} ${name}`)),
    ...freeTexts(items, at),
    ...freeTexts(values, at),
  ]
}

/** Names of text fields that nobody else reads, or that have another check, with the reason. */
const not_read: Record<string, string> = {
  ...Object.fromEntries(
    'p256dh auth password current_password new_password totp_code code email referral_code token token_type_hint jsonrpc method resource client_secret code_verifier code_challenge code_challenge_method id_token_hint request_uri refresh_token dpop_jkt'
      .split(' ')
      .map((name) => [name, 'a secret, or a text that is compared with what is known']),
  ),
  ...Object.fromEntries(
    'id rawId clientDataJSON authenticatorData signature userHandle attestationObject transports authenticatorAttachment'
      .split(' ')
      .map((name) => [name, 'the answer of an authenticator']),
  ),
  ...Object.fromEntries(
    'endpoint redirect_uris redirect_uri backchannel_logout_uri logo_url website_url url image custom_domain'
      .split(' ')
      .map((name) => [name, 'an address: the rules of addresses']),
  ),
  ...Object.fromEntries(
    'requested_scopes allowed_scopes allowed_addresses scope grant_type client_id tier path response_type response_mode prompt max_age request registration'
      .split(' ')
      .map((name) => [name, 'a word that the service knows, else refused']),
  ),
  surface_type: 'a word of the app for its own surfaces, which only it and admins count by',
  metadata: 'for the app alone',
  state: 'for the app alone',
  nonce: 'for the app alone',
  picture: 'a file, of which the service makes a picture',
  env_vars: 'encrypted, and never returned',
  env_set: 'encrypted, and never returned',
}

test('D-124: every text that other people read has the rule of such texts', () => {
  const texts = endpoints.flatMap(({ name, endpoint }) => freeTexts(endpoint.body as TextSchema | undefined, name))
  const named = texts.map(({ at, read_as }) => ({ at, read_as, name: at.split(' ').at(-1) ?? '' }))
  expect(named.filter(({ name, read_as }) => read_as === undefined && not_read[name] === undefined)).toEqual([])
  const read = named.filter(({ read_as }) => read_as !== undefined)
  expect(read.filter(({ name }) => not_read[name] !== undefined)).toEqual([])
  expect(read.map(({ at }) => at)).toEqual(
    expect.arrayContaining(['createApp app_name', 'sendMessage body', 'openChannel ref_id', 'announcePresence lobby']),
  )
})

/** Every field in a schema, with its path and description. */
function fieldsOf(schema: unknown, at: string): { at: string; name: string; description: unknown }[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, part]) => {
    if (key !== 'properties') return fieldsOf(part, at)
    return Object.entries(part as Record<string, object>).flatMap(([name, field]) => [
      { at: `${at} ${name}`, name, description: (field as { description?: unknown }).description },
      ...fieldsOf(field, `${at} ${name}`),
    ])
  })
}

const says = (description: unknown, name: string) =>
  typeof description === 'string' &&
  description.trim() !== '' &&
  description.toLowerCase() !== name.replaceAll('_', ' ')

test('every operation, parameter and field is described, and not by its name', () => {
  const operations = endpoints.filter(
    ({ endpoint: { description, summary } }) => !says(description, '') || description === summary,
  )
  expect(operations.map(({ name }) => name)).toEqual([])
  const fields = endpoints.flatMap(({ name, endpoint }) => {
    const { params, query, headers, documented_bodies, body, response, events, failure_fields } = endpoint
    const bodies = documented_bodies ?? { body }
    const parts = { params, query, headers, ...bodies, response, events, failure_fields }
    return Object.entries(parts).flatMap(([part, schema]) => fieldsOf(schema, `${name} ${part}`))
  })
  const payloads = Object.entries(webhook_payloads).flatMap(([type, { payload }]) => fieldsOf(payload, type))
  const all = [...fields, ...payloads, ...fieldsOf(webhook_headers, 'webhook')]
  expect(all.length).toBeGreaterThan(1_000)
  expect(all.filter(({ name, description }) => !says(description, name)).map(({ at }) => at)).toEqual([])
})

test('D-129: endpoints that take a proof declare it, and those that need a recent one can be refused for it', () => {
  const takesProof = (body: unknown) => 'passkey' in ((body as { properties?: object } | undefined)?.properties ?? {})
  const unsaid = endpoints.filter(
    ({ endpoint: { auth, body, proof, path } }) =>
      auth === 'user' && takesProof(body) && proof === undefined && path !== '/api/auth/proof',
  )
  expect(unsaid.map(({ name }) => name)).toEqual([])
  const recent = endpoints.filter(({ endpoint: { proof } }) => proof !== undefined && proof !== 'asked')
  expect(recent.map(({ name }) => name).sort()).toEqual([
    'createCliCode',
    'createSecret',
    'endOtherLoginSessions',
    'exportAccount',
    'inviteMember',
    'moveApp',
    'setAdminRoles',
    'updateMember',
    'updateUser',
  ])
  expect(recent.filter(({ endpoint: { fails = [] } }) => !fails.includes('proof_required'))).toEqual([])
})

test('every tag of an endpoint is described', () => {
  expect([...new Set(endpoints.map(({ endpoint }) => endpoint.tag))].sort()).toEqual(Object.keys(tags).sort())
})

test('every failure is declared by an endpoint or thrown somewhere', async () => {
  const declared = new Set(endpoints.flatMap(({ endpoint }): readonly FailureCode[] => endpoint.fails ?? []))
  const sources = await serverSources()
  const unused = (Object.keys(failures) as FailureCode[]).filter(
    (code) => !declared.has(code) && !sources.includes(`Failure('${code}'`),
  )
  expect(unused).toEqual([])
})

interface Sized {
  type?: string | string[]
  enum?: unknown[]
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  items?: Sized
  properties?: Record<string, Sized>
  additionalProperties?: Sized | boolean
}
/** The maximum in bytes of texts with a pattern or format, names of variables, and objects of any shape. */
const other_bytes = 1_000

/** The maximum in bytes of JSON for an ASCII value of a schema. */
function bytesOf(schema: Sized): number {
  const types = [schema.type ?? []].flat()
  if (schema.enum) return Math.max(...schema.enum.map((each) => JSON.stringify(each).length))
  if (types.includes('array')) return (schema.maxItems ?? Infinity) * (bytesOf(schema.items ?? {}) + 1) + 2
  if (types.includes('object') && schema.properties)
    return Object.entries(schema.properties).reduce((sum, [name, inner]) => sum + name.length + 4 + bytesOf(inner), 2)
  if (typeof schema.additionalProperties === 'object')
    return (schema.maxProperties ?? Infinity) * (bytesOf(schema.additionalProperties) + 48)
  return types.includes('string') ? (schema.maxLength ?? other_bytes) + 2 : other_bytes
}

test('S-2, H15: every list and object of a body has a size, and a body as large as its fields allow fits its limit', () => {
  const large = endpoints.filter(({ endpoint: { body_bytes_max } }) => body_bytes_max !== undefined)
  expect(large.map(({ name }) => name).sort()).toEqual([
    'changeDeployment',
    'createDeployment',
    'createPayouts',
    'registerPasskey',
    'setLogo',
    'setPicture',
  ])
  for (const { name, endpoint } of endpoints) {
    // A batch whose items all have texts of full length must have fewer items.
    if (!endpoint.body || name === 'createPayouts') continue
    // A request sends either the whole environment or a change of it.
    const { env_set: _, ...properties } = (endpoint.body as Sized).properties ?? {}
    const bytes = bytesOf({ ...(endpoint.body as Sized), properties })
    expect([name, bytes <= bodyBytesMax(endpoint)]).toEqual([name, true])
  }
})
