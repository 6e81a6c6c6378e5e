import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { field_errors, fieldMessage } from '../../contract/field-errors.ts'
import { faultOf } from '../../contract/schema.ts'
import type { FieldError } from '../platform/failure.ts'
import { newAjv } from './ajv.ts'
import type { JsonSchema } from './json-schema.ts'

/** `is_size`: the value is too large, so its content was not checked. */
export type SchemaError = FieldError & { is_size: boolean }

interface Options {
  /** Texts are coerced to numbers and booleans, as in queries. */
  is_coerced: boolean
  errors_max: number
}

/**
 * The errors of a value, at most `errors_max`, found one by one, because a body can have thousands. The value itself is checked first,
 * starting with its size; its content is checked only if the value is valid.
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
  const errors = check(schema, value)
  if (errors.length > 0) yield* errors.map((error) => errorAt(path, error))
  else if (Array.isArray(value)) {
    const { items } = schema
    if (items) for (const [at, item] of value.entries()) yield* errorsIn(items, item, below(path, String(at)), check)
  } else if (typeof value === 'object' && value !== null)
    yield* errorsInFields(schema, value as Record<string, unknown>, path, check)
}

function* errorsInFields(schema: JsonSchema, fields: Record<string, unknown>, path: string, check: OwnCheck) {
  const { properties = {}, required = [], propertyNames, additionalProperties } = schema
  for (const name of required)
    if (fields[name] === undefined) yield { path: below(path, name), message: field_errors.required, is_size: false }
  for (const [name, inner] of Object.entries(properties))
    if (fields[name] !== undefined) yield* errorsIn(inner, fields[name], below(path, name), check)
  if (typeof additionalProperties !== 'object') return
  for (const [name, value] of Object.entries(fields)) {
    const [error] = propertyNames ? check(propertyNames, name) : []
    if (error) yield errorAt(below(path, name), error)
    else if (!Object.hasOwn(properties, name)) yield* errorsIn(additionalProperties, value, below(path, name), check)
  }
}

const below = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

const errorAt = (path: string, error: ErrorObject): SchemaError => ({
  path,
  message: messageOf(error),
  is_size: isOfSize(error),
})

const size_keywords = new Set(['maxItems', 'maxProperties', 'maxLength'])
const isOfSize = ({ keyword }: ErrorObject) => size_keywords.has(keyword)

/** Returns the errors of a value without its content; only the first if it is too large. */
type OwnCheck = (schema: JsonSchema, value: unknown) => ErrorObject[]

const strict = ownCheck(false)
const coercing = ownCheck(true)

function ownCheck(coerceTypes: boolean): OwnCheck {
  // Strict mode of Ajv would require the keywords that are omitted here. Ajv checks sizes before patterns and formats.
  // Each field has its own validators, so compiling must be cheap.
  const options = { coerceTypes, strict: false, code: { optimize: false } }
  const first = compiledBy(newAjv(options))
  const all = compiledBy(newAjv({ ...options, allErrors: true }))
  return (schema, value) => {
    const [error] = errorsBy(first(schema), value)
    if (error === undefined) return []
    return isOfSize(error) ? [error] : errorsBy(all(schema), value)
  }
}

const errorsBy = (validate: ValidateFunction, value: unknown) => (validate(value) ? [] : (validate.errors ?? []))

function compiledBy(ajv: ReturnType<typeof newAjv>) {
  const compiled = new WeakMap<JsonSchema, ValidateFunction>()
  return (schema: JsonSchema) => {
    const validate = compiled.get(schema) ?? ajv.compile(ownPart(schema))
    compiled.set(schema, validate)
    return validate
  }
}

const keywords_of_contents = new Set(['properties', 'required', 'items', 'additionalProperties', 'propertyNames'])
const ownPart = (schema: JsonSchema) =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords_of_contents.has(keyword)))

function messageOf({ keyword, params, message }: ErrorObject) {
  if (keyword === 'enum')
    return fieldMessage(['one_of', { values: (params as { allowedValues: unknown[] }).allowedValues.join(', ') }])
  if (keyword === 'type') return `must be ${[(params as { type: string | string[] }).type].flat().join(' or ')}`
  const fault = keyword === 'pattern' ? faultOf((params as { pattern: string }).pattern) : undefined
  return fault === undefined ? message! : fieldMessage(fault)
}
