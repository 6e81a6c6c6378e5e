import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { TSchema } from 'typebox'
import type { FieldMessage } from '../../contract/field-errors.ts'
import { email_max, requirementOf, uuid_format } from '../../contract/schema.ts'
import { Failure, invalidField, refuseFieldErrors, type FieldError } from '../platform/failure.ts'
import { canonicalId } from '../platform/ids.ts'
import { isStorable, unstorable_error } from '../platform/text.ts'

const fields_max = 20

/** RFC 5321 §4.5.3.1, RFC 1035 §2.3.4. An address that is too long as a whole has that error only. */
function hasMailLengths(address: string) {
  const [local_part = '', domain = ''] = address.split('@')
  const labels = domain.split('.')
  return address.length > email_max || (local_part.length <= 64 && labels.every(({ length }) => length <= 63))
}

function newAjv(coerceTypes: boolean) {
  const ajv = new Ajv2020({ coerceTypes, useDefaults: true, removeAdditional: false, allErrors: true, strict: true })
  addFormats.default(ajv, ['date-time', 'email', 'uri'])
  const isAddress = ajv.formats.email as RegExp
  ajv.addFormat('email', (text) => isAddress.test(text) && hasMailLengths(text))
  // The uuid format of ajv-formats accepts `urn:uuid:`, which PostgreSQL refuses.
  ajv.addFormat('uuid', uuid_format)
  ajv.addKeyword('x-decision')
  return ajv
}

/** Types are coerced in queries, paths and headers, and not in bodies. */
const strict = newAjv(false)
const coercing = newAjv(true)

export type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

/** Field errors by the rules of the domain, for a body of any shape. */
export type BodyRules = (body: unknown) => FieldError[]

/**
 * The check of one part of a request: it throws `validation_failed` with the field errors of the schema and of the `rules`. When the
 * schema passes, the service checks the rules itself. The schema is compiled for the first request: all of them, and the
 * serialisers, cost each start 0.6 s of processor time. `schemas.test.ts` compiles them.
 */
export function compileCheck(
  schema: TSchema,
  part: RequestPart,
  rules: BodyRules = () => [],
): (value: unknown) => { value: unknown } {
  let compiled: ValidateFunction | undefined
  const normalizeIds = idNormalizer(schema)
  return (value) => {
    // Bodies are checked when they are parsed.
    if (part !== 'body') refuseUnstorableText(value)
    const validate = (compiled ??= (part === 'body' ? strict : coercing).compile(schema))
    if (!validate(value)) throw validationFailure(validate, rules(value))
    if (part !== 'body') refuseInfinity(value as Record<string, unknown>)
    normalizeIds(value as Record<string, unknown>)
    return { value }
  }
}

/**
 * Normalises ids to the database's spelling, since ids are compared, cached and revoked as text. Ids are top-level fields of
 * a request: a test of the contract checks that.
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

/** `1e400` is coerced to Infinity, which Ajv lets pass any minimum and maximum. */
function refuseInfinity(values: Record<string, unknown>) {
  for (const [path, value] of Object.entries(values))
    if (typeof value === 'number' && !Number.isFinite(value)) throw invalidField(path, 'must be a finite number')
}

function validationFailure({ errors }: ValidateFunction, by_rules: FieldError[]) {
  const by_schema = (errors ?? []).map(fieldOf)
  const isKnown = ({ path }: FieldError) =>
    by_schema.some((known) => known.path === '' || path === known.path || path.startsWith(`${known.path}.`))
  const fields = [...by_schema, ...by_rules.filter((error) => !isKnown(error))].slice(0, fields_max)
  return new Failure('validation_failed', {}, { fields })
}

function fieldOf({ instancePath, keyword, params, message }: ErrorObject): FieldError {
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
    return { path, message: `must be ${[type].flat().join(' or ')}` as FieldMessage }
  }
  const requirement = keyword === 'pattern' ? requirementOf((params as { pattern: string }).pattern) : undefined
  if (requirement !== undefined) return { path, message: `must ${requirement}` }
  return { path, message: message as FieldMessage }
}

/** Refuses text, in values or keys, that PostgreSQL cannot store. Iterative, since a body may be nested deeper than the stack. */
export function refuseUnstorableText(sent: unknown) {
  if (isAllStorable(sent)) return
  const errors: FieldError[] = []
  const stack: [value: unknown, path: string][] = [[sent, '']]
  for (let next = stack.pop(); next && errors.length < fields_max; next = stack.pop()) {
    const [value, path] = next
    if (typeof value === 'string') {
      if (!isStorable(value)) errors.push({ path, message: unstorable_error })
    } else if (typeof value === 'object' && value !== null) {
      // Reversed, because the stack pops the last entry first: errors keep the order of the fields.
      for (const [key, inner] of Object.entries(value).reverse())
        stack.push([inner, path === '' ? key : `${path}.${key}`], [key, path])
    }
  }
  refuseFieldErrors(errors)
}

/** The same check without paths, which cost more than the check itself; nearly every text passes. */
function isAllStorable(sent: unknown) {
  const stack = [sent]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value === 'string') {
      if (!isStorable(value)) return false
    } else if (Array.isArray(value)) for (const inner of value) stack.push(inner)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        if (!isStorable(key)) return false
        stack.push(inner)
      }
  }
  return true
}
