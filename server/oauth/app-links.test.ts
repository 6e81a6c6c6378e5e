import { expect, test } from 'vitest'
import { createApp, listMyApps, updateMyApp } from '../../contract/oauth-apps.ts'
import { updateOperatorApp } from '../../contract/operators.ts'
import { sharedService } from '../test/harness.ts'
import { invalid, outcome } from '../test/refusals.ts'
import { someApp, someTokens, someUser } from '../test/world.ts'

const plaza = await sharedService()
const link_fault = 'must be an http or https URL with a host, and without user information, spaces or backslashes'
const name_fault = 'must hold no control or bidirectional formatting characters'

const bad_links = [
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
]
const good_links = [
  'https://a.example',
  'HTTP://A.example:8080/path?q=a@b#frag@ment',
  'https://a.example/@someone',
  'https://bücher.example/ü',
  'http://[::1]:3000/x.png',
]

test('D-90: links that mislead are refused, at creation and at every change, and nothing is written', async () => {
  const app = await someApp(plaza, { scopes: ['app:balance:read'] })
  const { owner, id } = app
  const operator = await someTokens(plaza, app, owner, ['app:balance:read'])
  const made = await owner.api.result(listMyApps)
  const body = { app_name: 'App', redirect_uris: ['https://a.example/cb'] }
  for (const [at, link] of bad_links.entries()) {
    const field = at % 2 === 0 ? 'website_url' : 'logo_url'
    const change = { [field]: link }
    expect([link, ...outcome(await owner.api.call(updateMyApp, { params: { id }, body: change }))]).toEqual([
      link,
      ...invalid(field, link_fault),
    ])
    const external = await operator.api.call(updateOperatorApp, { body: { website_url: link } })
    expect([link, ...outcome(external)]).toEqual([link, ...invalid('website_url', link_fault)])
  }
  const newcomer = await someUser(plaza)
  for (const field of ['website_url', 'logo_url'])
    expect(
      outcome(await newcomer.api.call(createApp, { body: { ...body, [field]: 'https://bank.example@evil.example' } })),
    ).toEqual(invalid(field, link_fault))
  expect(await owner.api.result(listMyApps)).toEqual(made)
  expect(await newcomer.api.result(listMyApps)).toEqual([])
})

test('D-90: valid links are stored unchanged', async () => {
  const { owner, id } = await someApp(plaza)
  for (const link of good_links) {
    const change = { website_url: link, logo_url: link }
    expect(await owner.api.result(updateMyApp, { params: { id }, body: change })).toMatchObject(change)
  }
})

test('D-90: a name holds no characters that are not seen or turn the text around', async () => {
  const { owner, id } = await someApp(plaza)
  const made = await owner.api.result(listMyApps)
  const bad = [
    '\0',
    '\n',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\u061c',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202e',
    '\u2066',
    '\u2069',
  ]
  for (const odd of bad.slice(1)) {
    const reply = await owner.api.call(updateMyApp, { params: { id }, body: { app_name: `Bank${odd}knaB` } })
    expect([odd, ...outcome(reply)]).toEqual([odd, ...invalid('app_name', name_fault)])
  }
  const newcomer = await someUser(plaza)
  const body = { app_name: 'Bank\u202e', redirect_uris: ['https://a.example/cb'] }
  expect(outcome(await newcomer.api.call(createApp, { body }))).toEqual(invalid('app_name', name_fault))
  expect(await newcomer.api.result(listMyApps)).toEqual([])
  expect(await owner.api.result(listMyApps)).toEqual(made)
  for (const app_name of ['Bücher 🥉', 'متجر', 'חנות', '店 & Söhne', '👩‍👩‍👧 family'])
    expect(await owner.api.result(updateMyApp, { params: { id }, body: { app_name } })).toMatchObject({ app_name })
})

const deceiving_fault =
  'must hold no control, bidirectional or invisible characters, and no look-alikes of dots and slashes'
const deceiving_links = [
  'https://evil.example/\u202emoc.knab',
  'https://evil.example/?\u2067x',
  'https://evil.example/#\u200fx',
  'https://evil.example/\u061cx',
  'https://bank.example\u3002evil.example/',
  'https://bank.example\uff0eevil.example/',
  'https://bank.example\uff61evil.example/',
  'https://bank.example\u2024evil.example/',
  'https://bank.example\u2044login.evil.example/',
  'https://bank.example\u2215login.evil.example/',
  'https://bank\u00ad.example/',
  'https://ba\u200bnk.example/',
  'https://bank\u200d.example/',
  'https://bank\u3164.example/',
]

test('F5: addresses that people read as other ones are refused: bidirectional and invisible characters, look-alikes of dots and slashes', async () => {
  const { owner, id } = await someApp(plaza)
  for (const [at, link] of deceiving_links.entries()) {
    const field = at % 2 === 0 ? 'website_url' : 'logo_url'
    const refusal = URL.canParse(link) ? deceiving_fault : link_fault
    const reply = await owner.api.call(updateMyApp, { params: { id }, body: { [field]: link } })
    expect([link, ...outcome(reply)]).toEqual([link, ...invalid(field, refusal)])
  }
  expect((await owner.api.result(listMyApps)).find((app) => app.id === id)).toMatchObject({
    website_url: null,
    logo_url: null,
  })
  for (const website_url of [
    'https://\u0430pple.example/',
    'https://l\u00b7l.example/',
    'https://a.example/\u2764\ufe0f',
  ])
    expect((await owner.api.call(updateMyApp, { params: { id }, body: { website_url } })).status).toBe(200)
})
