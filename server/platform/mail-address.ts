import { email_local_max, email_max } from '../../contract/schema.ts'

export interface MailAddress {
  name: string
  address: string
}

const form =
  /^(?:(?:"(?<quoted>(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*)"|(?<plain>[^"<>()[\]:;@\\,\p{Cc}]*))\s*<(?<named>[^<>]*)>|(?<bare>[^<>"]*))$/u
const local_part = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const domain = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u

/**
 * Parses one mail address, with or without a name: `Plaza <post@plaza.example>`, `"Plaza, Inc." <post@plaza.example>`.
 * Undefined for other text and beyond the lengths of RFC 5321.
 */
export function parseMailAddress(text: string): MailAddress | undefined {
  const { quoted, plain = '', named, bare } = form.exec(text.trim())?.groups ?? {}
  const address = named ?? bare ?? ''
  const at = address.lastIndexOf('@')
  const [local, host] = [address.slice(0, Math.max(0, at)), address.slice(at + 1)]
  if (local.length > email_local_max || address.length > email_max || !local_part.test(local) || !domain.test(host))
    return undefined
  return { name: quoted?.replace(/\\(.)/gu, '$1') ?? plain.trim(), address }
}
