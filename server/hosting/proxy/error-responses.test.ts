import { expect, test } from 'vitest'
import { freePort } from '../../test/free-port.ts'
import { startTestService } from '../../test/harness.ts'
import { putDeployment, requestHost, type DeploymentFields } from '../../test/router.ts'
import { api_and_router } from '../../test/settings.ts'

const plaza = await startTestService({ ...api_and_router, ROUTER_HOLD: '0' })

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' }

/** Nothing listens on this port, so a request that reached it would get 502. */
const endpoint_port = await freePort()

/** The state of a deployment and the router's response: status, code, message, Retry-After and Refresh. */
const cases: [Partial<DeploymentFields>, number, string, string, string?, string?][] = [
  [{ desired: 'stopped', endpoint_port }, 503, 'stopped', 'This site is switched off.', '300'],
  [{ suspended_by: 'admin', endpoint_port }, 503, 'suspended', 'This site is suspended.', '3600'],
  [{ suspended_by: 'billing', endpoint_port }, 503, 'suspended', 'This site is suspended.', '3600'],
  [{ status: 'pending', billing_status: 'awaiting_payment' }, 503, 'stopped', 'This site is switched off.', '300'],
  [{ status: 'stopped', failed_generation: 1 }, 503, 'not_running', 'This site could not be started.', '60'],
  [{ status: 'deploying' }, 503, 'starting', 'This site is just starting.', '5', '5'],
  [{ desired: 'destroyed' }, 404, 'unknown_host', 'There is no site at this address.'],
  [{ endpoint_port }, 502, 'no_answer', 'This site did not answer.'],
]

test('each error of the router is JSON, or a page for clients that prefer HTML', async () => {
  for (const [facts, status, error, message, retry_after, refresh] of cases) {
    const { host, id } = await putDeployment(plaza, facts)
    const plain = await requestHost(plaza, host)
    expect([plain.status, plain.body]).toEqual([status, `${JSON.stringify({ error, message })}\n`])
    const common = {
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(retry_after && { 'retry-after': retry_after }),
    }
    expect(plain.headers).toEqual({
      ...common,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(plain.body.length),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      date: expect.any(String),
      connection: 'close',
    })
    const page = await requestHost(plaza, host, { headers: browser })
    expect(page.headers).toEqual({
      ...common,
      ...(refresh && { refresh }),
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(page.body.length),
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
      date: expect.any(String),
      connection: 'close',
    })
    expect(page.status).toBe(status)
    expect(page.body).toContain(`<h1>${message}</h1>`)
    expect(page.body).toContain('<html lang="en">')
    for (const internal of [id, '127.0.0.1', 'plaza', 'Plaza', 'container', 'ECONN', 'generation'])
      expect(page.body).not.toContain(internal)
    const head = await requestHost(plaza, host, { method: 'HEAD', headers: browser })
    expect([head.status, head.headers['content-type'], head.headers.refresh, head.body]).toEqual([
      status,
      'text/html; charset=utf-8',
      undefined,
      '',
    ])
  }
})

test('clients that accept HTML and do not prefer JSON get a page', async () => {
  const { host } = await putDeployment(plaza, { desired: 'stopped' })
  const kind = async (accept: string) =>
    (await requestHost(plaza, host, { headers: { accept } })).headers['content-type']?.split(/[/;]/)[1]
  for (const accept of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/json;q=0.5, text/html;q=0.8',
    'text/html, application/json',
  ])
    expect([accept, await kind(accept)]).toEqual([accept, 'html'])
  for (const accept of [
    '*/*',
    'text/*',
    'application/json',
    'application/json, text/html;q=0.9',
    'text/html;q=0',
    'text/html;q=x',
    'text/htmlx',
    '',
  ])
    expect([accept, await kind(accept)]).toEqual([accept, 'json'])
})

test('a page is not reloaded after a method other than GET, whose body would be lost', async () => {
  const { host } = await putDeployment(plaza, { status: 'deploying' })
  const reply = await requestHost(plaza, host, { method: 'POST', body: 'x', headers: browser })
  expect([reply.status, reply.headers['content-type'], reply.headers.refresh]).toEqual([
    503,
    'text/html; charset=utf-8',
    undefined,
  ])
})
