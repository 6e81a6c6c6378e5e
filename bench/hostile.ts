import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { decisions } from '../contract/decisions.ts'
import { package_root } from '../server/platform/package.ts'
import { note, type Figure } from './lib/figure.ts'
import { hostileBodies, hostileHeaders, hostileQueries, hostileWords } from './lib/hostile.ts'
import { median, startBenchService, type BenchDatabase, type BenchService, type Closers } from './lib/world.ts'

/** The maximum cost of one unauthenticated request, in milliseconds of the service's processor time. */
const bound_ms = 5
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const per_round = 4
/** All cases are sent a few times; the most expensive one of each address, and all above this cost, are then measured precisely. */
const remeasured_ms = 2
const { body_bytes_max, open_body_bytes_max } = decisions['D-83'].value
const addresses_file = join(package_root, 'bench/anonymous.md')

interface Operation {
  method: string
  path: string
  query: string[]
  /** The fields of its body; undefined if it has none. */
  body: string[] | undefined
  body_bytes: number
  /** Whether the body is read before authentication. */
  is_open: boolean
}

interface Case {
  operation: string
  what: string
  request: Buffer
}

interface Cost {
  operation: string
  what: string
  status: string
  ms: number
}

/** The cost of large and malformed requests to every address, without credentials and with invalid ones. */
export async function benchAnonymous(closers: Closers, database: BenchDatabase): Promise<Figure> {
  const reporter = pathToFileURL(join(package_root, 'bench/lib/cpu-reporter.mjs')).href
  const settings = { NODE_OPTIONS: `--import=${reporter}`, TRUSTED_PROXIES: '127.0.0.1' }
  const service = await startBenchService(closers, database, settings)
  const costs: Cost[] = []
  const operations = (await operationsOf(service)).sort((a, b) => Number(b.is_open) - Number(a.is_open))
  for (const operation of operations) {
    const rough: { each: Case; cost: Cost }[] = []
    for (const each of casesOf(operation)) rough.push({ each, cost: await costOf(service, each, 1, 2) })
    rough.sort((a, b) => b.cost.ms - a.cost.ms)
    for (const [at, { each, cost }] of rough.entries())
      costs.push(at < 2 || cost.ms > remeasured_ms ? await costOf(service, each, rounds, per_round) : cost)
    const [dearest] = rough
    note(
      `${operation.method} ${operation.path}: ${rough.length} kinds, up to ${dearest?.cost.ms.toFixed(2)} ms (${dearest?.each.what})`,
    )
  }
  await service.stop()
  costs.sort((a, b) => b.ms - a.ms)
  await writeFile(addresses_file, report(costs))
  const [worst] = costs
  return {
    name: `the dearest of ${costs.length} anonymous requests to ${new Set(costs.map(({ operation }) => operation)).size} addresses`,
    ours: `${worst?.ms.toFixed(2)} ms of processor (${worst?.operation}: ${worst?.what})`,
    other: `the bound, ${bound_ms} ms`,
    ratio: (worst?.ms ?? 0) / bound_ms,
    must: 1,
    sense: 'at_most',
    note: 'each address in anonymous.md',
  }
}

interface Described {
  paths: Record<string, Record<string, DescribedOperation>>
}
interface DescribedOperation {
  security?: unknown[]
  parameters?: { name: string; in: string }[]
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, unknown> } }> }
}

/** Addresses that are not in the OpenAPI document: pages, files, preflights and unknown paths. */
const others: Operation[] = [
  ['GET', '/'],
  ['GET', '/oauth/authorize'],
  ['GET', '/docs'],
  ['GET', '/docs/docs.css'],
  ['GET', '/docs/search.json'],
  ['GET', '/docs/guides/pkce'],
  ['GET', '/docs/guides/pkce.md'],
  ['GET', '/docs/reference/administration'],
  ['GET', '/llms.txt'],
  ['GET', '/api/openapi.json'],
  ['GET', '/icon.svg'],
  ['GET', '/logos/{app}'],
  ['GET', '/some/page/of/the/console'],
  ['GET', '/api/nothing/{here}'],
  ['DELETE', '/health'],
  ['OPTIONS', '/api/oauth/token'],
].map(([method = '', path = '']) => ({ method, path, query: [], body: undefined, body_bytes: 0, is_open: true }))

async function operationsOf({ port }: BenchService): Promise<Operation[]> {
  const { paths } = (await (await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).json()) as Described
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
      body: requestBody && Object.keys(requestBody.content['application/json']?.schema.properties ?? {}),
      body_bytes:
        requestBody && 'application/x-www-form-urlencoded' in requestBody.content
          ? body_bytes_max
          : open_body_bytes_max,
      is_open: (security ?? []).length === 0,
    })),
  )
  return [...described, ...others]
}

/** All cases of an address, each with one malformed part. */
function casesOf({ method, path, query, body, body_bytes, is_open }: Operation): Case[] {
  const operation = `${method} ${path}`
  const plain = path.replace(/\{\w+\}/g, '01890000-0000-7000-8000-000000000000')
  const one = (what: string, address: string, headers = '', text = ''): Case => ({
    operation,
    what,
    request: Buffer.from(
      `${method} ${address} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers && `${headers}\r\n`}` +
        `${text && `content-length: ${Buffer.byteLength(text)}\r\n`}\r\n${text}`,
    ),
  })
  const places = path.includes('{') ? Object.entries(hostileWords) : []
  // Endpoints that need credentials reject all requests by the same code before they read them: a sample is enough.
  const some = <Part>(all: Record<string, Part>, count: number) =>
    Object.entries(all).slice(0, is_open ? undefined : count)
  const bodies = some(body ? hostileBodies(body_bytes, body) : {}, 2)
  return [
    one('nothing else', plain),
    ...some(hostileHeaders, 6).map(([what, header]) => one(what, plain, header)),
    ...some(hostileQueries(query), 1).map(([what, text]) => one(what, `${plain}?${text}`)),
    ...places.map(([what, word]) => one(what, path.replace(/\{\w+\}/g, word).slice(0, 15_000))),
    ...bodies.map(([what, { type, text }]) => one(what, plain, `content-type: ${type}`, text)),
  ]
}

/** The median of several rounds of concurrent requests, after one round that is not counted. */
async function costOf(
  service: BenchService,
  { operation, what, request }: Case,
  times_measured: number,
  each_time: number,
): Promise<Cost> {
  const status = await send(service.port, request)
  const times: number[] = []
  for (let round = 0; round < times_measured; round++) {
    const before = await service.processorTime()
    await Promise.all(Array.from({ length: each_time }, () => send(service.port, request)))
    times.push((await service.processorTime()) - before)
  }
  return { operation, what, status, ms: median(times) / each_time / 1000 }
}

/** Sends a request on a new connection; returns the status. */
const send = (port: number, request: Buffer) =>
  new Promise<string>((resolve, reject) => {
    let answer = ''
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request))
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      if (answer.length < 20) answer += String(chunk)
    })
    // A response during the upload of the body resets the connection; it counts as a response.
    socket.on('error', (error) => (answer === '' ? reject(error) : undefined))
    socket.on('close', () => resolve(answer.slice(9, 12)))
  })

function report(costs: Cost[]) {
  const dearest = new Map<string, Cost>()
  for (const cost of costs) if (!dearest.has(cost.operation)) dearest.set(cost.operation, cost)
  const rows = [...dearest.values()].map(
    ({ operation, what, status, ms }) => `| ${operation} | ${ms.toFixed(2)} | ${what} | ${status} |`,
  )
  return (
    '# What an anonymous request costs\n\nProcessor time of the service for one request by somebody who has no credentials, or ' +
    'garbage for them, with a connection of its own; at each address the dearest of all that `anonymous.ts` sends ' +
    `there (${costs.length} kinds in all). The bound is ${bound_ms} ms (D-83). argon2 is apart: no such request is ` +
    'well-formed enough to reach it, and logins are limited.\n\n' +
    `| address | ms | dearest with | answer |\n|---|---|---|---|\n${rows.join('\n')}\n`
  )
}
