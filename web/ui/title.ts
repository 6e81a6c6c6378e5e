/** What the browser's tab says of a page. */
export const documentTitle = (title: string | undefined) => (title === undefined ? 'Plaza' : `${title} · Plaza`)

/** Somebody's words without the signs that turn the direction of writing: a tab has no other way to keep them apart. */
export const withoutBidiControls = (words: string) => words.replaceAll(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
