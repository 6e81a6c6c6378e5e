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

/** The kind of a message; a message of no kind is returned unchanged. */
const kindOf = contractTranslator(
  Object.entries(field_errors).map(([kind, template]) => [template, kind]),
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
/** Values of every type, too small, too large or of a wrong form for most fields. */
const wrong = [null, true, -1e12, 1e12, 0.5, '', ' ', '?', long, [], ['a', 'a'], Array(1_001).fill('a'), names]
const wrong_objects = [{}, { '!': 'x' }, { extra_field: 1 }]

/** A request with this value in every field, including those of inner objects. */
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

test('the service uses every template of the table', async () => {
  const folders = ['server', 'contract']
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(package_root, folder), { recursive: true })).map((path) => join(folder, path)),
    ),
  )
  const sources = files
    .flat()
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.endsWith('field-errors.ts'))
    .map((path) => readFile(join(package_root, path), 'utf8'))
  const text = (await Promise.all(sources)).join('\n')
  /** Messages of the schema validator, and kinds that are made of a unit. */
  const elsewhere = /^must (?:NOT|be (?:string|number|integer|boolean|object|array|>=|<=|equal)|match)|before to$/
  const unused = Object.entries(field_errors).filter(
    ([kind, template]) => !elsewhere.test(template) && !text.includes(`'${kind}'`) && !text.includes(`.${kind}`),
  )
  expect(unused).toEqual([])
})
