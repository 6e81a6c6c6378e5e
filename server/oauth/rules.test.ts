import { expect, test } from 'vitest'
import { decisions } from '../../contract/decisions.ts'
import { unsupportedParameter } from '../../contract/openid.ts'
import { field_errors } from '../../contract/field-errors.ts'
import { appErrors, isLogoutUri, needsSignIn, redirectUriMatches, type Prompt } from './rules.ts'

const errorsOf = (redirect_uri: string) => appErrors({ redirect_uris: ['https://a.example/ok', redirect_uri] })

test.each([
  'https://a.example/cb',
  'https://a.example:8443/cb?tenant=1',
  'https://a.example',
  'https://b.example/cb;x=y',
  'http://127.0.0.1/cb',
  'http://127.0.0.1:8080/cb',
  'http://[::1]:3000/cb',
  'http://localhost:3000',
  'com.example.app:/oauth2redirect',
  'com.example.app://oauth2redirect/cb',
])('D-28: https, loopback http and private-use schemes with a dot can be registered: %s', (uri) => {
  expect(errorsOf(uri)).toEqual([])
})

const unregistrable = Object.entries({
  'must use https, http on a loopback address, or a private-use scheme with a dot': [
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'javascript://a.example/%0aalert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://a.example/x',
    'myapp://cb',
  ],
  'must be a plain ASCII URI without spaces, backslashes or *': [
    ' java\tscript:alert(1)',
    'https://a.example\\@evil.example/cb',
    'https://*.a.example/cb',
    'https://a.example/*',
    'https://a.example/c b',
    'https://ä.example/cb',
  ],
  'is not an absolute URI': ['/cb', '//a.example/cb', 'a.example/cb', 'https://', 'http://127.0.0.1:65536/cb'],
  'has no host': ['https:a.example/cb', 'https:/a.example/cb', 'https:///a.example/cb'],
  'must have no fragment': ['https://a.example/cb#', 'https://a.example/cb#f'],
  'must have no user information': ['https://u:p@a.example/cb', 'https://@a.example/cb', 'http://u@127.0.0.1/cb'],
  'must not have a query parameter named code, state, iss, error, error_description': [
    'https://a.example/cb?code=1',
    'https://a.example/cb?x=1&state=1',
    'https://a.example/cb?iss=1',
    'https://a.example/cb?error=1',
    'https://a.example/cb?error_description=1',
    'https://a.example/cb?%63ode=1',
  ],
  'must have no dot segments': ['https://a.example/a/../cb', 'https://a.example/%2E%2e/cb'],
  'must use https, or http on 127.0.0.1, [::1] or localhost': [
    'http://a.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.1/cb',
    'http://0.0.0.0/cb',
  ],
}).flatMap(([fault, uris]) => uris.map((uri) => [uri, fault] as const))

test.each(unregistrable)('D-28: the redirect URI %j %s', (uri, message) => {
  expect(errorsOf(uri)).toEqual([{ path: 'redirect_uris.1', message }])
})

test.each([
  ['https://a.example/cb', 'https://a.example/cb', true],
  ...[
    'https://a.example/CB',
    'https://a.example/cb/',
    'https://a.example/cb?x=1',
    'https://a.example/cb?',
    'https://a.example/cb#f',
    'https://a.example/cb/../cb',
    'https://a.example/%2e%2e/cb',
    'https://a.example/%63b',
    'https://A.example/cb',
    'HTTPS://a.example/cb',
    'https://a.example:443/cb',
    'http://a.example/cb',
    'https://a.example/cb ',
    ' https://a.example/cb',
    '/cb',
    'https://a.example',
    'https://a.example@evil.example/cb',
    'https://a.example%2f@evil.example/cb',
    'https://a.example\\@evil.example/cb',
    'https://a.example.evil.example/cb',
    'https://evil.example/https://a.example/cb',
    'https://a.example./cb',
  ].map((given): [string, string, boolean] => ['https://a.example/cb', given, false]),
  ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb', true],
  ['http://[::1]:3000/cb', 'http://[::1]:3001/cb', true],
  ['http://localhost:3000/cb', 'http://localhost/cb', true],
  ['https://127.0.0.1/cb', 'https://127.0.0.1:8443/cb', false],
  ...[
    'http://127.0.0.1:80@evil.example/cb',
    'http://u@127.0.0.1/cb',
    'https://127.0.0.1/cb',
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/cb?x=1',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1:51004.evil.example/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:65536/cb',
    'http://127.1/cb',
    'http://localhost/cb',
    'http://[::1]/cb',
  ].map((given): [string, string, boolean] => ['http://127.0.0.1/cb', given, false]),
])('spec redirect_uri, D-28: only the port of a loopback URI may differ: %j registered, %j given: %s', (...row) => {
  const [registered, given, matches] = row
  expect(redirectUriMatches(registered, given)).toBe(matches)
})

const registered = ['https://shop.test/auth/cb', 'http://127.0.0.1:9000/cb', 'com.shop.app:/cb']
test.each([
  ['https://shop.test/bye?from=plaza', true],
  ['https://shop.test/auth/cb', true],
  ['http://127.0.0.1:4711/bye', true],
  ['com.shop.app:/cb', true],
  ['https://shop.test.evil.test/bye', false],
  ['https://shop.test@evil.test/bye', false],
  ['http://shop.test/bye', false],
  ['https://shop.test:444/bye', false],
  ['https://evil.test/?https://shop.test/', false],
  ['//shop.test/bye', false],
  ['javascript:alert(1)', false],
  ['com.shop.app:/other', false],
  ['http://localhost:9000/cb', false],
  ['https://shop.test/\\evil.test', false],
])('D-103: after a logout people go to an origin of the app only: %j is %s', (uri, is_allowed) => {
  expect(isLogoutUri(registered, uri)).toBe(is_allowed)
})

test.each([
  'https://bank.example@evil.example',
  'https://user:secret@evil.example/',
  'https://@evil.example',
  'https:\\\\evil.example',
  'https://bank.example\\@evil.example',
  'https:/evil.example',
  'https:evil.example',
  'http:///evil.example',
  'https://',
  'https://?x',
  ' https://a.example',
  'https://a.example ',
  'https://a.example/a b',
  'https://a.example/\u00a0',
  'https://a.exam\tple',
  'https://a.example/\n',
  'https://a.example/\u0085',
  'https://a.example/\u007f',
  '//a.example',
  'a.example',
  '/path',
  'javascript:alert(1)',
  'data:text/html,x',
  'ftp://a.example',
  'mailto:a@a.example',
])('D-90: the misleading link %j is refused', (link) => {
  const both = ['logo_url', 'website_url'].map((path) => ({ path, message: field_errors.web_url }))
  expect(appErrors({ website_url: link, logo_url: link })).toEqual(both)
})

const deceiving_error =
  'must hold no control, bidirectional or invisible characters, and no look-alikes of dots and slashes'
test('F5: links that people read as other ones are refused; links of other alphabets are not', () => {
  for (const deceiving of ['https://evil.example/\u202emoc.knab', 'https://bank.example\uff0eevil.example/'])
    expect(appErrors({ website_url: deceiving })).toEqual([{ path: 'website_url', message: deceiving_error }])
  for (const link of [
    'https://a.example',
    'HTTP://A.example:8080/path?q=a@b#frag@ment',
    'https://a.example/@someone',
    'https://bücher.example/ü',
    'http://[::1]:3000/x.png',
    'https://\u0430pple.example/',
    'https://a.example/\u2764\ufe0f',
  ])
    expect([link, appErrors({ website_url: link, logo_url: link })]).toEqual([link, []])
})

const { sign_in_counts_seconds } = decisions.openid_sign_in
const now = new Date('2026-11-26T12:00:00Z')

/**
 * A row: prompts, max_age, seconds since the sign-in, whether the hint matches; whether a sign-in is needed before and
 * after one for this request.
 */
const sign_ins: [Prompt[], number | undefined, number, boolean, boolean, boolean][] = [
  [[], undefined, 86_400, true, false, false],
  [['consent'], undefined, 86_400, true, false, false],
  [['login'], undefined, 0, true, true, false],
  [['login'], undefined, 5, true, true, false],
  [['login', 'consent'], undefined, 5, true, true, false],
  [['select_account'], undefined, 5, true, true, false],
  [['select_account', 'login'], 3_600, 5, true, true, false],
  [[], 0, 0, true, true, false],
  [[], 0, 5, true, true, false],
  [['login'], 0, 5, true, true, false],
  [[], 4, 5, true, true, false],
  [[], 5, 5, true, false, false],
  [[], 3_600, 5, true, false, false],
  [[], undefined, 5, false, true, false],
  [['consent'], 3_600, 5, false, true, false],
  [['none'], undefined, 86_400, true, false, false],
  [['none'], 0, 5, true, true, true],
  [['none'], 4, 5, true, true, true],
  [['none'], undefined, 5, false, true, true],
  [['login'], undefined, sign_in_counts_seconds, true, true, false],
  [['login'], undefined, sign_in_counts_seconds + 1, true, true, true],
  [[], 0, sign_in_counts_seconds + 1, true, true, true],
  [[], undefined, sign_in_counts_seconds + 1, false, true, true],
]

test.each(sign_ins)(
  'D-128: prompt %j, max_age %s, signed in %i s ago, expected person: %s: asks %s, and after a sign-in %s',
  (prompts, max_age, seconds, is_expected_person, before, after) => {
    const signed_in_at = new Date(now.getTime() - seconds * 1_000)
    const facts = { prompts, max_age, is_expected_person, signed_in_at, now }
    expect(needsSignIn({ ...facts, after_sign_in: false })).toBe(before)
    expect(needsSignIn({ ...facts, after_sign_in: true })).toBe(after)
  },
)

test('D-128: parameters that change the request are named; others are ignored', () => {
  expect(unsupportedParameter({ request: 'a.b.c' })).toBe('request_not_supported')
  expect(unsupportedParameter({ request: ['a', 'b'] })).toBe('request_not_supported')
  expect(unsupportedParameter({ request_uri: 'urn:x' })).toBe('request_uri_not_supported')
  expect(unsupportedParameter({ registration: '{}' })).toBe('registration_not_supported')
  for (const response_mode of ['fragment', 'form_post', 'Query', 'query.jwt', ['query', 'query']])
    expect(unsupportedParameter({ response_mode })).toBe('response_mode_not_supported')
  const ignored = { response_mode: 'query', display: 'popup', ui_locales: 'de', acr_values: '1', claims: '{}' }
  expect(unsupportedParameter({ ...ignored, toString: 'x' })).toBeUndefined()
})
