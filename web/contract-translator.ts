import { filled, valueReader } from '../contract/field-errors.ts'

/** A text of the contract in English and in another language; `{…}` is a value. */
type Translation = readonly [english: string, translated: string]

/**
 * Translates texts of the contract, such as the message of a failure. Translates values that are such texts, and
 * formats numbers for `locale`. Returns any other text unchanged.
 */
export function contractTranslator(texts: readonly Translation[], locale: string) {
  const exact = new Map(texts)
  const templates = texts
    .filter(([english]) => english.includes('{'))
    .map(([english, translated]) => ({ read: valueReader(english), translated }))

  function translate(text: string): string {
    const known = exact.get(text)
    if (known !== undefined) return known
    for (const { read, translated } of templates) {
      const values = Object.entries(read(text) ?? {})
      if (values.length > 0)
        return filled(translated, Object.fromEntries(values.map(([name, given]) => [name, shown(given)])))
    }
    return text
  }
  const shown = (given: string) => (/^\d+$/.test(given) ? Number(given).toLocaleString(locale) : translate(given))
  return translate
}
