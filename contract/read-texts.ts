import type { FieldFault } from './field-errors.ts'

/** How people read a text: a `name` among other words, a `text` on its own. */
export type ReadAs = 'name' | 'text'

/**
 * Characters without a visible form: formats, spaces, combining marks without a letter, and letters and symbols that
 * are drawn blank.
 */
const invisible =
  /[\p{Cc}\p{Cf}\p{Co}\p{Z}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\uFFFC\u{13441}\u{13442}\u{1D159}]/u

/** Embeddings and overrides, which reorder the characters after them. */
const reordering = /[\u202A-\u202E]/u

/** In a name also isolates, direction marks and control characters, because other words surround a name. */
const misleading_in_names = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Whether a text has a visible character. */
export function hasVisibleText(text: string) {
  for (const char of text) if (!invisible.test(char)) return true
  return false
}

/** Most texts. Nothing in them can be refused, and this test is faster. */
const printable_ascii = /^[!-~][ -~]*$/

/** The fault of a text that other people read (D-124); undefined if it is valid. */
export function readTextError(read_as: ReadAs, text: string): FieldFault | undefined {
  if (printable_ascii.test(text)) return undefined
  if (!hasVisibleText(text)) return 'blank'
  if (read_as === 'name') return misleading_in_names.test(text) ? 'invisible' : undefined
  return reordering.test(text) ? 'reordered' : undefined
}
