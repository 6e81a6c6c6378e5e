import { expect, test } from 'vitest'
import { searchEntries } from './search-entries.ts'

const shop = { label: 'The Sticker Shop', hint: 'My apps' }
const security = { label: 'Security', hint: 'Personal', keywords: 'two factor, authenticator' }
const strasse = { label: 'Straße für Äpfel' }
const entries = [security, shop, strasse]

test.each([
  ['stick', [shop]],
  ['shop stick', [shop]],
  ['my apps STICK', [shop]],
  ['sho the', [shop]],
  ['tick', []],
  ['auth two', [security]],
  ['apfel', [strasse]],
  // Matches of the label come first.
  ['s', [security, shop, strasse]],
  ['m', [shop]],
])('the palette finds entries by the beginnings of words, in any order: %s', (query, found) => {
  expect(searchEntries(query, entries)).toEqual(found)
})
