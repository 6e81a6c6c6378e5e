import { fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { fastify } from 'fastify'
import pg from 'pg'
import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { rawRequest } from './lib/raw.ts'
import {
  median,
  seeded,
  seededJwt,
  startBenchService,
  type BenchDatabase,
  type BenchService,
  type Closers,
} from './lib/world.ts'
import { freePort } from '../server/test/free-port.ts'

const connections = 64
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const readers = 1_000

/** The plain way: a server that writes each request by a statement, and so a transaction, of its own. */
async function servePlain(port: number, host: string, user: string, database: string) {
  const pool = new pg.Pool({ host, user, database, max: 10 })
  const plain = fastify()
  plain.post('/message', async (request) => {
    const { rows } = await pool.query({
      name: 'message',
      text: `insert into plain_messages (channel_id, sender_id, body, sent_at) values ($1, $2, $3, now())
             returning id, sender_id, body, sent_at`,
      values: [seeded.appId(0), seeded.userId(0), (request.body as { body: string }).body],
    })
    return rows[0] as object
  })
  plain.post('/presence', async (request) => {
    await pool.query({
      name: 'presence',
      text: `insert into plain_presence (user_id, game, last_seen) values ($1, $2, now())
             on conflict (user_id) do update set game = excluded.game, last_seen = excluded.last_seen`,
      values: [request.headers['x-user'], (request.body as { game: string }).game],
    })
    return { status: 'ok' }
  })
  await plain.listen({ port, host: '127.0.0.1' })
  process.send?.('ready')
}

async function startPlain(closers: Closers, { host, user, name, pool }: BenchDatabase) {
  await pool.query(`create table plain_messages (id bigint generated always as identity primary key,
    channel_id uuid not null, sender_id uuid not null, body text not null, sent_at timestamptz not null)`)
  await pool.query('create index on plain_messages (channel_id, sent_at desc)')
  await pool.query('create table plain_presence (user_id uuid primary key, game text, last_seen timestamptz not null)')
  const port = await freePort()
  const child = fork(fileURLToPath(import.meta.url), ['plain', String(port), host, user, name], {
    execArgv: process.execArgv,
  })
  const gone = new Promise<void>((done) => child.once('exit', () => done()))
  closers.add(async () => {
    child.kill()
    await gone
  })
  await new Promise((ready) => child.once('message', ready))
  return port
}

const bearer = (service: BenchService, n: number) => ({ authorization: `Bearer ${seededJwt(service.issuer, n)}` })

async function createChannel(service: BenchService, ref_id: string) {
  const reply = await fetch(`${service.issuer}/api/social/chat/channels`, {
    method: 'POST',
    headers: { ...bearer(service, 0), 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'table', ref_id }),
  })
  return ((await reply.json()) as { id: string }).id
}

async function rate(port: number, requests: string[]) {
  const result = await putLoad({ port, connections, seconds, requests })
  if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
  return result.per_second
}

/** Chat and presence posts against one insert per request and transaction. */
export async function benchPosts(closers: Closers, database: BenchDatabase): Promise<Figure[]> {
  const service = await startBenchService(closers, database)
  const plain = await startPlain(closers, database)
  const channel = await createChannel(service, 'bench')
  const everybody = Array.from({ length: connections }, (_, n) => n)
  const message = '{"body":"good game, well played"}'
  const presence = '{"game":"chess"}'
  const pairs = {
    'chat post': [
      everybody.map((n) => rawRequest('POST', `/api/social/chat/${channel}/messages`, bearer(service, n), message)),
      everybody.map(() => rawRequest('POST', '/message', {}, message)),
    ],
    'presence post': [
      everybody.map((n) => rawRequest('POST', '/api/social/presence', bearer(service, n), presence)),
      everybody.map((n) => rawRequest('POST', '/presence', { 'x-user': seeded.userId(n) }, presence)),
    ],
  } as const
  const figures: Figure[] = []
  for (const [name, [ours, theirs]] of Object.entries(pairs)) {
    await rate(service.port, ours)
    const results = await inTurns(
      name,
      rounds,
      () => rate(service.port, ours),
      () => rate(plain, theirs),
    )
    figures.push({
      name: `${name}, 64 connections`,
      ours: perSecond(results.map((round) => round.ours)),
      other: `one insert per request and transaction, without authentication ${perSecond(results.map((round) => round.other))}`,
      ratio: medianRatio(results),
      must: 4,
      sense: 'at_least',
    })
  }
  await service.stop()
  return figures
}

/** Milliseconds a call, at few connections so that it is the call that is measured. */
async function cost(port: number, requests: string[]) {
  const result = await putLoad({ port, connections: 4, seconds: Math.min(seconds, 3), requests })
  if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
  return 1000 / result.per_second
}

/** User search among a million users against a read by key, and a page of a long channel against one of a short. */
export async function benchLookups(closers: Closers, database: BenchDatabase): Promise<Figure[]> {
  const service = await startBenchService(closers, database)
  const [short, long] = [await createChannel(service, 'short'), await createChannel(service, 'long')]
  await fillChannel(database.pool, short, 1_000)
  await fillChannel(database.pool, long, 1_000_000)
  await database.pool.query('vacuum analyze')
  const search = Array.from({ length: 500 }, (_, at) =>
    rawRequest('GET', `/api/social/users/search?q=user${(at * 7919) % 1_000_000}`, bearer(service, at)),
  )
  const byKey = Array.from({ length: 500 }, (_, at) => rawRequest('GET', '/api/auth/me', bearer(service, at)))
  const page = (channel: string) => [
    rawRequest('GET', `/api/social/chat/${channel}/messages?limit=50`, bearer(service, 1)),
  ]
  const searches = await inTurns(
    'search in ms',
    rounds,
    () => cost(service.port, search),
    () => cost(service.port, byKey),
  )
  const pages = await inTurns(
    'page in ms',
    rounds,
    () => cost(service.port, page(long)),
    () => cost(service.port, page(short)),
  )
  await service.stop()
  const figure = (name: string, other: string, must: number, results: typeof pages): Figure => ({
    name,
    ours: `${median(results.map((round) => round.ours)).toFixed(3)} ms`,
    other: `${other} ${median(results.map((round) => round.other)).toFixed(3)} ms`,
    ratio: medianRatio(results),
    must,
    sense: 'at_most',
  })
  return [
    figure('user search among 1 000 000 users', 'a profile by key, same door,', 5, searches),
    figure('page of 50 in a channel of 1 000 000 messages', 'in one of 1 000', 1.3, pages),
  ]
}

const fillChannel = (pool: pg.Pool, channel_id: string, messages: number) =>
  pool.query(
    `insert into messages (id, channel_id, sent_at, sender_id, body, filtered_body)
     select gen_random_uuid(), $1, now() - (${messages} - n) * interval '1 second', $2, 'hello', 'hello'
       from generate_series(1, ${messages}) n`,
    [channel_id, seeded.userId(5)],
  )

async function memoryOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

/** A thousand readers of one channel: how long until a message has reached them, and what a reader costs. */
export async function benchEvents(closers: Closers, database: BenchDatabase): Promise<Figure> {
  const service = await startBenchService(closers, database)
  const channel = await createChannel(service, 'stream')
  const before = await memoryOf(service.pid)
  const arrivals: number[] = []
  let on_arrival = (_at: number) => {}
  const sockets = await Promise.all(
    Array.from({ length: readers }, (_, n) => openReader(service, channel, n, () => on_arrival(performance.now()))),
  )
  closers.add(async () => sockets.forEach((socket) => socket.destroy()))
  await new Promise((settled) => setTimeout(settled, 1_000))
  const each = ((await memoryOf(service.pid)) - before) / readers
  for (let message = 0; message < 20; message++) {
    const sent = performance.now()
    const all = new Promise<void>((done) => {
      let count = 0
      on_arrival = (at) => {
        arrivals.push(at - sent)
        if (++count === readers) done()
      }
    })
    await fetch(`${service.issuer}/api/social/chat/${channel}/messages`, {
      method: 'POST',
      headers: { ...bearer(service, 0), 'content-type': 'application/json' },
      body: JSON.stringify({ body: `message ${message}` }),
    })
    await all
  }
  sockets.forEach((socket) => socket.destroy())
  await service.stop()
  const sorted = arrivals.sort((a, b) => a - b)
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
  return {
    name: `a message to ${readers} event readers, 20 times, until each has it`,
    ours: `99th percentile ${p99.toFixed(0)} ms, median ${median(sorted).toFixed(0)} ms`,
    other: `${sorted.length} of ${readers * 20} arrived`,
    ratio: sorted.length / (readers * 20),
    must: 1,
    sense: 'at_least',
    note: `${Math.round(each / 1024)} kB of memory a reader`,
  }
}

/** A reader of the event stream; `arrived` is told of every message event. */
function openReader(service: BenchService, channel: string, n: number, arrived: () => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: service.port, host: '127.0.0.1' })
    socket.once('error', reject)
    socket.once('data', () => resolve(socket))
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('event: message')) arrived()
    })
    socket.write(
      rawRequest('GET', `/api/events?channels=${channel}`, { ...bearer(service, n), accept: 'text/event-stream' }),
    )
  })
}

if (process.argv[2] === 'plain') {
  const [port, host, user, database] = process.argv.slice(3)
  await servePlain(Number(port), host ?? '', user ?? '', database ?? '')
}
