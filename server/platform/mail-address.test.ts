import { expect, test } from 'vitest'
import { parseMailAddress } from './mail-address.ts'

test.each([
  ['post@plaza.test', { name: '', address: 'post@plaza.test' }],
  ['<post@plaza.test>', { name: '', address: 'post@plaza.test' }],
  ['Plaza <post@plaza.test>', { name: 'Plaza', address: 'post@plaza.test' }],
  [
    '  Die Straße der Größe <no-reply+x@mail.plaza.example> ',
    { name: 'Die Straße der Größe', address: 'no-reply+x@mail.plaza.example' },
  ],
  ['"Plaza, Inc. <sales>" <post@plaza.test>', { name: 'Plaza, Inc. <sales>', address: 'post@plaza.test' }],
  [String.raw`"The \"Plaza\"" <post@plaza.test>`, { name: 'The "Plaza"', address: 'post@plaza.test' }],
  ['root@localhost', { name: '', address: 'root@localhost' }],
  ['post@bücher.example', { name: '', address: 'post@bücher.example' }],
])('O4: %s is an address', (text, address) => {
  expect(parseMailAddress(text)).toEqual(address)
})

test.each([
  '',
  '"Plaza" ',
  '"Plaza <post@plaza.test>',
  'Plaza <post>',
  'Plaza <@plaza.test>',
  'Plaza post@plaza.test',
  'Plaza <post@plaza.test',
  'a@plaza.test, b@plaza.test',
  'Plaza <a@plaza.test> <b@plaza.test>',
  'Staff: a@plaza.test;',
  'Plaza <po st@plaza.test>',
  'Plaza <post@plaza..test>',
  'Plaza <.post@plaza.test>',
  'Plaza <post@plaza.test>\r\nBcc: x@plaza.test',
  `${'x'.repeat(65)}@plaza.test`,
  `post@${'x.'.repeat(130)}test`,
])('O4: %j is none', (text) => {
  expect(parseMailAddress(text)).toBeUndefined()
})
