/** Days until a contact expires: RFC 9116 §2.5.5 recommends less than a year. */
const valid_days = 180
const day_ms = 86_400_000

/** Whether security.txt may contain this address (RFC 9116 §2.5.3): `mailto:` with one recipient, or `https:`. */
export function isSecurityContact(text: string) {
  if (/^mailto:[\w.!#$%&'*+/=?^`{|}~-]+@[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text)) return true
  if (!/^https:\/\/[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** The text of `/.well-known/security.txt`. It changes once a day. */
export function securityTxt(contacts: readonly string[], public_url: string, now: Date) {
  const today = Math.floor(now.getTime() / day_ms) * day_ms
  const expires = new Date(today + valid_days * day_ms).toISOString().replace('.000Z', 'Z')
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    // §2.5.2: a web address here must begin with https.
    ...(public_url.startsWith('https:') ? [`Canonical: ${public_url}${security_txt_path}`] : []),
    '',
  ].join('\n')
}

export const security_txt_path = '/.well-known/security.txt'
