const folded = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
const wordsOf = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? []

interface Entry {
  label?: string
  hint?: string
  keywords?: string
}

/**
 * The entries in which every word of the query is the prefix of a word, in any order: label matches first, then matches
 * that include hint and keywords.
 */
export function searchEntries<Found extends Entry>(query: string, entries: readonly Found[]): Found[] {
  const wanted = wordsOf(query)
  const hasAll = (words: readonly string[]) => wanted.every((word) => words.some((known) => known.startsWith(word)))
  const by_label = entries.filter(({ label = '' }) => hasAll(wordsOf(label)))
  const by_more = entries.filter(({ label = '', hint = '', keywords = '' }) =>
    hasAll(wordsOf([label, hint, keywords].join(' '))),
  )
  return [...new Set([...by_label, ...by_more])]
}

/**
 * The payment in a query: `send 20 to ann`, `ann 20 senden`. Undefined without one of `verbs`, without an amount, or
 * unless exactly one word is left, the beginning of the name.
 */
export function paymentIn(query: string, verbs: string, particles: string) {
  const words = query.trim().split(/\s+/)
  const isOneOf = (known: string) => (word: string) => wordsOf(known).includes(folded(word))
  const isAmount = (word: string) => /^[1-9]\d{0,8}$/.test(word)
  const amounts = words.filter(isAmount)
  const [name, ...more] = words.filter((word) => !isAmount(word) && !isOneOf(verbs)(word) && !isOneOf(particles)(word))
  if (!words.some(isOneOf(verbs)) || amounts.length !== 1 || name === undefined || more.length > 0) return undefined
  return { amount: Number(amounts[0]), name }
}
