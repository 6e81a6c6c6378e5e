import { Type, type TObject, type TOptional, type TSchema } from 'typebox'
import type { FieldFault } from './field-errors.ts'
import type { ReadAs } from './read-texts.ts'

/** A UUID as text. New ids are UUIDv7 (D-07). */
/** The spelling of an id, in any case, as a part of a pattern. */
export const uuid_pattern = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'

/** The format `uuid`: any version, as PostgreSQL accepts it. */
export const uuid_format = new RegExp(`^${uuid_pattern}$`)

export const isId = (text: string) => uuid_format.test(text)

export const uuid = Type.String({ format: 'uuid' })

/** A time: a `Date` inside the service, ISO 8601 in UTC with `Z` in JSON (D-07). */
export const date_time = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

/** A time in a query or body: the text as it was sent. */
export const moment = Type.String({ format: 'date-time' })

/** A time or null; the key is always present. */
export const nullable_date_time = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' })

/**
 * Maximum length of an address (RFC 5321 §4.5.3.1.3, without the brackets of a path); the part before the @ has at most
 * 64 characters.
 */
export const email_max = 254
export const email_local_max = 64
export const email = Type.String({ format: 'email', maxLength: email_max })
export const text = Type.String()
export const nullable_text = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const nullable_integer = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
export const nullable_uuid = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' })
export const boolean = Type.Boolean()
export const integer = Type.Integer()

/** Text of `min` to `max` Unicode code points (D-08). */
export const bounded_text = (min: number, max: number) => Type.String({ minLength: min, maxLength: max })

const fault_by_pattern = new Map<string, FieldFault>()

/** The fault of a text that does not match this pattern. */
export const faultOf = (pattern: string) => fault_by_pattern.get(pattern)

/** Text that matches a pattern; any other text is refused with this fault. */
export function patterned_text(pattern: string, fault: FieldFault, bounds: { maxLength?: number } = {}) {
  fault_by_pattern.set(pattern, fault)
  return Type.String({ pattern, ...bounds })
}

/** The form of an IANA time zone name; the service checks that the zone exists. */
export const time_zone_name = patterned_text('^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$', 'time_zone', {
  maxLength: 64,
})

// Texts that other people read: `x-read-as` makes the service check them with `readTextError` (D-124).

const readAs = (read_as: ReadAs, bounds: { minLength?: number; maxLength: number }) =>
  Type.String({ ...bounds, 'x-read-as': read_as, 'x-decision': 'D-124' })

/** A text that other people read; it may be empty if `min` is 0. */
export const read_text = (min: number, max: number) => readAs('text', { minLength: min, maxLength: max })
/** A name that other people read; it may be empty if `min` is 0. */
export const read_name = (min: number, max: number) => readAs('name', { minLength: min, maxLength: max })
/** A text that other people read and that is never blank. */
export const display_text = (max: number) => readAs('text', { maxLength: max })
/** A name that other people read and that is never blank. */
export const display_name = (max: number) => readAs('name', { maxLength: max })

/** One of a few fixed words, as a JSON Schema `enum`. */
export const one_of = <const Words extends readonly string[]>(words: Words) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words] })

/** Exactly this word. */
export const constant = <const Word extends string>(word: Word) => Type.Unsafe<Word>({ type: 'string', const: word })

/** Marks a field or object with a decision; OpenAPI shows it as `x-decision`. */
export const decided = <Schema extends TSchema>(id: DecisionMark, schema: Schema): Schema => ({
  ...schema,
  'x-decision': id,
})
export type DecisionMark = `D-${number}`

/**
 * Describes a field or object for the document: its unit, when it is null, who sees it, and bounds that the schema
 * cannot express. A test checks that everything in requests and responses has a description.
 */
export const described = <Schema extends TSchema>(description: string, schema: Schema): Schema => ({
  ...schema,
  description,
})

/** The order of a list: one of its fields, with `-` for descending; the first is the default. */
export const sorted_by = <const Names extends readonly string[]>(names: Names) =>
  Type.Optional(described(`The order, by default \`${names[0]}\`; \`-\` means descending`, one_of(names)))

/** An object with optional fields only. */
export const partial = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(
    Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])) as {
      [Name in keyof Fields]: TOptional<Fields[Name]>
    },
  )

export const rows_of = <Row extends TSchema>(row: Row) =>
  described('The rows of this page; empty if there are none', Type.Array(row))

/** A page of a list: the rows and the cursor of the next page, null on the last one (D-81). */
export const page_of = <Row extends TSchema>(row: Row) =>
  Type.Object({
    data: rows_of(row),
    next_cursor: described('The `cursor` of the next page; null on the last page', nullable_text),
  })

export const page_limit = described('Maximum rows of a page', Type.Integer({ minimum: 1, maximum: 100, default: 50 }))
export const page_cursor = described(
  'The `next_cursor` of the previous page, with the same filters; by default the first page',
  Type.String({ maxLength: 200 }),
)

/** The query of every cursor-paged list: the page size, and the cursor of the previous page. */
export const page_query = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object({ ...fields, limit: Type.Optional(page_limit), cursor: Type.Optional(page_cursor) })

export type { TObject }
