import { Type, type TObject, type TOptional, type TSchema } from 'typebox'

/** A UUID as text. Ids that we make are UUIDv7 (D-07). */
export const uuid = Type.String({ format: 'uuid' })

/** A moment: a `Date` inside the service, ISO 8601 in UTC with `Z` on the wire (D-07). */
export const date_time = Type.Unsafe<Date>({ type: 'string', format: 'date-time' })

/** A moment that may be absent; the key itself is always there. */
export const nullable_date_time = Type.Unsafe<Date | null>({ type: ['string', 'null'], format: 'date-time' })

export const email = Type.String({ format: 'email', maxLength: 254 })
export const text = Type.String()
export const nullable_text = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const nullable_integer = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
export const nullable_uuid = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uuid' })
export const boolean = Type.Boolean()
export const integer = Type.Integer()

/** Text of `min` to `max` Unicode code points (D-08). */
export const bounded_text = (min: number, max: number) => Type.String({ minLength: min, maxLength: max })

/** What a pattern asks for: the words after "must" where a text is refused for it. */
const requirement_by_pattern = new Map<string, string>()
export const requirementOf = (pattern: string) => requirement_by_pattern.get(pattern)

/** A text of a form of its own; `asks` says which, as in "must be an even number". */
export function patterned_text(pattern: string, asks: string, bounds: { maxLength?: number } = {}) {
  requirement_by_pattern.set(pattern, asks)
  return Type.String({ pattern, ...bounds })
}

export const not_blank = '\\S'
/** A name or the like, of up to `max` code points: not empty, nor made of white space alone. */
export const display_text = (max: number) => patterned_text(not_blank, 'not be blank', { maxLength: max })

/** One of a few fixed words, written as a JSON Schema `enum`. */
export const one_of = <const Words extends readonly string[]>(words: Words) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words] })

/** Exactly this word. */
export const constant = <const Word extends string>(word: Word) => Type.Unsafe<Word>({ type: 'string', const: word })

/** Marks a field or object as our own decision; OpenAPI shows it as `x-decision`. */
export const decided = <Schema extends TSchema>(id: DecisionMark, schema: Schema): Schema => ({
  ...schema,
  'x-decision': id,
})
export type DecisionMark = `D-${number}`

/** An object all of whose fields may be left out. */
export const partial = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(
    Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])) as {
      [Name in keyof Fields]: TOptional<Fields[Name]>
    },
  )

/** A page of a list: the rows and the cursor of the next page, null on the last one (D-81). */
export const page_of = <Row extends TSchema>(row: Row) =>
  Type.Object({ data: Type.Array(row), next_cursor: nullable_text })

/** The query of every cursor-paged list: how many rows, and where the previous page ended. */
export const page_query = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object({
    ...fields,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
  })

export type { TObject }
