import { field_examples, usually_null } from '../../contract/examples.ts'
import { isId } from '../../contract/schema.ts'
import type { JsonSchema } from './json-schema.ts'

const by_format: Record<string, string> = {
  uuid: '0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f',
  'date-time': '2026-01-31T12:00:00.000Z',
  email: 'ada@example.org',
  uri: 'https://plaza.example',
}

/** An example value for a schema: the one registered for the field's name if it is valid, otherwise one of its type. */
export function exampleOf(schema: JsonSchema, name = ''): unknown {
  const fixed = [schema, ...(schema.anyOf ?? [])].find((one) => one.const !== undefined)
  if (fixed) return fixed.const
  if (usually_null.includes(name) && typesOf(schema).includes('null')) return null
  const known = Object.hasOwn(field_examples, name) ? field_examples[name] : undefined
  if (known !== undefined && fits(known, schema)) return known
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  switch (typesOf(schema)[0]) {
    case 'object':
      return exampleObject(schema)
    case 'array':
      return schema.items ? [exampleOf(schema.items)] : []
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'number':
      return 1.5
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return by_format[String(schema.format)] ?? name.replaceAll('_', ' ')
  }
}

/** The types a schema allows, `null` last. */
export const typesOf = ({ type }: JsonSchema): string[] =>
  [type ?? []].flat().sort((a, b) => Number(a === 'null') - Number(b === 'null'))

const exampleObject = ({ properties = {} }: JsonSchema) =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, name)]))

function fits(value: unknown, schema: JsonSchema): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value)
  const types = typesOf(schema)
  if (value === null) return types.includes('null')
  if (Array.isArray(value)) return types.includes('array') && value.every((item) => fits(item, schema.items ?? {}))
  if (typeof value === 'number')
    return types.includes('number') || (Number.isInteger(value) && types.includes('integer'))
  if (schema.format === 'uuid') return typeof value === 'string' && isId(value)
  return types.includes(typeof value)
}
