/** A parameter of a query as the address has it: text, or a list where it came twice. */
type Given = string | string[] | undefined

/** Reads one parameter; undefined where it is absent, or says nothing that the page understands. */
type Parser<Value> = (given: Given) => Value | undefined

/** The parameters that a page reads from its query, each with its parser. */
export type SearchParsers = Readonly<Record<string, Parser<string | string[]>>>

/** What a page finds in its query, and what a link to it may say. */
export type SearchOf<Parsers extends SearchParsers> = {
  -readonly [Name in keyof Parsers]?: NonNullable<ReturnType<Parsers[Name]>>
}

/** One text; what came twice counts as absent. */
export const text: Parser<string> = (given) => (typeof given === 'string' ? given : undefined)

/** Any number of texts. */
export const texts: Parser<string[]> = (given) => (given === undefined ? undefined : [given].flat())

/** One of these words; any other counts as absent. */
export const oneOf =
  <const Word extends string>(...words: Word[]): Parser<Word> =>
  (given) =>
    words.find((word) => word === given)

/** Checks a query by the parsers of a page; what has no parser stays in the address as it is. */
export const validatorOf =
  <Parsers extends SearchParsers>(parsers: Parsers) =>
  (given: Record<string, unknown>) => {
    const found: Record<string, unknown> = {}
    for (const name in parsers) if (name in given) found[name] = parsers[name]?.(given[name] as Given)
    return found as SearchOf<Parsers>
  }

/** A query as it stands: text stays text, and what came twice is a list. */
export function parseSearch(query: string) {
  const given = new URLSearchParams(query)
  return Object.fromEntries(
    [...given.keys()].map((name) => {
      const all = given.getAll(name)
      return [name, all.length > 1 ? all : (all[0] ?? '')]
    }),
  )
}

/** The query of an address, with its `?`; what is undefined is left out. */
export function stringifySearch(search: Record<string, unknown>) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(name, String(one as string))
  return `?${query.toString()}`.replace(/^\?$/, '')
}
