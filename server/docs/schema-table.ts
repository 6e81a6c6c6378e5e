import { decision_texts, type DecisionText } from '../../contract/decision-texts.ts'
import { html, prose, wrapAfter, type Html } from '../http/html.ts'
import type { JsonSchema } from '../http/json-schema.ts'
import type { Parameter } from '../http/openapi-parameters.ts'
import { typesOf } from '../http/schema-example.ts'

interface Field {
  name: string
  schema: JsonSchema
  required: boolean
  depth: number
  /** The description of a parameter; it is outside its schema. */
  description?: string | undefined
}

/** A list for a request marks required fields, one for a response optional ones. */
type Direction = 'request' | 'response'

/** The fields of a body, inner objects indented below their field; alternatives one after the other. */
export function bodyTable(schema: JsonSchema, direction: Direction): Html {
  const alternatives = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined
  if (alternatives && !schema.properties)
    return html`${alternatives.map(
      (each, at) =>
        html`<p class="alternative">${typeof each.title === 'string' ? each.title : `Form ${at + 1}`}</p>
          ${typeof each.description === 'string' && html`<p class="quiet">${prose(each.description)}</p>`}
          ${bodyTable(each, direction)}`,
    )}`
  const fields = fieldsOf(schema, 0)
  const [type] = typesOf(schema)
  if (fields.length === 0 && type !== 'object' && type !== undefined)
    return html`<p class="quiet">${typeName(schema)}.</p>`
  if (fields.length === 0) return html`<p class="quiet">An empty object.</p>`
  const list = type === 'array' && html`<p class="quiet">A list; each item has these fields.</p>`
  return html`${list}${fieldList(fields, direction)}`
}

export const parameterTable = (parameters: readonly Parameter[]): Html =>
  fieldList(
    parameters.map((parameter) => ({ ...parameter, depth: 0 })),
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

const fieldList = (fields: readonly Field[], direction: Direction) =>
  html`<ul class="fields">
    ${fields.map((field) => row(field, direction))}
  </ul>`

function row(
  { name, schema, required, depth, description = textOf(schema.description) }: Field,
  direction: Direction,
): Html {
  const rules = rulesOf(schema).map((rule, at) => html`${at > 0 && ', '}${rule}`)
  const mark = decisionMark(schema['x-decision'])
  return html`<li class="d${Math.min(depth, 4)}">
    <p>
      <code class="name">${wrapAfter('_', name)}</code>
      <span class="type">${typeName(schema)}</span>${presence(required, direction)}${mark}
    </p>
    ${description !== undefined && html`<p>${prose(description)}</p>`}
    ${rules.length > 0 && html`<p class="rules">${rules}</p>`}
  </li> `
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

function presence(required: boolean, direction: Direction) {
  if (direction === 'response') return !required && html` <span class="optional">may be absent</span>`
  return required && html` <span class="required">required</span>`
}

/** The type of a schema in words: `list of string`, `integer or null`. */
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
    typeof schema['x-read-as'] === 'string' ? html`others read it: a visible character` : undefined,
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

/** A link to the entry of the register that explains a field; its title is the entry's question. */
export function decisionMark(id: unknown): Html | undefined {
  if (typeof id !== 'string') return undefined
  const { gap } = (decision_texts as Record<string, DecisionText>)[id] ?? { gap: '' }
  const question = gap.replaceAll('`', '')
  return html` <a class="why" href="/docs/decisions#${id}" title="${question}" aria-label="Why: ${question}">why</a>`
}
