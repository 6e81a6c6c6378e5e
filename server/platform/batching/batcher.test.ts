import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { createBatcher } from './batcher.ts'

interface Flight {
  batch: number[]
  land(answers?: (number | Error)[]): void
  crash(error: Error): void
}

/** A batcher whose batches stay in flight until the test answers them. By default `queue_max` is large. */
function manualBatcher({ batch_max = 100, queue_max = 100, send_ahead_at, failed }: Partial<Options> = {}) {
  const flights: Flight[] = []
  const run = (batch: number[]) =>
    new Promise<(number | Error)[]>((land, crash) => {
      flights.push({ batch, land: (answers) => land(answers ?? batch.map((call) => call * 10)), crash })
    })
  const batcher = createBatcher<number, number>({
    name: 'test',
    run,
    batch_max,
    queue_max,
    ...(send_ahead_at !== undefined && { send_ahead_at }),
    ...(failed && { failed }),
  })
  return { batcher, flights }
}
interface Options {
  batch_max: number
  queue_max: number
  send_ahead_at: number
  failed(error: unknown): unknown
}

/** Runs everything that settled promises have queued. */
const turn = () => new Promise<void>((next) => setImmediate(next))
const batches = (flights: Flight[]) => flights.map(({ batch }) => batch)
const settled = async (calls: Promise<number>[]) =>
  (await Promise.allSettled(calls)).map((result) => (result.status === 'fulfilled' ? result.value : result.reason))

test('a call that arrives alone is sent before its caller continues', async () => {
  const { batcher, flights } = manualBatcher()
  const answer = batcher(1)
  expect(batches(flights)).toEqual([[1]])
  flights[0]?.land()
  expect(await answer).toBe(10)
})

test('calls that arrive while a batch is in flight form the next one, in order of arrival', async () => {
  const { batcher, flights } = manualBatcher()
  const calls = [batcher(1), batcher(2), batcher(3)]
  await turn()
  calls.push(batcher(4))
  expect(batches(flights)).toEqual([[1]])
  flights[0]?.land()
  await turn()
  expect(batches(flights)).toEqual([[1], [2, 3, 4]])
  flights[1]?.land()
  expect(await Promise.all(calls)).toEqual([10, 20, 30, 40])
})

test('a second batch is sent ahead once it has send_ahead_at calls and at least as many as the first', async () => {
  const { batcher, flights } = manualBatcher({ send_ahead_at: 2 })
  const call = (calls: number[]) => calls.map((each) => batcher(each))
  const first = call([1, 2])
  expect(batches(flights)).toEqual([[1]])
  const second = call([3, 4, 5, 6])
  expect(batches(flights)).toEqual([[1], [2, 3]])
  flights[0]?.land()
  await turn()
  expect(batches(flights)).toEqual([[1], [2, 3], [4, 5, 6]])
  const third = call([7, 8])
  flights[1]?.land()
  await turn()
  expect(batches(flights)).toHaveLength(3)
  third.push(...call([9]))
  expect(batches(flights).at(-1)).toEqual([7, 8, 9])
  for (const flight of flights) flight.land()
  expect(await Promise.all([...first, ...second, ...third])).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90])
})

test('a batch holds no more than batch_max calls; the rest follow in order', async () => {
  const { batcher, flights } = manualBatcher({ batch_max: 2 })
  const calls = [1, 2, 3, 4, 5, 6].map((call) => batcher(call))
  for (let flight = 0; flight < 4; flight++) {
    flights[flight]?.land()
    await turn()
  }
  expect(batches(flights)).toEqual([[1], [2, 3], [4, 5], [6]])
  expect(await Promise.all(calls)).toEqual([10, 20, 30, 40, 50, 60])
})

test('a failed call gets its own error and does not affect the others of its batch', async () => {
  const { batcher, flights } = manualBatcher()
  const answers = settled([0, 1, 2, 3].map((call) => batcher(call)))
  const refusal = new Error('only for the second')
  flights[0]?.land()
  await turn()
  flights[1]?.land([10, refusal, 30])
  expect(await answers).toEqual([0, 10, refusal, 30])
})

test('a batch that fails as a whole fails each of its calls, and none of the next batch', async () => {
  const { batcher, flights } = manualBatcher({ batch_max: 2 })
  const lost = new Error('the connection was lost')
  const answers = settled([1, 2, 3, 4].map((call) => batcher(call)))
  flights[0]?.land()
  await turn()
  flights[1]?.crash(lost)
  await turn()
  flights[2]?.land()
  expect(await answers).toEqual([10, lost, lost, 40])
})

test('`failed` chooses the error of each call of a failed batch', async () => {
  const unsure = new Error('nobody knows')
  const { batcher, flights } = manualBatcher({
    failed: (error) => (error === unsure ? new Failure('outcome_unknown') : error),
  })
  const answers = settled([batcher(1)])
  flights[0]?.crash(unsure)
  expect(await answers).toEqual([new Failure('outcome_unknown')])
})

test('a batch with the wrong number of answers fails as a whole: no call gets the answer of another', async () => {
  const { batcher, flights } = manualBatcher()
  const answers = settled([0, 1, 2].map((call) => batcher(call)))
  flights[0]?.land()
  await turn()
  flights[1]?.land([10])
  const fault = new Error('a batch of 2 got 1 answers')
  expect(await answers).toEqual([0, fault, fault])
})

test('a call beyond queue_max is refused immediately with overloaded; the others are executed', async () => {
  const { batcher, flights } = manualBatcher({ queue_max: 2 })
  const calls = [batcher(1), batcher(2), batcher(3)]
  const refusal = await batcher(4).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Failure)
  expect([(refusal as Failure).code, (refusal as Failure).answer]).toEqual(['overloaded', { retry_after_seconds: 1 }])
  flights[0]?.land()
  await turn()
  flights[1]?.land()
  expect(await Promise.all(calls)).toEqual([10, 20, 30])
  const later = batcher(5)
  flights[2]?.land()
  expect(await later).toBe(50)
  expect(batches(flights)).toEqual([[1], [2, 3], [5]])
})

test('drain waits for batches in flight and queued calls, and resolves immediately without any', async () => {
  const { batcher, flights } = manualBatcher()
  await batcher.drain()
  const calls = [batcher(1), batcher(2)]
  let drained = false
  const draining = batcher.drain().then(() => (drained = true))
  flights[0]?.land()
  await turn()
  expect(drained).toBe(false)
  flights[1]?.land()
  await draining
  expect(await Promise.all(calls)).toEqual([10, 20])
})

test('drain does not fail when a batch does', async () => {
  const { batcher, flights } = manualBatcher()
  const answers = settled([batcher(1)])
  const draining = batcher.drain()
  flights[0]?.crash(new Error('lost'))
  await draining
  expect(await answers).toEqual([new Error('lost')])
})

test('a run that throws synchronously does not stop later calls', async () => {
  let broken = true
  const batcher = createBatcher<number, number>({
    name: 'test',
    run: (batch) => {
      if (broken) throw new Error('thrown at once')
      return Promise.resolve(batch)
    },
    batch_max: 10,
    queue_max: 10,
  })
  await expect(batcher(1)).rejects.toThrow('thrown at once')
  broken = false
  expect(await batcher(2)).toBe(2)
  await batcher.drain()
})

test('a call made while its predecessor is answered is executed', async () => {
  const batcher = createBatcher<number, number>({
    name: 'test',
    run: (batch) => Promise.resolve(batch),
    batch_max: 10,
    queue_max: 10,
  })
  for (let call = 0; call < 200; call++) expect(await batcher(call)).toBe(call)
})

/** A batcher whose calls are rows: as in PostgreSQL, a batch with a locked row fails as a whole. */
function overRows({ tells = true } = {}) {
  const locked = new Set<number>()
  const sent: number[][] = []
  const lockNotAvailable = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
  const batcher = createBatcher<number, number>({
    name: 'test',
    run: async (batch) => {
      sent.push(batch)
      await turn()
      if (batch.some((row) => locked.has(row))) throw lockNotAvailable()
      return batch
    },
    batch_max: 100,
    queue_max: 8,
    locks: {
      keysOf: (row) => [String(row)],
      findLocked: (keys) => Promise.resolve(tells ? keys.filter((key) => locked.has(Number(key))) : []),
      waitFor: (key) => (locked.has(Number(key)) ? Promise.reject(lockNotAvailable()) : Promise.resolve()),
    },
  })
  return { batcher, locked, sent }
}
const codesOf = (results: unknown[]) => results.map((result) => (result instanceof Failure ? result.code : result))

test('a batch that is blocked by a lock is sent again without the calls that need the locked row; those fail after a second', async () => {
  const { batcher, locked, sent } = overRows()
  locked.add(2).add(4)
  const begun = performance.now()
  const calls = [1, 2, 3, 4, 5].map((row) => batcher(row))
  let failed = 0
  for (const call of calls) call.catch(() => failed++)
  expect(await Promise.all([calls[0], calls[2], calls[4]])).toEqual([1, 3, 5])
  expect(failed).toBe(0)
  const tries = sent.length
  expect(await batcher(6)).toBe(6)
  expect(codesOf(await settled([...calls, batcher(2)]))).toEqual([1, 'overloaded', 3, 'overloaded', 5, 'overloaded'])
  expect(performance.now() - begun).toBeGreaterThan(950)
  expect(sent.slice(tries)).toEqual([[6]])
  await batcher.drain()
})

test('a call that waits for a lock is executed once it is free, before later calls', async () => {
  const { batcher, locked, sent } = overRows()
  locked.add(2)
  const first = batcher(2)
  await expect.poll(() => sent.length).toBe(1)
  const calls = [first, batcher(2), batcher(3)]
  expect(await calls[2]).toBe(3)
  locked.clear()
  expect(await Promise.all(calls)).toEqual([2, 2, 3])
  expect(sent.at(-1)).toEqual([2, 2])
  await batcher.drain()
})

test('held calls do not count towards the queue of the others', async () => {
  const { batcher, locked } = overRows()
  locked.add(2)
  const blocked = settled([batcher(2), batcher(2)])
  expect(await batcher(1)).toBe(1)
  const too_many = await settled([batcher(2), batcher(2)])
  expect(codesOf(too_many)).toContain('overloaded')
  expect(await Promise.all([1, 3, 5, 7].map((row) => batcher(row)))).toEqual([1, 3, 5, 7])
  locked.clear()
  expect(codesOf(await blocked)).toEqual([2, 2])
  await batcher.drain()
})

test('if the locked row is unknown, the batch is divided until one call is left to refuse', async () => {
  const { batcher, locked } = overRows({ tells: false })
  locked.add(3)
  const calls = [1, 2, 3, 4, 5, 6, 7].map((row) => batcher(row))
  expect(codesOf(await settled(calls))).toEqual([1, 2, 'overloaded', 4, 5, 6, 7])
  await batcher.drain()
})

test('a short lock refuses no call', async () => {
  const { batcher, locked } = overRows({ tells: false })
  locked.add(3)
  const calls = [1, 2, 3].map((row) => batcher(row))
  await turn()
  await turn()
  locked.clear()
  expect(await Promise.all(calls)).toEqual([1, 2, 3])
  await batcher.drain()
})
