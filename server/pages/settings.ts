import type { EnvReader } from '../platform/env-reader.ts'
import { isSecurityContact } from './security-txt.rules.ts'

export type PagesSettings = ReturnType<typeof readPagesSettings>

export const readPagesSettings = (read: EnvReader) => ({
  logo_addresses: read.oneOf('LOGO_ADDRESSES', ['public', 'any'], 'public'),
  security_contacts: readSecurityContacts(read),
})

/** The contacts for security reports: `mailto:security@example.com, https://example.com/security`. */
function readSecurityContacts(read: EnvReader) {
  const contacts = read.list('SECURITY_CONTACT')
  for (const contact of contacts)
    if (!isSecurityContact(contact))
      read.problem(`SECURITY_CONTACT: "${contact}" must be an address such as mailto:security@example.com or https://…`)
  return contacts
}
