import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { login, me } from '../../contract/accounts.ts'
import { PlazaClient } from '../../contract/client.ts'
import type { Operation } from '../http/openapi.ts'
import { firstAdmin, sharedService } from '../test/harness.ts'
import { allowHosting } from '../test/hosting-world.ts'
import { startProcess } from '../test/processes.ts'
import { samplesOnPage, startRecorder, type RecordedRequest, type ShownSample } from '../test/reference-samples.ts'
import { raw, someApp, someTokens, theAdmin } from '../test/world.ts'
import type { Scope } from '../../contract/kinds/scopes.ts'

const plaza = await sharedService()
const recorder = await startRecorder()
const env = { TOKEN: 'the-token', CLIENT_ID: 'the-client', CLIENT_SECRET: 'the-secret' }

const { paths } = (await raw(plaza, 'GET', '/api/openapi.json')).body as {
  paths: Record<string, Record<string, Operation>>
}
const operations = new Map(
  Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => [each.operationId, each] as const)),
)
const chapters = new Set([...operations.values()].map(({ tags }) => tags[0]?.toLowerCase().replaceAll(' ', '-') ?? ''))
const pages = await Promise.all([...chapters].map((name) => raw(plaza, 'GET', `/docs/reference/${name}`)))
const samples = pages.flatMap(({ text }) => samplesOnPage(text))

/** The code, addressed to the recorder. */
const pointed = ({ operation, reader, code }: ShownSample) =>
  code.replaceAll(plaza.url, `${recorder.url}/${operation}/${reader}`)

const written = (reader: string) => samples.filter((sample) => sample.reader === reader)

/** Runs the curl samples a few at a time. */
async function runCurl() {
  const queue = written('curl')
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift())
      await promisify(execFile)('sh', ['-euc', pointed(next)], { env: { ...process.env, ...env } })
  }
  await Promise.all([work(), work(), work(), work()])
}

const AsyncFunction = (async () => {}).constructor as new (
  ...names: string[]
) => (...values: unknown[]) => Promise<void>

/** Runs the samples for Node and browsers in this process, each as a function; a process for each would take minutes. */
async function runScripts() {
  const console = { log: () => {} }
  const sessionStorage = { getItem: () => env.TOKEN }
  for (const sample of [...written('node'), ...written('browser')])
    await new AsyncFunction('process', 'sessionStorage', 'console', pointed(sample))({ env }, sessionStorage, console)
}

/** Runs the Python samples in one process. */
async function runPython() {
  const program = 'import json, sys\nfor code in json.load(sys.stdin): exec(compile(code, "sample", "exec"), {})'
  const python = startProcess('python3', ['-c', program], env, { stdio: ['pipe', 'pipe', 'pipe'] })
  python.child.stdin?.end(JSON.stringify(written('python').map(pointed)))
  const { code, stderr } = await python.ended
  expect([code, stderr]).toEqual([0, ''])
}

await Promise.all([runCurl(), runScripts(), runPython()])

test('every operation has samples in four languages, but none for a browser where a client secret is sent', () => {
  const readers = new Map<string, string[]>()
  for (const { operation, reader } of samples) readers.set(operation, [...(readers.get(operation) ?? []), reader])
  for (const [id, { 'x-caller': caller }] of operations)
    expect([id, readers.get(id)]).toEqual([id, ['curl', 'node', 'python', ...(caller === 'client' ? [] : ['browser'])]])
})

const sent = (operation: string, reader: string) => recorder.requests.get(`${operation} ${reader}`)

test('the samples of an operation send one and the same request in every language', () => {
  for (const [id, { 'x-caller': caller }] of operations) {
    const curl = sent(id, 'curl')
    const header = { anyone: undefined, client: `Basic ${btoa('the-client:the-secret')}` }[caller as string]
    expect([id, curl?.authorization]).toEqual([id, caller in { anyone: 1, client: 1 } ? header : 'Bearer the-token'])
    for (const reader of ['node', 'python', ...(caller === 'client' ? [] : ['browser'])])
      expect([id, reader, sent(id, reader)]).toEqual([id, reader, curl])
  }
})

/** Statuses of malformed requests and wrong credentials. */
const careless = [400, 401, 405, 413, 415, 422, 500]

/** The errors for the codes, tokens and clients in examples, which do not exist here. */
const of_examples = [
  'invalid_client',
  'invalid_grant',
  'invalid_token',
  'invalid_credentials',
  'invalid_code',
  'invalid_request_uri',
  'image_not_allowed',
  'is not a referral code',
  'must be one of bitcoin-basics',
  'must be the id of a job',
  'must have a host that DNS knows',
]

/** The same request with valid credentials. */
async function sendAs(
  authorization: string | undefined,
  { method, url, content_type, idempotency_key, body }: RecordedRequest,
) {
  const abort = new AbortController()
  const response = await fetch(plaza.url + url, {
    method,
    redirect: 'manual',
    signal: abort.signal,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(content_type !== undefined && { 'content-type': content_type }),
      ...(idempotency_key !== undefined && { 'idempotency-key': idempotency_key }),
    },
    ...(body !== undefined && {
      body:
        content_type === 'application/json'
          ? JSON.stringify(body)
          : new URLSearchParams(body as Record<string, string>),
    }),
  })
  const is_stream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const text = is_stream ? '' : await response.text()
  abort.abort()
  return { status: response.status, text }
}

test('the real service accepts every sample as well-formed, and fails at most because the examples’ ids do not exist', async () => {
  const admin = await theAdmin(plaza)
  const scopes: Scope[] = ['profile:read', 'points:read', 'points:spend', 'points:transfer', 'app:balance:read']
  const app = await someApp(plaza, { scopes, owner: admin })
  await allowHosting(plaza, app)
  const tokens = await someTokens(plaza, app, admin, [...scopes, 'deploy:manage'])
  const anonymous = new PlazaClient(plaza.url)
  let jwt = admin.token
  for (const [id, { 'x-caller': caller }] of operations) {
    // Some calls end the session that all share.
    if (!(await anonymous.withToken(jwt).call(me)).ok) jwt = (await anonymous.result(login, { body: firstAdmin })).token
    const authorizations = {
      anyone: undefined,
      user: `Bearer ${jwt}`,
      admin: `Bearer ${jwt}`,
      app: `Bearer ${tokens.access_token}`,
      client: `Basic ${btoa(`${app.client_id}:${app.client_secret}`)}`,
    }
    const { status, text } = await sendAs(authorizations[caller], sent(id, 'curl')!)
    const is_example = of_examples.some((words) => text.includes(words))
    const is_fault = (careless.includes(status) && !is_example) || text.startsWith('{"errors"')
    expect([id, status, is_fault ? text : '']).toEqual([id, status, ''])
  }
})
