import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { freePort } from '../server/test/free-port.ts'
import { sleep } from '../server/test/wait.ts'
import { startChild } from './lib/child.ts'
import { openReaders } from './lib/event-readers.ts'
import { compare, milliseconds, type Figure } from './lib/figure.ts'
import { connections, ofUsers, rateOf, seconds } from './lib/load.ts'
import { memoryOf } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { bench_secret, seeded, sessionOf, startBenchService, type BenchService, type World } from './lib/world.ts'

/** Starts the same endpoints without the batcher: see `bench/lib/one-by-one.ts`. */
async function startOneByOne({ closers, database }: World, issuer: string, plain: boolean) {
  const port = await freePort()
  await startChild(closers, fileURLToPath(new URL('lib/one-by-one.ts', import.meta.url)), [], {
    exec_args: [...process.execArgv, '--max-semi-space-size=64'],
    env: {
      DATABASE_URL: database.url,
      SECRET_KEYS: bench_secret,
      PUBLIC_URL: issuer,
      PORT: String(port),
      PLAIN: plain ? '1' : '0',
    },
  })
  return port
}

async function createChannel(service: BenchService, ref_id: string) {
  const reply = await fetch(`${service.issuer}/api/social/chat/channels`, {
    method: 'POST',
    headers: { ...sessionOf(service, 0), 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'table', ref_id }),
  })
  return ((await reply.json()) as { id: string }).id
}

/**
 * Chat posts in one channel and presence posts of 64 users, compared with one transaction per request: with the same guarantees, and as one
 * bare insert into separate tables that only have their primary keys.
 */
export async function benchPosts(world: World): Promise<Figure[]> {
  const { closers, database } = world
  const service = await startBenchService(closers, database)
  // Bare inserts may have equal times.
  await database.pool.query(`
    create table bench_messages (like messages, primary key (id));
    create index on bench_messages (channel_id, sent_at desc);
    create table bench_presence (like presence including all)`)
  const sides = {
    'with the same promises': await startOneByOne(world, service.issuer, false),
    'as one bare insert': await startOneByOne(world, service.issuer, true),
  }
  const channel = await createChannel(service, 'bench')
  const post = (path: string, body: string) =>
    Array.from({ length: connections }, (_, n) => rawRequest('POST', path, sessionOf(service, n), body))
  const kinds = {
    'chat post': post(`/api/social/chat/${channel}/messages`, '{"body":"good game, well played"}'),
    'presence post': post('/api/social/presence', '{"game":"chess"}'),
  }
  const figures: Figure[] = []
  for (const [kind, requests] of Object.entries(kinds))
    for (const [beside, port] of Object.entries(sides))
      figures.push(
        await compare(
          {
            name: `${kind}, 64 connections, beside a transaction for each request ${beside}`,
            other: 'the same door, 32 connections',
            must: 4,
          },
          () => rateOf({ port: service.port, requests }),
          () => rateOf({ port, requests }),
        ),
      )
  return figures
}

/** User search among a million users compared with a read by key, and a page of a long channel with one of a short channel. */
export async function benchLookups({ closers, database }: World): Promise<Figure[]> {
  const service = await startBenchService(closers, database)
  const [short, long] = [await createChannel(service, 'short'), await createChannel(service, 'long')]
  await fillChannel(database.pool, short, 1_000)
  await fillChannel(database.pool, long, 1_000_000)
  await database.pool.query('vacuum analyze')
  const get = (path: string, n: number) => rawRequest('GET', path, sessionOf(service, n))
  const search = ofUsers(1_000_000, (n) => get(`/api/social/users/search?q=user${n}`, n % 500), 500)
  const by_key = Array.from({ length: 500 }, (_, n) => get('/api/auth/me', n))
  const page = (channel: string) => [get(`/api/social/chat/${channel}/messages?limit=50`, 1)]
  /** Milliseconds per call, with few connections so that queueing is not measured. */
  const cost = (requests: string[]) => async () =>
    1000 / (await rateOf({ port: service.port, connections: 4, seconds: Math.min(seconds, 3), requests }))
  const [sense, text] = ['at_most', milliseconds(3)] as const
  return [
    await compare(
      { name: 'user search among 1 000 000 users', other: 'a profile by key, same door,', must: 5, sense, text },
      cost(search),
      cost(by_key),
    ),
    await compare(
      { name: 'page of 50 in a channel of 1 000 000 messages', other: 'in one of 1 000', must: 1.3, sense, text },
      cost(page(long)),
      cost(page(short)),
    ),
  ]
}

const fillChannel = (pool: pg.Pool, channel_id: string, messages: number) =>
  pool.query(
    `insert into messages (id, channel_id, sent_at, sender_id, body, filtered_body)
     select gen_random_uuid(), $1, now() - (${messages} - n) * interval '1 second', $2, 'hello', 'hello'
       from generate_series(1, ${messages}) n`,
    [channel_id, seeded.userId(5)],
  )

const readers = 1_000
const messages = 20

/** A thousand readers of one channel: the delay until a message has reached them, and the memory of a reader. */
export async function benchEvents({ closers, database }: World): Promise<Figure> {
  const service = await startBenchService(closers, database)
  const channel = await createChannel(service, 'stream')
  const before = await memoryOf(service.pid)
  const opened = await openReaders(closers, { port: service.port, channel, readers })
  await opened.connected()
  await sleep(1_000)
  const each = ((await memoryOf(service.pid)) - before) / readers
  const delays: number[] = []
  for (let message = 0; message < messages; message++) delays.push(await opened.deliver(service))
  const { received } = opened.state()
  return {
    name: `a message to ${readers} event readers, ${messages} times, until each has it`,
    ours: `at most ${Math.max(...delays).toFixed(0)} ms`,
    other: `${received} of ${readers * messages} arrived`,
    ratio: (readers * messages) / received,
    must: 1,
    sense: 'at_least',
    note: `${Math.round(each / 1024)} kB of memory a reader`,
  }
}
