import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { decisions } from '../../contract/decisions.ts'
import { Failure, fieldErrors, invalidField, refuseFieldErrors, type FieldError } from '../platform/failure.ts'
import { canonicalId } from '../platform/ids.ts'
import { isStorable } from '../platform/text.ts'
import { newAjv } from './ajv.ts'
import type { JsonSchema } from './json-schema.ts'
import { schemaErrors, type SchemaError } from './schema-errors.ts'

const { field_errors_max } = decisions.request_bounds

/** Stops at the first error; if a request fails, `schemaErrors` finds the others. Types are coerced outside bodies. */
const strict = newAjv({ coerceTypes: false, useDefaults: true, strict: true })
const coercing = newAjv({ coerceTypes: true, useDefaults: true, strict: true })

export type RequestPart = 'body' | 'querystring' | 'params' | 'headers'

/** The errors of the domain's rules, for a body of any shape. */
export type BodyRules = (body: unknown) => FieldError[]

/**
 * Checks one part of a request; throws `validation_failed` with the field errors of the schema and of the `rules`. If the schema passes,
 * the service checks the rules itself. The schema is compiled at the first request: compiling all schemas and serialisers at the start
 * would take 0.6 s of processor time. `schemas.test.ts` compiles them all.
 */
export function compileCheck(
  schema: TSchema,
  part: RequestPart,
  rules: BodyRules = () => [],
): (value: unknown) => { value: unknown } {
  let compiled: ValidateFunction | undefined
  const normalizeIds = idNormalizer(schema)
  // Bodies are checked when they are parsed, and Node refuses a header that contains NUL.
  const is_of_url = part === 'querystring' || part === 'params'
  return (value) => {
    if (is_of_url) refuseUnstorableText(value)
    const validate = (compiled ??= (part === 'body' ? strict : coercing).compile(schema))
    if (!validate(value)) throw validationFailure(schema, part, value, rules)
    if (is_of_url) refuseInfinity(value as Record<string, unknown>)
    normalizeIds(value as Record<string, unknown>)
    return { value }
  }
}

/**
 * Normalises ids to the database's form, because ids are compared, cached and revoked as text. A contract test checks that ids are
 * top-level fields of a request.
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
    if (typeof value === 'number' && !Number.isFinite(value)) throw invalidField(path, 'finite')
}

/**
 * The errors of the schema, then those of the rules in other fields. The rules do not check fields that exceed their schema's size, and
 * are skipped if there are already enough errors.
 */
function validationFailure(schema: TSchema, part: RequestPart, value: unknown, rules: BodyRules) {
  const by_schema = schemaErrors(schema as JsonSchema, value, {
    is_coerced: part !== 'body',
    errors_max: field_errors_max,
  })
  const isKnown = ({ path }: FieldError) =>
    by_schema.some((known) => known.path === '' || path === known.path || path.startsWith(`${known.path}.`))
  const is_enough = by_schema.length >= field_errors_max || by_schema.some(({ path }) => path === '')
  const by_rules = is_enough ? [] : rules(withoutLarge(value, by_schema)).filter((error) => !isKnown(error))
  const fields = [...by_schema, ...by_rules].slice(0, field_errors_max).map(({ path, message }) => ({ path, message }))
  return new Failure('validation_failed', {}, { fields })
}

/** The body without fields that are too large. */
function withoutLarge(body: unknown, errors: SchemaError[]) {
  const large = new Set(errors.filter(({ is_size }) => is_size).map(({ path }) => path.split('.', 1)[0]))
  return large.size === 0
    ? body
    : Object.fromEntries(Object.entries(body as object).filter(([name]) => !large.has(name)))
}

/** Refuses text, in values or keys, that PostgreSQL cannot store. Iterative, because a body may be nested deeper than the stack. */
export function refuseUnstorableText(sent: unknown) {
  if (isAllStorable(sent)) return
  const errors: FieldError[] = []
  const stack: [value: unknown, path: string][] = [[sent, '']]
  for (let next = stack.pop(); next && errors.length < field_errors_max; next = stack.pop()) {
    const [value, path] = next
    if (typeof value === 'string') {
      errors.push(...fieldErrors(path, !isStorable(value) && 'unstorable'))
    } else if (typeof value === 'object' && value !== null) {
      // Reversed, because the stack pops the last entry first: errors keep the order of the fields.
      for (const [key, inner] of Object.entries(value).reverse())
        stack.push([inner, path === '' ? key : `${path}.${key}`], [key, path])
    }
  }
  refuseFieldErrors(errors)
}

/** The same check without paths, which cost more than the check itself. Almost every text passes. */
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
