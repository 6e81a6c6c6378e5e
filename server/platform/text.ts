const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Can PostgreSQL keep this text? Neither NUL nor half a surrogate pair can be (D-08). */
export const isStorable = (text: string) => !unstorable.test(text)
export const unstorable_error = 'holds a NUL or half a surrogate pair'

/** `1 account`, `2 accounts`: for words whose plural only adds an s. */
export const pluralize = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/** `a, b and c` */
export const joinWithAnd = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
