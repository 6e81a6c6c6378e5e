const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Can PostgreSQL keep this text? Neither NUL nor half a surrogate pair can be (D-08). */
export const isStorable = (text: string) => !unstorable.test(text)
export const unstorable_fault = 'holds a NUL or half a surrogate pair'
