import type { TSchema } from 'typebox'
import type { JsonSchema } from './json-schema.ts'

/** Schemas by their names in the document. */
export type Resources = Readonly<Record<string, TSchema>>

/** Schemas that extend another one: the name of the extended schema by their own name. */
export type Extensions = Readonly<Record<string, string>>

export interface Reference {
  $ref: string
  description?: string
}

export const referenceTo = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })

/** Keywords that a schema may have beside a reference to an otherwise equal schema. */
const annotations = ['description', 'x-decision', 'default'] as const

type Named = ReadonlyMap<string, { name: string; schema: JsonSchema }>

/** Replaces named schemas by references, in any part of the document. */
export class SchemaNames {
  private readonly named: Named
  private readonly extended: Extensions
  private readonly resources: [name: string, schema: JsonSchema][]

  constructor(resources: Resources, extended: Extensions) {
    this.extended = extended
    // typebox adds non-JSON properties to schemas; serialising drops them.
    this.resources = Object.entries(JSON.parse(JSON.stringify(resources)) as Record<string, JsonSchema>)
    this.named = new Map(this.resources.map(([name, schema]) => [keyOf(schema), { name, schema }]))
  }

  /** The named schemas, which refer to each other. */
  schemas(): Record<string, JsonSchema> {
    return Object.fromEntries(this.resources.map(([name, schema]) => [name, this.written(name, schema)]))
  }

  /** A schema that extends another one refers to that and adds its own fields. */
  private written(name: string, schema: JsonSchema): JsonSchema {
    const base = this.extended[name]
    const [, base_schema] = this.resources.find(([each]) => each === base) ?? []
    if (base === undefined || base_schema === undefined) return this.inside(schema)
    const { type, required = [], properties = {}, ...others } = schema
    const known = base_schema.properties ?? {}
    for (const [field, known_field] of Object.entries(known))
      if (JSON.stringify(properties[field]) !== JSON.stringify(known_field))
        throw new Error(`${name} does not extend ${base}: ${field} is another one`)
    const added = {
      type,
      required: required.filter((field) => !(field in known)),
      properties: Object.fromEntries(Object.entries(properties).filter(([field]) => !(field in known))),
    }
    return { allOf: [referenceTo('schemas', base), this.inside(added)], ...others } as JsonSchema
  }

  /** The value with references in place of every schema that has a name. */
  refer<Value>(value: Value): Value {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item: unknown) => this.refer(item)) as Value
    return (this.referenceOf(value as JsonSchema) ?? this.inside(value)) as Value
  }

  private inside<Part extends object>(part: Part): Part {
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [key, isValue(key) ? inner : this.refer<unknown>(inner)]),
    ) as Part
  }

  private referenceOf(schema: JsonSchema): JsonSchema | undefined {
    const found = this.named.get(keyOf(schema))
    if (found) return { ...referenceTo('schemas', found.name), ...annotationsBeside(schema, found.schema) }
    const other = isNullable(schema) ? this.named.get(keyOf(withoutNull(schema))) : undefined
    if (!other) return undefined
    const either = { anyOf: [referenceTo('schemas', other.name), { type: 'null' }] }
    return { ...either, ...annotationsBeside(schema, other.schema) } as JsonSchema
  }
}

/** Examples contain data, not schemas. */
const isValue = (key: string) => ['example', 'examples', 'enum', 'required', 'default'].includes(key)

/** Schemas with the same key differ only in annotations. Only objects and enumerations have names. */
function keyOf(schema: JsonSchema) {
  if (!('properties' in schema || 'enum' in schema)) return ''
  const others = Object.entries(schema).filter(([key]) => !(annotations as readonly string[]).includes(key))
  return JSON.stringify(Object.fromEntries(others))
}

const annotationsBeside = (schema: JsonSchema, named: JsonSchema) =>
  Object.fromEntries(
    annotations
      .filter((key) => schema[key] !== undefined && schema[key] !== named[key])
      .map((key) => [key, schema[key]]),
  )

const isNullable = ({ type }: JsonSchema) => Array.isArray(type) && type.includes('null')

function withoutNull({ type, enum: words, ...others }: JsonSchema): JsonSchema {
  const types = [type ?? []].flat().filter((each) => each !== 'null')
  const known = Array.isArray(words) ? words.filter((word) => word !== null) : undefined
  return { type: types.length === 1 ? types[0]! : types, ...(known && { enum: known }), ...others }
}
