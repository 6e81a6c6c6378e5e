/** A text of the contract in English and in another language; `{…}` stands for a value. */
type Translation = readonly [english: string, translated: string]

const value = /\{(\w+)\}/g

/** The sentences that have other values in place of the names. */
const patternOf = (english: string) =>
  new RegExp(`^${english.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replace(value, '(?<$1>.+)')}$`)

/**
 * Translates texts of the contract, such as the message of a failure. One with values is found by its words; values that are such texts
 * themselves are translated, numbers are written as in `locale`. Any other text stays as it is.
 */
export function contractTranslator(texts: readonly Translation[], locale: string) {
  const exact = new Map(texts)
  const with_values = texts
    .filter(([english]) => english.search(value) >= 0)
    .map(([english, translated]) => ({ pattern: patternOf(english), translated }))

  function translate(text: string): string {
    const known = exact.get(text)
    if (known !== undefined) return known
    for (const { pattern, translated } of with_values) {
      const values = pattern.exec(text)?.groups
      if (values) return translated.replace(value, (_, name: string) => shown(values[name] ?? ''))
    }
    return text
  }
  const shown = (given: string) => (/^\d+$/.test(given) ? Number(given).toLocaleString(locale) : translate(given))
  return translate
}
