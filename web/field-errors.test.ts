import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { expect, test } from 'vitest'
import type { Declaration } from '../contract/endpoint.ts'
import { field_errors } from '../contract/field-errors.ts'
import { contractTranslator } from './contract-translator.ts'
import { Failure } from '../server/platform/failure.ts'
import { package_root } from '../server/platform/package.ts'
import { compileCheck, refuseUnstorableText, type RequestPart } from '../server/http/validation.ts'

/** The kind of a sentence; a sentence of no kind stays as it is. */
const kindOf = contractTranslator(
  Object.entries(field_errors).map(([kind, sentence]) => [sentence, kind]),
  'en',
)

const contract = join(package_root, 'contract')
const isDeclaration = (value: unknown): value is Declaration =>
  typeof value === 'object' && value !== null && 'method' in value && 'response' in value

async function requestParts() {
  const files = (await readdir(contract)).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const modules = await Promise.all(files.map((name) => import(join(contract, name)) as Promise<object>))
  const endpoints = modules.flatMap((exported) => Object.values(exported).filter(isDeclaration))
  return endpoints.flatMap(({ params, query, body }) => {
    const parts: [RequestPart, TSchema | undefined][] = [
      ['params', params],
      ['querystring', query],
      ['body', body],
    ]
    return parts.flatMap(([part, schema]) => (schema === undefined ? [] : [{ part, schema }]))
  })
}

const long = 'x'.repeat(70_000)
const names = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`n${at}`, 'x']))
/** Values of every type, each too small, too large or of a wrong form for most fields. */
const wrong = [null, true, -1e12, 1e12, 0.5, '', ' ', '?', long, [], ['a', 'a'], Array(1_001).fill('a'), names]
const wrong_objects = [{}, { '!': 'x' }, { extra_field: 1 }]

/** A request whose fields, of objects inside too, all have this value. */
function filled(schema: TSchema, value: unknown): unknown {
  const { properties } = schema as { properties?: Record<string, TSchema> }
  if (properties === undefined) return value
  return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, filled(inner, value)]))
}

const fieldsAt = (check: () => unknown) => {
  try {
    check()
  } catch (error) {
    if (error instanceof Failure) return error.answer.fields ?? []
    throw error
  }
  return []
}

test('D-125: every field error that a schema of the contract can cause is one of the table', async () => {
  const parts = await requestParts()
  const messages = new Set<string>()
  for (const { part, schema } of parts) {
    const check = compileCheck(schema, part)
    const bodies = [...wrong, ...wrong_objects].flatMap((value) => [
      value,
      filled(schema, value),
      filled(schema, [value]),
    ])
    for (const body of bodies)
      for (const { message } of fieldsAt(() => check(structuredClone(body)))) messages.add(message)
  }
  for (const { message } of fieldsAt(() => refuseUnstorableText({ a: '\0' }))) messages.add(message)
  const kinds = new Set([...messages].map(kindOf))
  expect([...kinds].filter((kind) => !(kind in field_errors))).toEqual([])
  expect(kinds.size).toBeGreaterThan(35)
  expect([...kinds]).toEqual(
    expect.arrayContaining(['required', 'length_min', 'minimum', 'one_of', 'email', 'username']),
  )
})

test('every sentence of the table is written by the service', async () => {
  const files = await readdir(package_root + '/server', { recursive: true })
  const sources = [
    ...files.map((file) => `server/${file}`),
    ...(await readdir(contract)).map((file) => `contract/${file}`),
  ]
  const read = sources
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|field-errors/.test(path))
    .map((path) => readFile(join(package_root, path), 'utf8'))
  const text = (await Promise.all(read)).join('\n')
  /** Of ajv, or made of a value. */
  const elsewhere =
    /^must (?:NOT|be (?:string|number|integer|boolean|object|array|>=|<=|equal|at most \{max\} (?:days|months)|\d)|match)|^property/
  const unwritten = Object.values(field_errors).filter((sentence) => {
    const [start = ''] = sentence.split('{')
    return !elsewhere.test(sentence) && !text.includes(start) && !text.includes(start.replace(/^must /, ''))
  })
  expect(unwritten).toEqual([])
})
