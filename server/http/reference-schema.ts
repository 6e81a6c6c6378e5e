import { decisions, type Decision } from '../../contract/decisions.ts'
import { typesOf } from './schema-example.ts'
import { html, prose, wrapAfter, type Html } from './html.ts'
import type { Parameter } from './openapi.ts'
import type { JsonSchema } from './json-schema.ts'

interface Field {
  name: string
  schema: JsonSchema
  required: boolean
  depth: number
}

/** A request table marks required fields, a response table optional ones. */
type Direction = 'request' | 'response'

/** The fields of a body as a table, inner objects indented below their field. */
export function bodyTable(schema: JsonSchema, direction: Direction): Html {
  const fields = fieldsOf(schema, 0)
  if (fields.length === 0) return html`<p class="quiet">An empty object.</p>`
  const list = typesOf(schema)[0] === 'array' && html`<p class="quiet">A list; each item has these fields.</p>`
  return html`${list}${table(fields, direction)}`
}

export const parameterTable = (parameters: readonly Parameter[]): Html =>
  table(
    parameters.map(({ name, schema, required }) => ({ name, schema, required, depth: 0 })),
    'request',
  )

function fieldsOf(schema: JsonSchema, depth: number): Field[] {
  const { properties = {}, required = [], items } = schema
  if (items) return fieldsOf(items, depth)
  return Object.entries(properties).flatMap(([name, inner]) => [
    { name, schema: inner, required: required.includes(name), depth },
    ...fieldsOf(inner, depth + 1),
  ])
}

const table = (fields: readonly Field[], direction: Direction) =>
  html`<div class="scroll">
    <table class="fields">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">Rules</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map((field) => row(field, direction))}
      </tbody>
    </table>
  </div>`

function row({ name, schema, required, depth }: Field, direction: Direction): Html {
  const { description } = schema
  const rules = rulesOf(schema).map((rule, at) => html`${at > 0 && ', '}${rule}`)
  return html`<tr>
    <td class="d${Math.min(depth, 4)}">
      <code class="name">${wrapAfter('_', name)}</code>${presence(required, direction)}
    </td>
    <td>${typeName(schema)}</td>
    <td>
      ${rules}${typeof description === 'string' && html` ${prose(description)}`}${decisionMark(schema['x-decision'])}
    </td>
  </tr> `
}

function presence(required: boolean, direction: Direction) {
  if (direction === 'response') return !required && html` <span class="optional">may be absent</span>`
  return required ? html` <span class="required">required</span>` : html` <span class="optional">optional</span>`
}

/** What a schema allows, in words: `list of string`, `integer or null`. */
function typeName(schema: JsonSchema): string {
  const words = typesOf(schema).map((type) => {
    if (type === 'array') return schema.items ? `list of ${typeName(schema.items)}` : 'list'
    const inner = type === 'object' && schema.additionalProperties
    if (typeof inner === 'object') return `object of ${typeName(inner)}`
    return type === 'string' && typeof schema.format === 'string' ? schema.format : type
  })
  return words.length > 0 ? words.join(' or ') : 'anything'
}

function rulesOf(schema: JsonSchema): Html[] {
  const own: (Html | undefined)[] = [
    Array.isArray(schema.enum) ? html`${listed(schema.enum)}` : undefined,
    schema.const === undefined ? undefined : html`always <code>${literal(schema.const)}</code>`,
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'item'),
    range(undefined, schema.maxProperties, 'key'),
    range(schema.minimum, schema.maximum),
    typeof schema.pattern === 'string' ? html`matches <code class="pattern">${schema.pattern}</code>` : undefined,
    schema.default === undefined ? undefined : html`default <code>${literal(schema.default)}</code>`,
  ]
  const inner = schema.items && !schema.items.properties ? rulesOf(schema.items).map((rule) => html`each: ${rule}`) : []
  return [...own.filter((rule) => rule !== undefined), ...inner]
}

const listed = (words: readonly unknown[]) =>
  words.map((word, at) => html`${at > 0 && ' · '}<code>${literal(word)}</code>`)

const literal = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function range(min: unknown, max: unknown, unit?: string): Html | undefined {
  const [low, high] = [min, max].map((bound) => (typeof bound === 'number' ? bound : undefined))
  if (high === undefined && (low ?? 0) === 0) return undefined
  const units = unit && ` ${unit}${(high ?? low) === 1 ? '' : 's'}`
  if (high === undefined) return html`at least ${group(low)}${units}`
  return (low ?? 0) === 0 && unit ? html`up to ${group(high)}${units}` : html`${group(low)}–${group(high)}${units}`
}

/** Digits in groups of three, kept together by no-break spaces. */
const group = (number = 0) => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f')

/** The id of a decision as a link to its text below, with the text as title. */
export function decisionMark(id: unknown): Html | undefined {
  if (typeof id !== 'string') return undefined
  const { gap, choice } = (decisions as Record<string, Decision>)[id] ?? { gap: '', choice: '' }
  return html` <a class="decision" href="#${id}" title="${`${gap} ${choice}`.replaceAll('`', '')}">${id}</a>`
}
