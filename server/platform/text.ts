const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** True if PostgreSQL can store this text: it contains neither NUL nor a lone surrogate (D-08). */
export const isStorable = (text: string) => !unstorable.test(text)

/** `1 account`, `2 accounts`. Only for words with a plural in s. */
export const pluralize = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/** `a, b and c` */
export const joinWithAnd = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
