import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import type { FieldMessage } from '../../contract/field-errors.ts'
import { requirementOf } from '../../contract/schema.ts'
import type { FieldError } from '../platform/failure.ts'
import { newAjv } from './ajv.ts'
import type { JsonSchema } from './json-schema.ts'

/** `is_size`: the value is larger than it may be, so that nothing in it was looked at. */
export type SchemaError = FieldError & { is_size: boolean }

interface Options {
  /** Texts count as the number or boolean that they spell, as in queries. */
  is_coerced: boolean
  errors_max: number
}

/**
 * The errors of a value, at most `errors_max`: made one by one, since a body can hold thousands. A value is checked by itself, its size
 * first, and has one error; what it holds is looked at where it has none.
 */
export function schemaErrors(schema: JsonSchema, value: unknown, { is_coerced, errors_max }: Options): SchemaError[] {
  const errors: SchemaError[] = []
  for (const error of errorsIn(schema, value, '', is_coerced ? coercing : strict)) {
    errors.push(error)
    if (errors.length === errors_max) break
  }
  return errors
}

function* errorsIn(schema: JsonSchema, value: unknown, path: string, check: OwnCheck): Generator<SchemaError> {
  const error = check(schema, value)
  if (error) yield { path, message: messageOf(error), is_size: size_keywords.has(error.keyword) }
  else if (Array.isArray(value)) {
    const { items } = schema
    if (items) for (const [at, item] of value.entries()) yield* errorsIn(items, item, below(path, String(at)), check)
  } else if (typeof value === 'object' && value !== null)
    yield* errorsInFields(schema, value as Record<string, unknown>, path, check)
}

function* errorsInFields(schema: JsonSchema, fields: Record<string, unknown>, path: string, check: OwnCheck) {
  const { properties = {}, required = [], propertyNames, additionalProperties } = schema
  for (const name of required)
    if (fields[name] === undefined) yield { path: below(path, name), message: 'is required' as const, is_size: false }
  for (const [name, inner] of Object.entries(properties))
    if (fields[name] !== undefined) yield* errorsIn(inner, fields[name], below(path, name), check)
  if (typeof additionalProperties !== 'object') return
  for (const [name, value] of Object.entries(fields)) {
    const error = propertyNames && check(propertyNames, name)
    if (error) yield { path: below(path, name), message: messageOf(error), is_size: false }
    else if (!Object.hasOwn(properties, name)) yield* errorsIn(additionalProperties, value, below(path, name), check)
  }
}

const below = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

/** The keywords of sizes. Ajv checks them before the pattern and the format of a value. */
const size_keywords = new Set(['maxItems', 'maxProperties', 'maxLength'])

/** The first error of a value by itself, whatever it holds. */
type OwnCheck = (schema: JsonSchema, value: unknown) => ErrorObject | undefined

const strict = ownCheck(false)
const coercing = ownCheck(true)

function ownCheck(coerceTypes: boolean): OwnCheck {
  // Ajv's strict mode wants the keywords that are left out here beside those that are not.
  const ajv = newAjv({ coerceTypes, strict: false })
  const compiled = new WeakMap<JsonSchema, ValidateFunction>()
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile(ownPart(schema))
    compiled.set(schema, validate)
    // Where none of several schemas matches, the last error says that.
    return validate(value) ? undefined : validate.errors?.at(-1)
  }
}

const keywords_of_contents = new Set(['properties', 'required', 'items', 'additionalProperties', 'propertyNames'])
const ownPart = (schema: JsonSchema) =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords_of_contents.has(keyword)))

function messageOf({ keyword, params, message }: ErrorObject): FieldMessage {
  if (keyword === 'enum') return `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`
  if (keyword === 'type')
    return `must be ${[(params as { type: string | string[] }).type].flat().join(' or ')}` as FieldMessage
  const requirement = keyword === 'pattern' ? requirementOf((params as { pattern: string }).pattern) : undefined
  return requirement === undefined ? (message as FieldMessage) : `must ${requirement}`
}
