import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import { requirementOf } from '../../contract/schema.ts'
import { Failure, invalidField, refuseFieldErrors, type FieldError } from '../platform/failure.ts'
import { canonicalId } from '../platform/ids.ts'
import { isStorable, unstorable_error } from '../platform/text.ts'

const fields_max = 20
const uuid_format = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function newAjv(coerceTypes: boolean) {
  const ajv = new Ajv2020({ coerceTypes, useDefaults: true, removeAdditional: false, allErrors: true, strict: true })
  addFormats.default(ajv, ['date-time', 'email', 'uri'])
  // The library's own uuid format lets `urn:uuid:` through, which PostgreSQL's type refuses.
  ajv.addFormat('uuid', uuid_format)
  ajv.addKeyword('x-decision')
  return ajv
}

/** Bodies are taken as they are; texts of queries, paths and headers may stand for numbers. */
const strict = newAjv(false)
const coercing = newAjv(true)

export type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

/** What is wrong with a body by the rules of its domain, whatever form the body has. */
export type BodyRules = (body: unknown) => FieldError[]

/**
 * Compiles the check of one part of a request. The check throws `validation_failed`, naming each field: those that break
 * the schema, and then with them those that break the `rules`. What keeps the schema is the service's to judge.
 */
export function compileCheck(
  schema: TSchema,
  part: RequestPart,
  rules: BodyRules = () => [],
): (value: unknown) => { value: unknown } {
  const validate = (part === 'body' ? strict : coercing).compile(schema)
  const spellIds = idNormalizer(schema)
  return (value) => {
    // Bodies were looked at when they were parsed.
    if (part !== 'body') refuseUnstorableText(value)
    if (!validate(value)) throw validationFailure(validate, rules(value))
    if (part !== 'body') refuseInfinity(value as Record<string, unknown>)
    spellIds(value as Record<string, unknown>)
    return { value }
  }
}

/**
 * Gives ids the one spelling that the database has for them: what is compared, cached or revoked by an id never meets
 * another. Ids stand at the top of what is sent: the contract's test holds that.
 */
function idNormalizer(schema: TSchema) {
  const { properties = {} } = schema as { properties?: Record<string, { format?: string }> }
  const names = Object.keys(properties).filter((name) => properties[name]?.format === 'uuid')
  return (sent: Record<string, unknown>) => {
    for (const name of names) {
      const id = sent[name]
      if (typeof id === 'string') sent[name] = canonicalId(id)
    }
  }
}

/** `1e400` is coerced to Infinity, which passes every minimum and maximum: the library checks those of finite numbers. */
function refuseInfinity(values: Record<string, unknown>) {
  for (const [path, value] of Object.entries(values))
    if (typeof value === 'number' && !Number.isFinite(value)) throw invalidField(path, 'must be a finite number')
}

function validationFailure({ errors }: ValidateFunction, by_rules: FieldError[]) {
  const by_schema = (errors ?? []).map(fieldOf)
  const isKnown = ({ path }: FieldError) =>
    by_schema.some((known) => known.path === '' || path === known.path || path.startsWith(`${known.path}.`))
  const fields = [...by_schema, ...by_rules.filter((fault) => !isKnown(fault))].slice(0, fields_max)
  return new Failure('validation_failed', {}, { fields })
}

function fieldOf({ instancePath, keyword, params, message }: ErrorObject) {
  const path = instancePath.slice(1).replaceAll('/', '.')
  if (keyword === 'required') {
    const missing = (params as { missingProperty: string }).missingProperty
    return { path: path ? `${path}.${missing}` : missing, message: 'is required' }
  }
  if (keyword === 'enum') {
    const { allowedValues } = params as { allowedValues: unknown[] }
    return { path, message: `must be one of ${allowedValues.join(', ')}` }
  }
  if (keyword === 'type') {
    const { type } = params as { type: string | string[] }
    return { path, message: `must be ${[type].flat().join(' or ')}` }
  }
  const asked = keyword === 'pattern' ? requirementOf((params as { pattern: string }).pattern) : undefined
  if (asked !== undefined) return { path, message: `must ${asked}` }
  return { path, message: message ?? 'is not valid' }
}

/** Looks at every text, keys too, without recursion: a body may be nested deeper than the stack. */
export function refuseUnstorableText(sent: unknown) {
  if (isAllStorable(sent)) return
  const faults: FieldError[] = []
  const waiting: [value: unknown, path: string][] = [[sent, '']]
  for (let next = waiting.pop(); next && faults.length < fields_max; next = waiting.pop()) {
    const [value, path] = next
    if (typeof value === 'string') {
      if (!isStorable(value)) faults.push({ path, message: unstorable_error })
    } else if (typeof value === 'object' && value !== null) {
      // The last is looked at first: fields are named in the order in which they came.
      for (const [key, inner] of Object.entries(value).reverse())
        waiting.push([inner, path === '' ? key : `${path}.${key}`], [key, path])
    }
  }
  refuseFieldErrors(faults)
}

/** The same without paths, which cost more than the looking: nearly every text can be stored. */
function isAllStorable(sent: unknown) {
  const waiting = [sent]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') {
      if (!isStorable(value)) return false
    } else if (Array.isArray(value)) for (const inner of value) waiting.push(inner)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        if (!isStorable(key)) return false
        waiting.push(inner)
      }
  }
  return true
}
