/** The parts of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  const?: unknown
  enum?: readonly unknown[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  oneOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  allOf?: readonly Schema[]
}

const width = 116

const words: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  array: 'unknown[]',
}

/** Generates TypeScript types of JSON Schemas, and collects the names that they refer to. */
export class TypePrinter {
  readonly references = new Set<string>()
  /** True if optional fields may also be undefined, which a request leaves out. */
  private readonly of_input: boolean
  constructor({ of_input = false } = {}) {
    this.of_input = of_input
  }

  /** The type of a schema. Its lines after the first are indented by this many spaces. */
  typeOf(schema: Schema, indent = 0): string {
    const { $ref, oneOf, anyOf, allOf } = schema
    if ($ref !== undefined) return this.referenceTo($ref)
    if ('const' in schema) return literal(schema.const)
    if (schema.enum) return union(schema.enum.map(literal))
    const choices = oneOf ?? anyOf
    if (choices) return union(choices.map((choice) => this.typeOf(withFields(choice, schema), indent)))
    if (allOf) return allOf.map((part) => this.typeOf(part, indent)).join(' & ')
    const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? (schema.properties && ['object']))
    return types ? union(types.map((type) => this.typeOfKind(type, schema, indent))) : 'unknown'
  }

  private referenceTo(reference: string) {
    const name = reference.split('/').at(-1) ?? ''
    if (!reference.startsWith('#/components/schemas/')) throw new Error(`there is no type at ${reference}`)
    this.references.add(name)
    return name
  }

  private typeOfKind(type: string, schema: Schema, indent: number): string {
    if (type === 'object') return this.objectType(schema, indent)
    if (type === 'array' && schema.items) {
      const item = this.typeOf(schema.items, indent)
      return /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
    }
    const word = words[type]
    if (word === undefined) throw new Error(`no type is known for ${type}`)
    return word
  }

  private objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: number): string {
    const fields = Object.entries(properties).map(([name, schema]) => {
      const is_required = required.includes(name)
      const undefined_too = !is_required && this.of_input ? ' | undefined' : ''
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
      return {
        comment: schema.description === undefined ? undefined : docComment([schema.description], indent + 2),
        text: `${key}${is_required ? '' : '?'}: ${this.typeOf(schema, indent + 2)}${undefined_too}`,
      }
    })
    if (typeof additionalProperties === 'object') {
      const value = this.typeOf(additionalProperties, indent + 2)
      if (fields.length === 0) return `Record<string, ${value}>`
      fields.push({ comment: undefined, text: `[name: string]: ${value}` })
    } else if (additionalProperties === true) {
      if (fields.length === 0) return 'Record<string, unknown>'
      fields.push({ comment: undefined, text: '[name: string]: unknown' })
    }
    if (fields.length === 0) return 'Record<string, never>'
    const line = `{ ${fields.map(({ text }) => text).join('; ')} }`
    const is_plain = fields.every(({ comment, text }) => comment === undefined && !text.includes('\n'))
    if (is_plain && indent + line.length < width - 30) return line
    const inner = ' '.repeat(indent + 2)
    const lines = fields.map(({ comment = '', text }) => `${comment}${inner}${text}\n`)
    return `{\n${lines.join('')}${' '.repeat(indent)}}`
  }
}

/** A union, with the fields that all members share. */
const withFields = (choice: Schema, { properties, required = [] }: Schema): Schema =>
  properties && choice.properties
    ? {
        ...choice,
        properties: { ...properties, ...choice.properties },
        required: [...required, ...(choice.required ?? [])],
      }
    : choice

const union = (types: readonly string[]) => [...new Set(types)].join(' | ')

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)

/** A comment of these paragraphs, each wrapped. Ends with a line feed. */
export function docComment(paragraphs: readonly string[], indent: number): string {
  const pad = ' '.repeat(indent)
  const safe = paragraphs.map((text) => text.replaceAll('*/', '* /'))
  const [first = ''] = safe
  if (safe.length === 1 && indent + first.length < width - 8) return `${pad}/** ${first} */\n`
  const lines = safe.flatMap((text, at) => [...(at > 0 ? [''] : []), ...wrapped(text, width - indent - 3)])
  return `${pad}/**\n${lines.map((line) => `${pad} *${line && ` ${line}`}\n`).join('')}${pad} */\n`
}

function wrapped(text: string, length: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < length) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
