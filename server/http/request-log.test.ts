import { expect, test } from 'vitest'
import { sharedService, type TestService } from '../test/harness.ts'
import { raw, someUser } from '../test/world.ts'
import { waitUntil } from '../test/wait.ts'

const plaza = await sharedService()
const behind_proxy = await plaza.startAnother({ TRUSTED_PROXIES: '127.0.0.1' })
const [trace_id, parent_id] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

interface Line {
  request_id: string
  [field: string]: unknown
}

/** The log line of a request, by the request id of its response. */
async function lineOf(service: TestService, headers: Headers) {
  const id = headers.get('x-request-id') ?? ''
  const find = () =>
    service
      .logged()
      .split('\n')
      .find((line) => line.includes('"msg":"request"') && (JSON.parse(line) as Line).request_id === id)
  await waitUntil(() => find() !== undefined, `the line of ${id}`)
  return find() ?? ''
}

/** Sends a request and returns its log line, with a fixed time and duration. */
async function logged(path: string, headers: Record<string, string> = {}, service = plaza) {
  const reply = await raw(service, 'GET', path, { headers })
  const line = await lineOf(service, reply.headers)
  return line
    .replace(/"time":"[\dTZ:.-]{24}"/, '"time":"T"')
    .replace(/"ms":[\d.]+/, '"ms":1')
    .replace(`"request_id":"${reply.headers.get('x-request-id')}"`, '"request_id":"R"')
}

test('each request has one line: these fields, in this order', async () => {
  const user = await someUser(plaza)
  expect(await logged('/api/auth/me', { authorization: `Bearer ${user.token}` })).toBe(
    `{"level":"info","time":"T","request_id":"R","method":"GET","route":"/api/auth/me","status":200,"ms":1,"user_id":"${user.id}","msg":"request"}`,
  )
  expect(await logged('/livez')).toBe(
    '{"level":"info","time":"T","request_id":"R","method":"GET","route":"/livez","status":200,"ms":1,"msg":"request"}',
  )
})

test('the line of a refused request has the reason; a path without a route is not logged', async () => {
  expect(await logged('/api/auth/me')).toBe(
    '{"level":"info","time":"T","request_id":"R","method":"GET","route":"/api/auth/me","status":401,"ms":1,"refusal":{"code":"unauthorized","header":"absent"},"msg":"request"}',
  )
  expect(await logged('/api/no-such-path?secret=1')).toBe(
    '{"level":"info","time":"T","request_id":"R","method":"GET","status":404,"ms":1,"msg":"request"}',
  )
})

test('a valid traceparent is in the line', async () => {
  const line = (fields: string) =>
    `{"level":"info","time":"T","request_id":"R","method":"GET","route":"/livez","status":200,"ms":1${fields},"msg":"request"}`
  const traced = line(`,"trace_id":"${trace_id}","parent_id":"${parent_id}"`)
  expect(await logged('/livez', { traceparent: `00-${trace_id}-${parent_id}-01` })).toBe(traced)
  // A later version may have more members.
  expect(await logged('/livez', { traceparent: `01-${trace_id}-${parent_id}-01-more` })).toBe(traced)
})

test.each([
  ['an id of zeros', `00-${'0'.repeat(32)}-${parent_id}-01`],
  ['a parent of zeros', `00-${trace_id}-${'0'.repeat(16)}-01`],
  ['the version ff', `ff-${trace_id}-${parent_id}-01`],
  ['capital letters', `00-${trace_id.toUpperCase()}-${parent_id}-01`],
  ['more than version 00 has', `00-${trace_id}-${parent_id}-01-more`],
  ['quotes and controls', `00-${trace_id}-${parent_id}-01","admin":true,"x":"`],
  ['too short', `00-${trace_id.slice(1)}-${parent_id}-01`],
  ['two values', `00-${trace_id}-${parent_id}-01, 00-${trace_id}-${parent_id}-01`],
])('a traceparent with %s is left out', async (_what, traceparent) => {
  expect(await logged('/livez', { traceparent })).not.toMatch(/trace_id|parent_id|admin/)
})

test('the X-Request-Id of a trusted proxy is used in the response and in the line', async () => {
  const id = '3f2504e0-4f89-11d3-9a0c-0305e82c3301'
  const reply = await raw(behind_proxy, 'GET', '/livez', { headers: { 'x-request-id': id } })
  expect(reply.headers.get('x-request-id')).toBe(id)
  expect(JSON.parse(await lineOf(behind_proxy, reply.headers))).toMatchObject({ request_id: id, route: '/livez' })
})

test.each([
  ['longer than 128 characters', 'a'.repeat(129)],
  ['with a quote', 'a","status":200,"x":"'],
  ['with a space', 'a b'],
  ['with a letter beyond ASCII', 'a\u00e9'],
])('an X-Request-Id of a trusted proxy %s is replaced', async (_what, id) => {
  const reply = await raw(behind_proxy, 'GET', '/livez', { headers: { 'x-request-id': id } })
  expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
})

test('the X-Request-Id of any other client is replaced', async () => {
  const reply = await raw(plaza, 'GET', '/livez', { headers: { 'x-request-id': 'mine' } })
  expect(reply.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/)
})

test('every log line is one JSON object, whatever a client sends', async () => {
  const hostile = ['"', '\\', '\n{"level":"info"}', '\u2028', '\ud800', '%00', '%22%7d%0a', '💥', '../../etc/passwd']
  for (const text of hostile) {
    const plain = encodeURI(text.replace('\ud800', 'x'))
    await raw(plaza, 'GET', `/api/users/${plain}/x?q=${plain}`, {
      headers: { 'user-agent': plain, traceparent: plain, 'x-request-id': plain },
    })
    await raw(plaza, 'POST', '/api/auth/login', {
      headers: { 'content-type': 'application/json', 'user-agent': plain },
      body: JSON.stringify({ email: `a${text}@people.test`, password: text }),
    })
  }
  const lines = plaza.logged().trimEnd().split('\n')
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
  expect(lines.filter((line) => line.includes('"route":"/api/auth/login"')).length).toBeGreaterThanOrEqual(
    hostile.length,
  )
})
