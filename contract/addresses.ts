import type { FieldFault } from './field-errors.ts'

/**
 * An address with these parameters behind its own. They are appended as text: parsing would write the address itself anew, which an app
 * compares with the registered one.
 */
export const withParameters = (address: string, parameters: Record<string, string>) =>
  `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`

/** The receiver of an address, for people: its host as a URL parser reads it, or its scheme where that has no host. */
export function hostOf(address: string) {
  const { protocol, host } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/**
 * An address for people, as a URL parser reads it: the host in ASCII, so that no letter of another script looks like one of another
 * host, and all else that is not ASCII as percent signs, so that nothing changes the order in which it is read.
 */
export function shownAddress(address: string) {
  const text = URL.canParse(address) ? new URL(address).href : address
  const shown = address.endsWith('/') ? text : text.replace(/^(\w+:\/\/[^/]+)\/$/, '$1')
  return shown.replace(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
}

const hidden = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/** Dots, slashes and colons of other scripts that compatibility does not make ASCII, but the eye or a URL parser does. */
const like_punctuation = /[\u3002\u06d4\u0701\u0702\ua4f8\ua60e\u2044\u2215\u29f8\u2571\ua789\u0589\u2e31]/u
const ascii_punctuation = /[!-/:-@[-`{-~]/

/**
 * Why an address is refused whose characters make people read another one: those that change the writing direction anywhere, and in the
 * host those that cannot be seen or look like a dot, slash or colon. Undefined for all others.
 */
export const deceivingAddressError = (address: string): FieldFault | undefined =>
  hidden.test(address) || isDeceivingHost(address) ? 'deceiving_url' : undefined

function isDeceivingHost(address: string) {
  const authority = /^[^/]*\/\/([^/?#\\]*)/.exec(address)?.[1] ?? ''
  return [...authority].filter((character) => character > '\x7f').some(isDeceivingInHost)
}

function isDeceivingInHost(character: string) {
  const compatible = character.normalize('NFKC')
  return unseen.test(character) || like_punctuation.test(compatible) || ascii_punctuation.test(compatible)
}
