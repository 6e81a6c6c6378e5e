import { expect, test } from 'vitest'
import { paymentIn, searchEntries } from './search-entries.ts'

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

const ann = { amount: 20, name: 'ann' }
test.each([
  ['send 20 to ann', ann],
  ['Pay ann 20 points', ann],
  ['20 an ann senden', ann],
  ['Überweise ann 20 Punkte', ann],
  ['send 20 to', undefined],
  ['send to ann', undefined],
  ['send 20 30 to ann', undefined],
  ['send 20 to ann lee', undefined],
  ['send -20 to ann', undefined],
  ['20 ann', undefined],
])('the palette finds a payment: %s', (query, payment) => {
  expect(paymentIn(query, 'send pay senden überweise', 'to an points punkte')).toEqual(payment)
})
