import type { FieldFault } from './field-errors.ts'

/**
 * Appends parameters to an address, as text: apps compare the address with the registered one, and parsing would change
 * its spelling.
 */
export const withParameters = (address: string, parameters: Record<string, string>) =>
  `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`

/** The host of an address, for display: as a URL parser reads it, or the scheme if there is no host. */
export function hostOf(address: string) {
  const { protocol, host } = new URL(address)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/**
 * An address for display, as a URL parser reads it. The host is in ASCII, so that no letter of another script imitates
 * another host. All other characters outside ASCII are percent-encoded, so that nothing changes the reading order.
 */
export function shownAddress(address: string) {
  const text = URL.canParse(address) ? new URL(address).href : address
  const shown = address.endsWith('/') ? text : text.replace(/^(\w+:\/\/[^/]+)\/$/, '$1')
  return shown.replace(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
}

const hidden = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u
/**
 * Dots, slashes and colons of other scripts that compatibility normalization does not convert to ASCII, but that look
 * like ASCII or that a URL parser converts.
 */
const like_punctuation = /[\u3002\u06d4\u0701\u0702\ua4f8\ua60e\u2044\u2215\u29f8\u2571\ua789\u0589\u2e31]/u
const ascii_punctuation = /[!-/:-@[-`{-~]/

/**
 * The fault of an address that people would misread: characters that change the writing direction anywhere, and in the
 * host invisible characters or ones that look like a dot, slash or colon. Undefined for any other address.
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
