import { expect, test } from 'vitest'
import { deceivingAddressError, hostOf, shownAddress, withParameters } from './addresses.ts'

test.each([
  ['https://shop.example', 'https://shop.example'],
  ['https://shop.example/', 'https://shop.example/'],
  ['HTTPS://Shop.example:443/a?b=c#d', 'https://shop.example/a?b=c#d'],
  ['https://evil.example/\u202emoc.knab', 'https://evil.example/%E2%80%AEmoc.knab'],
  ['https://evil.example/?a=\u2066#\u202e', 'https://evil.example/?a=%E2%81%A6#%E2%80%AE'],
  ['https://bank.example\u3002evil.example/', 'https://bank.example.evil.example/'],
  ['https://\u0430pple.example', 'https://xn--pple-43d.example'],
  ['https://b\u00fccher.example/\u00fc', 'https://xn--bcher-kva.example/%C3%BC'],
  ['https://bank.example@evil.example/', 'https://bank.example@evil.example/'],
  ['https://0x7f.1/', 'https://127.0.0.1/'],
  ['javascript:alert(1)', 'javascript:alert(1)'],
  ['app.test', 'app.test'],
  ['127.0.0.1:3000', '127.0.0.1:3000'],
  ['com.example.boats:', 'com.example.boats:'],
  ['no address \u202e\ud800', 'no%20address%20%E2%80%AE%EF%BF%BD'],
])('F5: %j is shown as a URL parser reads it', (address, shown) => {
  expect(shownAddress(address)).toBe(shown)
})

test('F5: the receiver of an address is its host in ASCII, or its scheme', () => {
  expect(hostOf('https://\u0430pple.example:8443/x')).toBe('xn--pple-43d.example:8443')
  expect(hostOf('http://[::1]:9/cb')).toBe('[::1]:9')
  expect(hostOf('com.example.boats:/cb')).toBe('com.example.boats:')
})

test('F5: only characters that deceive are refused', () => {
  for (const fine of [
    'https://b\u00fccher.example/\u00fc',
    'https://a.example/\u3002\u2044',
    'https://l\u00b7l.example/',
  ])
    expect([fine, deceivingAddressError(fine)]).toEqual([fine, undefined])
  for (const character of '\u202a\u202b\u202c\u202d\u202e\u2066\u2069\u200e\u200f\u061c\u0007\u2028')
    expect([character, deceivingAddressError(`https://a.example/${character}`)]).toEqual([
      character,
      expect.any(String),
    ])
  for (const character of '\u3002\uff0e\uff61\u2024\u2044\u2215\uff0f\u29f8\ua789\uff1a\uff20\u00ad\u200b\u200c\u2060\u3164\u115f')
    expect([character, deceivingAddressError(`https://a${character}b.example/`)]).toEqual([
      character,
      expect.any(String),
    ])
})

test('D-128: parameters are appended as text', () => {
  expect(withParameters('https://a.test/cb', { state: 'a b&c' })).toBe('https://a.test/cb?state=a+b%26c')
  expect(withParameters('https://a.test/cb?x=%20&flag', { state: 's', iss: 'i' })).toBe(
    'https://a.test/cb?x=%20&flag&state=s&iss=i',
  )
})
