import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { bodyBytesMax, type Declaration } from '../contract/endpoint.ts'
import { operations } from '../contract/operations.ts'
import { package_root } from '../server/platform/package.ts'
import { note, type Figure } from './lib/figure.ts'
import { hostileBodies, hostileHeaders, hostileQueries, hostileWords } from './lib/hostile-requests.ts'
import { basicOf, median, sessionOf, startBenchService, tokenOf, type BenchService, type World } from './lib/world.ts'

/** How much longer the event loop may be blocked than in the idle service, in milliseconds at the 99.9th percentile. */
const bound_ms = 100
const idle_seconds = 10
const times_sent = 4
const users = 1_000
const operations_file = join(package_root, 'bench/hostile.md')

interface Operation {
  method: string
  path: string
  query: string[]
  auth: Declaration['auth']
  /** The fields of its body; undefined if it has none. */
  body?: string[]
  body_bytes: number
}

interface Case {
  what: string
  path: string
  headers: string
  text: string
}

interface Cost {
  operation: string
  /** The delay of the event loop while all cases of the operation were sent, at the 99.9th percentile. */
  delay_ms: number
  /** The case with the most processor time per request. */
  dearest: string
  processor_ms: number
}

/** How long large and malformed requests to every operation block the event loop, with tokens of unverified people. */
export async function benchHostile({ closers, database }: World): Promise<Figure> {
  await database.pool.query('update users set email_verified = false')
  const reporter = pathToFileURL(join(package_root, 'bench/lib/reporter.mjs')).href
  const settings = { NODE_OPTIONS: `--import=${reporter}`, TRUSTED_PROXIES: '127.0.0.1' }
  const service = await startBenchService(closers, database, settings)
  const all = [...Object.values(operations).map(operationOf), ...others]
  for (const operation of all) await send(service, requestOf(service, operation, plainCase(operation)))
  await service.eventLoopDelay()
  await pause(idle_seconds * 1_000)
  const idle_ms = await service.eventLoopDelay()
  const costs: Cost[] = []
  for (const operation of all) {
    const first = await costOf(service, operation)
    // Other programs also delay the event loop, so the median of three counts if it matters.
    const again =
      first.delay_ms < bound_ms / 2 ? [] : [await costOf(service, operation), await costOf(service, operation)]
    const cost = { ...first, delay_ms: median([first, ...again].map(({ delay_ms }) => delay_ms)) }
    costs.push(cost)
    note(
      `${cost.operation}: ${cost.delay_ms.toFixed(1)} ms late, up to ${cost.processor_ms.toFixed(2)} ms (${cost.dearest})`,
    )
  }
  await service.stop()
  costs.sort((a, b) => b.delay_ms - a.delay_ms)
  await writeFile(operations_file, report(costs, idle_ms))
  const [worst] = costs
  const late_ms = Math.max(0, (worst?.delay_ms ?? 0) - idle_ms)
  return {
    name: `how long hostile requests block the event loop (p99.9 of ${costs.length} operations)`,
    ours: `${late_ms.toFixed(1)} ms (${worst?.operation})`,
    other: `the bound, ${bound_ms} ms`,
    ratio: late_ms / bound_ms,
    must: 1,
    sense: 'at_most',
    note: `less ${idle_ms.toFixed(1)} ms of the idle service; each operation in hostile.md`,
  }
}

function operationOf(endpoint: Declaration): Operation {
  const { method, path, auth, query, body } = endpoint
  const namesOf = (schema: unknown) => Object.keys((schema as { properties?: object }).properties ?? {})
  return {
    method,
    path,
    auth,
    body_bytes: bodyBytesMax(endpoint),
    query: namesOf(query ?? {}),
    ...(body && { body: namesOf(body) }),
  }
}

/** Addresses that are not operations: pages, files, preflights and unknown paths. */
const others: Operation[] = [
  ['GET', '/'],
  ['GET', '/oauth/authorize'],
  ['GET', '/docs'],
  ['GET', '/docs/docs.css'],
  ['GET', '/docs/search.json'],
  ['GET', '/docs/guides/pkce'],
  ['GET', '/docs/reference/administration'],
  ['GET', '/llms.txt'],
  ['GET', '/api/openapi.json'],
  ['GET', '/icon.svg'],
  ['GET', '/logos/{app}'],
  ['GET', '/some/page/of/the/console'],
  ['GET', '/api/nothing/{here}'],
  ['DELETE', '/health'],
  ['OPTIONS', '/api/oauth/token'],
].map(([method = '', path = '']) => ({ method, path, query: [], auth: 'none', body_bytes: 0 }))

const withIds = (path: string) => path.replace(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000')
const plainCase = ({ path }: Operation): Case => ({ what: 'nothing else', path: withIds(path), headers: '', text: '' })

/** All cases of an operation, each with one malformed part. */
function casesOf(operation: Operation): Case[] {
  const { path, query, body, body_bytes } = operation
  const plain = plainCase(operation)
  const places = path.includes('{') ? Object.entries(hostileWords) : []
  const bodies = Object.entries(body ? hostileBodies(body_bytes, body) : {})
  return [
    plain,
    ...Object.entries(hostileHeaders).map(([what, headers]) => ({ ...plain, what, headers })),
    ...Object.entries(hostileQueries(query)).map(([what, text]) => ({ ...plain, what, path: `${plain.path}?${text}` })),
    ...places.map(([what, word]) => ({ ...plain, what, path: path.replace(/\{\w+\}/g, word).slice(0, 15_000) })),
    ...bodies.map(([what, { type, text }]) => ({ ...plain, what, headers: `content-type: ${type}`, text })),
  ]
}

let sent = 0

/** Each request uses another person and address, so that no rate limit refuses it before it is read. */
function requestOf(service: BenchService, { method, auth }: Operation, { path, headers, text }: Case) {
  const n = ++sent % users
  const session = sessionOf(service, n)
  const { authorization: credentials } = {
    none: { authorization: '' },
    user: session,
    admin: session,
    client: basicOf(0),
    agent: tokenOf(n),
    token: tokenOf(n),
  }[typeof auth === 'object' ? 'token' : auth]
  const head = [`${method} ${path} HTTP/1.1`, 'host: a', 'connection: close']
  if (headers) head.push(headers)
  if (credentials && !headers.includes('authorization:')) head.push(`authorization: ${credentials}`)
  if (!headers.includes('x-forwarded-for'))
    head.push(`x-forwarded-for: 10.${sent >> 16}.${(sent >> 8) & 255}.${sent & 255}`)
  if (text) head.push(`content-length: ${Buffer.byteLength(text)}`)
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}

/** Sends all cases of an operation, several of each concurrently. */
async function costOf(service: BenchService, operation: Operation): Promise<Cost> {
  const cost: Cost = { operation: `${operation.method} ${operation.path}`, delay_ms: 0, dearest: '', processor_ms: 0 }
  await service.eventLoopDelay()
  for (const each of casesOf(operation)) {
    const requests = Array.from({ length: times_sent }, () => requestOf(service, operation, each))
    const before = await service.processorTime()
    await Promise.all(requests.map((request) => send(service, request)))
    const processor_ms = ((await service.processorTime()) - before) / 1_000 / times_sent
    if (processor_ms > cost.processor_ms) Object.assign(cost, { processor_ms, dearest: each.what })
  }
  return { ...cost, delay_ms: await service.eventLoopDelay() }
}

/** Sends a request on a new connection, and waits for its end. */
const send = ({ port }: BenchService, request: Buffer) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request))
    // An endless answer, such as an event stream, is closed after its first bytes.
    socket.once('data', (head) => {
      if (head.includes('text/event-stream')) socket.destroy()
      else socket.resume()
    })
    // An answer during the upload of the body resets the connection. It counts as an answer.
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? reject(error) : undefined))
    socket.on('close', () => resolve())
  })

function report(costs: Cost[], idle_ms: number) {
  const rows = costs.map(
    ({ operation, delay_ms, dearest, processor_ms }) =>
      `| ${operation} | ${delay_ms.toFixed(1)} | ${processor_ms.toFixed(2)} | ${dearest} |`,
  )
  return (
    '# How long hostile requests block the event loop\n\n`hostile.ts` sends to each operation the most expensive requests up to its limits: ' +
    'long lists, wide and deep objects, long texts, repeated names, queries and headers, with tokens of people who are not verified. ' +
    `The delay of the event loop is that of 99.9 % of all moments meanwhile; the idle service’s was ${idle_ms.toFixed(1)} ms. ` +
    `The bound is ${bound_ms} ms more than that (D-83). The processor time is that of one request of the dearest kind.\n\n` +
    `| operation | ms late | ms of processor | dearest with |\n|---|---|---|---|\n${rows.join('\n')}\n`
  )
}
