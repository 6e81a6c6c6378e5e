const folded = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
const wordsOf = (text: string) => folded(text).match(/[\p{L}\p{N}]+/gu) ?? []

interface Entry {
  label?: string
  hint?: string
  keywords?: string
}

/**
 * The entries in which every word of the query is the prefix of a word, in any order: first those whose label matches,
 * then those that match with hint and keywords.
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
