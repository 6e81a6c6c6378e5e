import type { FieldFault } from './field-errors.ts'

/** How other people read a text: a `name` beside other words, a `text` by itself. */
export type ReadAs = 'name' | 'text'

/** Characters without a visible form: formats, spaces, marks without a letter, and letters and symbols that are drawn as nothing. */
const invisible =
  /[\p{Cc}\p{Cf}\p{Co}\p{Z}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\uFFFC\u{13441}\u{13442}\u{1D159}]/u

/** Embeddings and overrides, which draw the characters after them in another order. */
const reordering = /[\u202A-\u202E]/u

/** In a name also isolates and marks of direction, and control characters: names stand beside other words in one line. */
const misleading_in_names = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** Whether a text has a visible character. */
export function hasVisibleText(text: string) {
  for (const char of text) if (!invisible.test(char)) return true
  return false
}

/** Most texts: nothing in them can be refused, and this is quicker to see. */
const printable_ascii = /^[!-~][ -~]*$/

/** Why a text that other people read is refused (D-124); undefined when it is not. */
export function readTextError(read_as: ReadAs, text: string): FieldFault | undefined {
  if (printable_ascii.test(text)) return undefined
  if (!hasVisibleText(text)) return 'blank'
  if (read_as === 'name') return misleading_in_names.test(text) ? 'invisible' : undefined
  return reordering.test(text) ? 'reordered' : undefined
}
