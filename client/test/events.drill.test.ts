import { expect, test } from 'vitest'
import { startTestService } from '../../server/test/harness.ts'
import { someUser, world } from '../../server/test/world.ts'
import { framesOf } from '../src/event-frames.ts'
import {
  isPlazaError,
  needsSignIn,
  openPlaza,
  refreshedTokens,
  type Interruption,
  type PlazaError,
  type TokenSet,
} from '../src/index.ts'
import { clientFor, clientOf, failureIn, tokenSet } from './people.ts'
import { openRoad } from './road.ts'

const plaza = await startTestService({ EVENTS_HEARTBEAT: '1', JWT_TTL: '31536000' })

async function chat() {
  const [reader, writer] = [await someUser(plaza), await someUser(plaza)]
  const { id: channel_id } = await clientOf(plaza, reader).openChannel({ type: 'table', ref_id: reader.username })
  const say = (body: string) => clientOf(plaza, writer).sendMessage({ channel_id, body })
  return { reader, channel_id, say, road: await openRoad(plaza) }
}

/** Resolves when a stream has connected this many times. */
function connections() {
  let count = 0
  return { on_connected: () => void count++, reached: (wanted = 1) => expect.poll(() => count).toBe(wanted) }
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `message ${from + at}`)

test('D-80: a stream whose connection is killed repeatedly yields every event once, in order', async () => {
  const { reader, channel_id, say, road } = await chat()
  const interruptions: Interruption[] = []
  const { on_connected, reached } = connections()
  const stream = clientOf(plaza, reader, road.url).readEvents(
    { channels: channel_id },
    { on_connected, on_interrupted: (why) => void interruptions.push(why) },
  )
  const texts: string[] = []
  const reading = (async () => {
    for await (const event of stream) {
      if (event.type === 'message') texts.push(event.data.filtered_body)
      if (texts.length === 40) return event.id
    }
    throw new Error('the stream ended')
  })()
  await reached()
  for (let round = 0; round < 4; round++) {
    const lines = numbered(10, round * 10)
    for (const line of lines.slice(0, 5)) await say(line)
    if (round < 3) road.cut()
    for (const line of lines.slice(5)) await say(line)
    await expect.poll(() => texts.length).toBe((round + 1) * 10)
  }
  expect(await reading).toBe(stream.last_event_id)
  expect(texts).toEqual(numbered(40))
  expect(interruptions.map(({ error }) => isPlazaError(error, 'no_answer'))).toEqual([true, true, true])
  expect(road.requests.length).toBe(4)
  expect(road.requests.map(({ headers }) => typeof headers['last-event-id'])).toEqual([
    'undefined',
    ...Array<string>(3).fill('string'),
  ])
  await expect.poll(() => road.open()).toBe(0)
})

test('D-80: a later stream continues where an earlier one was left, including events in between', async () => {
  const { reader, channel_id, say, road } = await chat()
  const api = clientOf(plaza, reader, road.url)
  let said: Promise<unknown> = Promise.resolve()
  const on_connected = () => void (said = say('one').then(() => say('two')))
  const first = api.readEvents({ channels: channel_id }, { on_connected })
  for await (const event of first) if (event.type === 'message' && event.data.filtered_body === 'one') break
  await said
  await say('three')
  const { last_event_id } = first
  const texts: string[] = []
  for await (const event of api.readEvents({ channels: channel_id }, { last_event_id })) {
    if (event.type === 'message') texts.push(event.data.filtered_body)
    if (texts.length === 2) break
  }
  expect(texts).toEqual(['two', 'three'])
})

test('D-80: a stop of the service does not end the stream', async () => {
  const { reader, channel_id, say } = await chat()
  const behind = await plaza.startAnother()
  const road = await openRoad(behind)
  const texts: string[] = []
  const interruptions: Interruption[] = []
  const on_interrupted = (why: Interruption) => void interruptions.push(why)
  const { on_connected, reached } = connections()
  const reading = (async () => {
    const stream = clientOf(plaza, reader, road.url).readEvents(
      { channels: channel_id },
      { on_connected, on_interrupted, retries: 1 },
    )
    for await (const event of stream) if (event.type === 'message') texts.push(event.data.filtered_body)
  })()
  await reached()
  await say('before')
  await expect.poll(() => texts).toEqual(['before'])
  await behind.service.stop()
  // No service replaces it: the stream tries to reconnect and finally fails.
  const failure = (await failureIn(reading)) as PlazaError
  expect([failure.code, failure.operation]).toEqual(['no_answer', 'readEvents'])
  expect([interruptions[0]?.error, isPlazaError(interruptions[1]?.error, 'no_answer')]).toEqual([undefined, true])
})

test('D-80: the end of the session is the last event and ends the loop', async () => {
  const { reader, road } = await chat()
  const types: string[] = []
  const { on_connected, reached } = connections()
  const reading = (async () => {
    for await (const { type } of clientOf(plaza, reader, road.url).readEvents({}, { on_connected })) types.push(type)
  })()
  await reached()
  await clientOf(plaza, reader).logout()
  await reading
  expect([types, road.requests.length]).toEqual([['session_ended'], 1])
  const refused = clientOf(plaza, reader, road.url).readEvents()[Symbol.asyncIterator]()
  expect(needsSignIn(await failureIn(refused.next()))).toBe(true)
})

/** An app that follows a person's points, with tokens that renew themselves. */
async function following() {
  const { user, app, tokens } = await world(plaza, { points: 100, scopes: ['points:read', 'points:spend'] })
  const road = await openRoad(plaza)
  const saved: TokenSet[] = []
  const { client_id, client_secret } = app
  const save = (next: TokenSet) => void saved.push(next)
  const credentials = refreshedTokens({ tokens: tokenSet(tokens), client_id, client_secret, save })
  return { user, app, tokens, road, saved, api: openPlaza({ url: road.url, credentials }) }
}

test('D-111: every hold is delivered once, however often the connection is killed, and the final balance is right', async () => {
  const { api, tokens, road } = await following()
  const made: string[] = []
  const told: string[] = []
  let points = 0
  const { on_connected, reached } = connections()
  const reading = (async () => {
    for await (const event of api.readPointEvents({}, { on_connected })) {
      if (event.type === 'balance') points = event.data.points
      if (event.type === 'hold') told.push(event.data.id)
      if (told.length === 12 && points === 88) return
    }
  })()
  await reached()
  const buyer = clientFor(plaza, tokens)
  for (let at = 0; at < 12; at++) {
    if (at % 4 === 2) road.cut()
    made.push((await buyer.createHold({ amount: 1 })).hold.id)
  }
  await reading
  expect(told).toEqual(made)
})

test('D-111: a stream continues with the next token when its own expires', async () => {
  const { api, road, saved } = await following()
  const balances: number[] = []
  const types = new Set<string>()
  const { on_connected, reached } = connections()
  const reading = (async () => {
    for await (const event of api.readPointEvents({}, { on_connected })) {
      types.add(event.type)
      if (event.type === 'balance') balances.push(event.data.points)
      if (balances.at(-1) === 93) return
    }
  })()
  await reached()
  plaza.clock.advance(3_601)
  await reached(2)
  expect(saved.length).toBe(1)
  await api.spendPoints({ amount: 7 })
  await reading
  expect([types, saved.length]).toEqual([new Set(['balance']), 1])
  expect(new Set(balances)).toEqual(new Set([100, 93]))
  expect(road.requests.map(({ line }) => line)).toEqual([
    'GET /api/external/events',
    'POST /api/oauth/token',
    'GET /api/external/events',
    'POST /api/external/points/spend',
  ])
})

test('D-111: without another token, the end of the token and that of the connection are events, and both end the loop', async () => {
  const { user, app, tokens, api } = await following()
  const typesOf = async (stream: ReturnType<typeof api.readPointEvents>) => {
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    return types
  }
  const plain = connections()
  const { client_id, client_secret } = app
  const ended = typesOf(clientFor(plaza, tokens).readPointEvents({}, plain))
  await plain.reached()
  await openPlaza({ url: plaza.url }).revoke({ token: tokens.access_token, client_id, client_secret })
  expect(await ended).toEqual(['balance', 'session_ended'])
  const renewed = connections()
  const disconnected = typesOf(api.readPointEvents({}, renewed))
  await renewed.reached()
  await clientOf(plaza, user).disconnectApp({ app_id: app.id })
  expect(await disconnected).toEqual(['balance', 'connection_ended'])
})

test('D-111: a stream whose token cannot be renewed fails, and needsSignIn is true', async () => {
  const { app, tokens, api } = await following()
  const { on_connected, reached } = connections()
  const stream = api.readPointEvents({}, { on_connected })[Symbol.asyncIterator]()
  expect((await stream.next()).value).toMatchObject({ type: 'balance' })
  await reached()
  const { client_id, client_secret } = app
  await openPlaza({ url: plaza.url }).revoke({ token: tokens.refresh_token, client_id, client_secret })
  expect(needsSignIn(await failureIn(stream.next()))).toBe(true)
})

test('a refused stream fails as a call does', async () => {
  const { reader } = await chat()
  const stream = clientOf(plaza, reader).readEvents({ channels: '0198c1e2-7b3a-7c4d-9e5f-0a1b2c3d4e5f' })
  const failure = (await failureIn(stream[Symbol.asyncIterator]().next())) as PlazaError
  expect([failure.code, failure.status, failure.operation]).toEqual(['not_found', 404, 'readEvents'])
})

test('a stream ends with its signal: while it waits for events, and before it connects again', async () => {
  const { reader, road } = await chat()
  const leaving = new AbortController()
  const api = clientOf(plaza, reader, road.url)
  const { on_connected, reached } = connections()
  const waiting = api.readEvents({}, { signal: leaving.signal, on_connected })[Symbol.asyncIterator]().next()
  await reached()
  leaving.abort()
  expect(isPlazaError(await failureIn(waiting), 'aborted')).toBe(true)
  await expect.poll(() => road.open()).toBe(0)

  const again = new AbortController()
  road.answerNext(1, 503, '{"errors":{"detail":"Service Unavailable"}}', { 'retry-after': '20' })
  const on_interrupted = () => again.abort()
  const reconnecting = api.readEvents({}, { signal: again.signal, on_interrupted })[Symbol.asyncIterator]().next()
  expect(isPlazaError(await failureIn(reconnecting), 'aborted')).toBe(true)
  expect(road.requests.length).toBe(2)
})

test('a connection without data is replaced by a new one', async () => {
  const { reader, channel_id, say, road } = await chat()
  road.holdAnswers(1)
  const { on_connected, reached } = connections()
  const options = { idle_seconds: 2.5, on_connected }
  const stream = clientOf(plaza, reader, road.url).readEvents({ channels: channel_id }, options)
  const next = stream[Symbol.asyncIterator]().next()
  await reached()
  // Longer than the idle time, but with a heartbeat every second.
  setTimeout(() => void say('hello'), 3_500)
  expect((await next).value).toMatchObject({ type: 'message', data: { filtered_body: 'hello' } })
  expect(road.requests.length).toBe(2)
})

test('a broken stream without ids fails, since it cannot be resumed', async () => {
  const { reader, road } = await chat()
  const line = (text: string) => `event: line\ndata: {"text":"${text}"}\n\n`
  road.answerNext(1, 200, `: \n\n${line('one')}`, { 'content-type': 'text/event-stream' })
  const seen: unknown[] = []
  const reading = (async () => {
    for await (const { type, id } of clientOf(plaza, reader, road.url).readEvents()) seen.push([type, id])
  })()
  const failure = (await failureIn(reading)) as PlazaError
  expect([failure.code, seen]).toEqual(['stream_broken', [['line', undefined]]])
})

/** The frames of a stream that arrives in these chunks. */
async function framesIn(parts: Iterable<Uint8Array>) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
  const frames = []
  for await (const frame of framesOf(body)) frames.push(frame)
  return frames
}

test('frames are parsed with any line end and any chunks; incomplete frames are dropped', async () => {
  const text =
    '\u{FEFF}retry: 7\nid: 1\n\n: still here\n\nevent: a\r\ndata: {"x":\r\ndata:"ü 💥"}\r\nid: 2\r\n\r\nid\revent:b\rdata\r\rdata: lost'
  const frame = { event: undefined, data: undefined, id: undefined, retry_ms: undefined }
  const whole = [
    { ...frame, retry_ms: 7, id: '1' },
    frame,
    { ...frame, event: 'a', data: '{"x":\n"ü 💥"}', id: '2' },
    { ...frame, event: 'b', data: '', id: '' },
  ]
  const bytes = new TextEncoder().encode(text)
  expect(await framesIn([bytes])).toEqual(whole)
  expect(await framesIn([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
  expect(await framesIn([new TextEncoder().encode('id: a\0b\nretry: soon\n\n')])).toEqual([frame])
})
