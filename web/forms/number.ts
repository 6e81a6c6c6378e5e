/** The separators of groups and fractions of a language. */
function separatorsOf(locale: string) {
  const parts = new Intl.NumberFormat(locale, { useGrouping: true }).formatToParts(1_234_567.8)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return { group: of('group'), decimal: of('decimal') }
}

/** A character, escaped for a pattern. */
const escaped = (character: string) => character.replace(/[.\\]/, '\\$&')

/** Spaces and apostrophes, which several languages use between groups of digits. */
const spaces = /[\s'’]/g

/**
 * Parses a number in the format of a language: `1.234,5` is German for 1234.5. Groups have three digits, so `1,5` is
 * not a number in English. Undefined for anything else.
 */
export function parseNumber(typed: string, locale: string): number | undefined {
  const { group, decimal } = separatorsOf(locale)
  const text = typed.trim().replaceAll(spaces, ' ').replace('−', '-')
  const between = `[ ${escaped(group.replaceAll(spaces, ' '))}]`
  const form = new RegExp(`^-?(?:\\d+|\\d{1,3}(?:${between}\\d{3})+)(?:${escaped(decimal)}\\d+)?$`)
  if (!form.test(text)) return undefined
  return Number(text.replaceAll(new RegExp(between, 'g'), '').replace(decimal, '.'))
}

/** A number as a person would type it in the language. */
export const numberText = (value: number, locale: string, grouped: boolean) =>
  new Intl.NumberFormat(locale, { useGrouping: grouped, maximumFractionDigits: 20 }).format(value)
