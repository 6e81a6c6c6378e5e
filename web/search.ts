/** A search parameter in the URL: a string, or a list if it is repeated. */
type RawValue = string | string[] | undefined

/** Parses one parameter; undefined if it is absent or invalid. */
type Parser<Value> = (raw: RawValue) => Value | undefined

/** The search parameters of a page, each with a parser. */
export type SearchParsers = Readonly<Record<string, Parser<string | string[]>>>

/** The types of a page's search parameters, for `useSearch` and for links to it. */
export type SearchOf<Parsers extends SearchParsers> = {
  -readonly [Name in keyof Parsers]?: NonNullable<ReturnType<Parsers[Name]>>
}

/** One string; a repeated parameter is invalid. */
export const text: Parser<string> = (raw) => (typeof raw === 'string' ? raw : undefined)

/** Any number of strings. */
export const texts: Parser<string[]> = (raw) => (raw === undefined ? undefined : [raw].flat())

/** One of these words; any other value is invalid. */
export const oneOf =
  <const Word extends string>(...words: Word[]): Parser<Word> =>
  (raw) =>
    words.find((word) => word === raw)

/** Validates search parameters with the parsers of a page. Unknown parameters stay in the URL unchanged. */
export const validatorOf =
  <Parsers extends SearchParsers>(parsers: Parsers) =>
  (given: Record<string, unknown>) => {
    const found: Record<string, unknown> = {}
    for (const name in parsers) if (name in given) found[name] = parsers[name]?.(given[name] as RawValue)
    return found as SearchOf<Parsers>
  }

/** Parses a query string: values stay strings, repeated parameters are lists. */
export function parseSearch(query: string) {
  const given = new URLSearchParams(query)
  return Object.fromEntries(
    [...given.keys()].map((name) => {
      const all = given.getAll(name)
      return [name, all.length > 1 ? all : (all[0] ?? '')]
    }),
  )
}

/** Formats search parameters, with the `?`; undefined ones are omitted. */
export function stringifySearch(search: Record<string, unknown>) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one as string))
  return `?${query.toString()}`.replace(/^\?$/, '')
}
