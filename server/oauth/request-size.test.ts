import { expect, test } from 'vitest'
import { bodyBytesMax } from '../../contract/endpoint.ts'
import { failures } from '../../contract/errors.ts'
import { announcePresence } from '../../contract/social.ts'
import { sharedService } from '../test/harness.ts'
import { raw, codeRequest, someApp, someCode, someUser } from '../test/world.ts'

const plaza = await sharedService()
const [app, user] = [await someApp(plaza), await someUser(plaza)]
const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const paths = ['token', 'token/verify', 'revoke']

const post = async (path: string, body: string, type: string) => {
  const { status, body: answer } = await raw(plaza, 'POST', `/api/oauth/${path}`, {
    headers: { 'content-type': type },
    body,
  })
  return [status, answer]
}
const { message } = failures.too_many_parameters
const too_many = (path: string) => [
  400,
  path === 'token/verify'
    ? { error: 'invalid_request', message }
    : { error: 'invalid_request', error_description: message },
]
const too_large = (path: string) => [
  413,
  path === 'token/verify'
    ? { errors: { detail: 'Payload Too Large' } }
    : { error: 'invalid_request', error_description: 'Payload Too Large' },
]
/** A body of exactly this size. */
const padded = (bytes: number, type: string) => {
  const [head, tail] = type === json ? ['{"pad":"', '"}'] : ['pad=', '']
  return head + 'x'.repeat(bytes - head.length - tail.length) + tail
}
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`)

test('D-83: bodies of up to 64 KiB are read, and one byte more is 413', async () => {
  for (const path of paths)
    for (const type of [json, form]) {
      const [status] = await post(path, padded(65_536, type), type)
      expect([path, type, status]).toEqual([path, type, path === 'token/verify' ? 200 : 400])
      expect([path, type, ...(await post(path, padded(65_537, type), type))]).toEqual([path, type, ...too_large(path)])
    }
})

test('D-83: 32 parameters are read, unknown ones too, and one more is invalid_request', async () => {
  const body = async (count: number) => {
    const known = codeRequest(app, await someCode(app, user))
    return { ...known, ...Object.fromEntries(numbered(count - Object.keys(known).length).map((name) => [name, 'x'])) }
  }
  expect((await post('token', JSON.stringify(await body(32)), json))[0]).toBe(200)
  expect((await post('token', new URLSearchParams(await body(32)).toString(), form))[0]).toBe(200)
  for (const path of paths) {
    expect(await post(path, JSON.stringify(await body(33)), json)).toEqual(too_many(path))
    expect(await post(path, new URLSearchParams(await body(33)).toString(), form)).toEqual(too_many(path))
    expect(await post(path, 'token=x'.concat('&token'.repeat(40)), form)).toEqual(too_many(path))
  }
})

test('D-83: names within count too, and so does how deep they are; refused calls use no code up', async () => {
  const code = await someCode(app, user)
  const known = JSON.stringify(codeRequest(app, code)).slice(0, -1)
  const many = Object.fromEntries(numbered(30).map((name) => [name, 1]))
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(await post('token', `${known},"x":${JSON.stringify(many)}}`, json)).toEqual(too_many('token'))
  expect(await post('token', `${known},"x":${deep(40)}}`, json)).toEqual(too_many('token'))
  // Names and brackets inside a text do not count.
  const text = JSON.stringify('[{"a":1,'.repeat(500))
  expect((await post('token', `${known},"x":${deep(39)},"y":${text}}`, json))[0]).toBe(200)
})

test('D-83: a repeated parameter is found however its name is written, and odd texts do not hide one', async () => {
  const repeated = [400, { error: 'invalid_request', message: failures.parameter_repeated.message }]
  for (const body of [
    '{"token":"a","\\u0074oken":"b"}',
    '{"x":"\\\\","token":"a","token":"b"}',
    '{"x":"\\"","token" :"a","token"\n:"b"}',
    '{"x":{"token":1},"token":"a","y":[{"token":2}],"token":"b"}',
  ])
    expect([body, ...(await post('token/verify', body, json))]).toEqual([body, ...repeated])
  const inactive = [200, { active: false, reason: 'unknown' }]
  for (const body of ['{"x":{"token":1},"token":"a"}', '{"x":"\\"token\\":","token":"a"}', '{"token":"a","x":"token"}'])
    expect([body, ...(await post('token/verify', body, json))]).toEqual([body, ...inactive])
})

// `bodies.test.ts` sends such bodies to every call.
test('D-83: another call that needs no credential takes 32 KiB and no more; others take 64 KiB', () => {
  const { endpoints } = plaza.service.app
  const open = endpoints.filter(({ auth, body, accepts }) => body && auth === 'none' && accepts !== 'form')
  expect(open.length).toBeGreaterThan(3)
  expect(new Set(open.map(bodyBytesMax))).toEqual(new Set([32_768]))
  expect(bodyBytesMax(announcePresence)).toBe(65_536)
})
