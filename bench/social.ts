import { fork } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { inTurns, medianRatio, perSecond, type Figure } from './lib/figure.ts'
import { putLoad } from './lib/load.ts'
import { memoryOf } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import {
  bench_secret,
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

/** Starts the same endpoints without the batcher: see `bench/lib/one-by-one.ts`. */
async function startOneByOne(closers: Closers, { url }: BenchDatabase, issuer: string, plain: boolean) {
  const port = await freePort()
  const child = fork(fileURLToPath(new URL('lib/one-by-one.ts', import.meta.url)), [], {
    execArgv: [...process.execArgv, '--max-semi-space-size=64'],
    env: {
      ...process.env,
      DATABASE_URL: url,
      SECRET_KEYS: bench_secret,
      PUBLIC_URL: issuer,
      PORT: String(port),
      PLAIN: plain ? '1' : '0',
    },
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

/**
 * Chat posts in one channel and presence posts of 64 users, compared with a transaction per request: with the same guarantees,
 * and as one bare insert into separate tables that have only their primary keys.
 */
export async function benchPosts(closers: Closers, database: BenchDatabase): Promise<Figure[]> {
  const service = await startBenchService(closers, database)
  // Bare inserts may have equal times.
  await database.pool.query('create table bench_messages (like messages, primary key (id))')
  await database.pool.query('create index on bench_messages (channel_id, sent_at desc)')
  await database.pool.query('create table bench_presence (like presence including all)')
  const sides = [
    { beside: 'with the same promises', port: await startOneByOne(closers, database, service.issuer, false) },
    { beside: 'as one bare insert', port: await startOneByOne(closers, database, service.issuer, true) },
  ]
  const channel = await createChannel(service, 'bench')
  const senders = Array.from({ length: connections }, (_, n) => n)
  const message = '{"body":"good game, well played"}'
  const presence = '{"game":"chess"}'
  const kinds = {
    'chat post': senders.map((n) =>
      rawRequest('POST', `/api/social/chat/${channel}/messages`, bearer(service, n), message),
    ),
    'presence post': senders.map((n) => rawRequest('POST', '/api/social/presence', bearer(service, n), presence)),
  }
  const figures: Figure[] = []
  for (const [kind, requests] of Object.entries(kinds)) {
    await rate(service.port, requests)
    for (const { beside, port } of sides) {
      const name = `${kind}, 64 connections, beside a transaction for each request ${beside}`
      const results = await inTurns(
        name,
        rounds,
        () => rate(service.port, requests),
        () => rate(port, requests),
      )
      figures.push({
        name,
        ours: perSecond(results.map((round) => round.ours)),
        other: `the same door, 32 connections ${perSecond(results.map((round) => round.other))}`,
        ratio: medianRatio(results),
        must: 4,
        sense: 'at_least',
      })
    }
  }
  await service.stop()
  return figures
}

/** Milliseconds per call, with few connections so that queueing is not measured. */
async function cost(port: number, requests: string[]) {
  const result = await putLoad({ port, connections: 4, seconds: Math.min(seconds, 3), requests })
  if (result.refused > 0) throw new Error(`${result.refused} calls were refused`)
  return 1000 / result.per_second
}

/** User search among a million users compared with a read by key, and a page of a long channel with one of a short channel. */
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

const messages = 20
const timeout_ms = 10_000

/** A thousand readers of one channel: the delay until a message has reached them, and the memory of a reader. */
export async function benchEvents(closers: Closers, database: BenchDatabase): Promise<Figure> {
  const service = await startBenchService(closers, database)
  const channel = await createChannel(service, 'stream')
  const before = await memoryOf(service.pid)
  const arrivals: Arrival[] = []
  let on_arrival = () => {}
  const sockets = await Promise.all(
    Array.from({ length: readers }, (_, reader) =>
      openReader(service, channel, reader, (message) => {
        arrivals.push({ reader, message, at: performance.now() })
        on_arrival()
      }),
    ),
  )
  closers.add(async () => sockets.forEach((socket) => socket.destroy()))
  await new Promise((settled) => setTimeout(settled, 1_000))
  const each = ((await memoryOf(service.pid)) - before) / readers
  const sent: number[] = []
  for (let message = 0; message < messages; message++) {
    sent.push(performance.now())
    const all = new Promise<void>((done) => {
      setTimeout(done, timeout_ms).unref()
      on_arrival = () => arrivals.length >= readers * (message + 1) && done()
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
  const once = new Set(arrivals.map(({ reader, message }) => `${reader} ${message}`)).size
  if (once < arrivals.length) throw new Error(`${arrivals.length - once} messages came twice`)
  const delays = arrivals.map(({ message, at }) => at - (sent[message] ?? 0)).sort((a, b) => a - b)
  const p99 = delays[Math.floor(delays.length * 0.99)] ?? 0
  return {
    name: `a message to ${readers} event readers, ${messages} times, until each has it`,
    ours: `99th percentile ${p99.toFixed(0)} ms, median ${median(delays).toFixed(0)} ms`,
    other: `${once} of ${readers * messages} arrived, each once`,
    ratio: once / (readers * messages),
    must: 1,
    sense: 'at_least',
    note: `${Math.round(each / 1024)} kB of memory a reader`,
  }
}

interface Arrival {
  reader: number
  message: number
  at: number
}

/** Opens a reader of the event stream; `arrived` is called with the number of every message. */
function openReader(service: BenchService, channel: string, n: number, arrived: (message: number) => void) {
  return new Promise<Socket>((resolve, reject) => {
    const socket = connect({ port: service.port, host: '127.0.0.1' })
    let rest = ''
    socket.once('error', reject)
    socket.once('data', () => resolve(socket))
    socket.on('data', (chunk: Buffer) => {
      const events = (rest + chunk.toString()).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const [, message] = /"message (\d+)"/.exec(event) ?? []
        if (message !== undefined) arrived(Number(message))
      }
    })
    socket.write(
      rawRequest('GET', `/api/events?channels=${channel}`, { ...bearer(service, n), accept: 'text/event-stream' }),
    )
  })
}
