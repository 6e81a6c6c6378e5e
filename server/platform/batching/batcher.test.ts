import { expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { createBatcher } from './batcher.ts'

interface Flight {
  batch: number[]
  land(answers?: (number | Error)[]): void
  crash(error: Error): void
}

/** A group commit whose batches stay in flight until the test lets them land; answers are ten times the calls. */
function held({ batch_max = 100, queue_max = 100, failed }: Partial<Options> = {}) {
  const flights: Flight[] = []
  const run = (batch: number[]) =>
    new Promise<(number | Error)[]>((land, crash) => {
      flights.push({ batch, land: (answers) => land(answers ?? batch.map((call) => call * 10)), crash })
    })
  const commit = createBatcher<number, number>({ run, batch_max, queue_max, ...(failed && { failed }) })
  return { commit, flights }
}
interface Options {
  batch_max: number
  queue_max: number
  failed(error: unknown): unknown
}

/** Lets everything that is settled be noticed. */
const turn = () => new Promise<void>((next) => setImmediate(next))
const batches = (flights: Flight[]) => flights.map(({ batch }) => batch)
const settled = async (calls: Promise<number>[]) =>
  (await Promise.allSettled(calls)).map((result) => (result.status === 'fulfilled' ? result.value : result.reason))

test('a lone call waits for nothing: it is on its way before the caller goes on', async () => {
  const { commit, flights } = held()
  const answer = commit(1)
  expect(batches(flights)).toEqual([[1]])
  flights[0]?.land()
  expect(await answer).toBe(10)
})

test('calls that arrive while a batch is in flight form the next one, in their order', async () => {
  const { commit, flights } = held()
  const calls = [commit(1), commit(2), commit(3)]
  await turn()
  calls.push(commit(4))
  expect(batches(flights)).toEqual([[1]])
  flights[0]?.land()
  await turn()
  expect(batches(flights)).toEqual([[1], [2, 3, 4]])
  flights[1]?.land()
  expect(await Promise.all(calls)).toEqual([10, 20, 30, 40])
})

test('never is more than one batch in flight', async () => {
  let in_flight = 0
  let most = 0
  const commit = createBatcher<number, number>({
    run: async (batch) => {
      most = Math.max(most, ++in_flight)
      await turn()
      in_flight--
      return batch
    },
    batch_max: 3,
    queue_max: 1000,
  })
  const all = Array.from({ length: 100 }, (_, at) => at)
  expect(await Promise.all(all.map((call) => commit(call)))).toEqual(all)
  expect(most).toBe(1)
})

test('a batch holds no more than batch_max calls; the rest follow in order', async () => {
  const { commit, flights } = held({ batch_max: 2 })
  const calls = [1, 2, 3, 4, 5, 6].map((call) => commit(call))
  for (let flight = 0; flight < 4; flight++) {
    flights[flight]?.land()
    await turn()
  }
  expect(batches(flights)).toEqual([[1], [2, 3], [4, 5], [6]])
  expect(await Promise.all(calls)).toEqual([10, 20, 30, 40, 50, 60])
})

test('a refused call gets its own error and does not disturb its neighbours', async () => {
  const { commit, flights } = held()
  const answers = settled([0, 1, 2, 3].map((call) => commit(call)))
  const refusal = new Error('only for the second')
  flights[0]?.land()
  await turn()
  flights[1]?.land([10, refusal, 30])
  expect(await answers).toEqual([0, 10, refusal, 30])
})

test('a batch that fails as a whole is told to each of its calls, and to none of the next batch', async () => {
  const { commit, flights } = held({ batch_max: 2 })
  const lost = new Error('the connection was lost')
  const answers = settled([1, 2, 3, 4].map((call) => commit(call)))
  flights[0]?.land()
  await turn()
  flights[1]?.crash(lost)
  await turn()
  flights[2]?.land()
  expect(await answers).toEqual([10, lost, lost, 40])
})

test('what callers of a failed batch get is the owner’s to choose', async () => {
  const unsure = new Error('nobody knows')
  const { commit, flights } = held({ failed: (error) => (error === unsure ? new Failure('outcome_unknown') : error) })
  const answers = settled([commit(1)])
  flights[0]?.crash(unsure)
  expect(await answers).toEqual([new Failure('outcome_unknown')])
})

test('a batch with the wrong number of answers fails as a whole: nobody gets a neighbour’s answer', async () => {
  const { commit, flights } = held()
  const answers = settled([0, 1, 2].map((call) => commit(call)))
  flights[0]?.land()
  await turn()
  flights[1]?.land([10])
  const fault = new Error('a batch of 2 got 1 answers')
  expect(await answers).toEqual([0, fault, fault])
})

test('beyond queue_max a call is refused with overloaded at once; the others are served', async () => {
  const { commit, flights } = held({ queue_max: 2 })
  const calls = [commit(1), commit(2), commit(3)]
  const refusal = await commit(4).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(Failure)
  expect([(refusal as Failure).code, (refusal as Failure).answer]).toEqual(['overloaded', { retry_after_seconds: 1 }])
  flights[0]?.land()
  await turn()
  flights[1]?.land()
  expect(await Promise.all(calls)).toEqual([10, 20, 30])
  const later = commit(5)
  flights[2]?.land()
  expect(await later).toBe(50)
  expect(batches(flights)).toEqual([[1], [2, 3], [5]])
})

test('drain waits for what is in flight and for what waits, and for nothing when all is quiet', async () => {
  const { commit, flights } = held()
  await commit.drain()
  const calls = [commit(1), commit(2)]
  let drained = false
  const draining = commit.drain().then(() => (drained = true))
  flights[0]?.land()
  await turn()
  expect(drained).toBe(false)
  flights[1]?.land()
  await draining
  expect(await Promise.all(calls)).toEqual([10, 20])
})

test('drain does not fail when a batch does', async () => {
  const { commit, flights } = held()
  const answers = settled([commit(1)])
  const draining = commit.drain()
  flights[0]?.crash(new Error('lost'))
  await draining
  expect(await answers).toEqual([new Error('lost')])
})

test('a run that throws before it promises anything does not stop the calls that come later', async () => {
  let broken = true
  const commit = createBatcher<number, number>({
    run: (batch) => {
      if (broken) throw new Error('thrown at once')
      return Promise.resolve(batch)
    },
    batch_max: 10,
    queue_max: 10,
  })
  await expect(commit(1)).rejects.toThrow('thrown at once')
  broken = false
  expect(await commit(2)).toBe(2)
  await commit.drain()
})

test('a call made in the moment its predecessor is answered is not left behind', async () => {
  const commit = createBatcher<number, number>({ run: (batch) => Promise.resolve(batch), batch_max: 10, queue_max: 10 })
  for (let call = 0; call < 200; call++) expect(await commit(call)).toBe(call)
})

/** A group commit whose calls are rows: a batch with a locked row fails as a whole, as PostgreSQL has it. */
function overRows({ tells = true } = {}) {
  const locked = new Set<number>()
  const sent: number[][] = []
  const lockNotAvailable = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
  const commit = createBatcher<number, number>({
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
  return { commit, locked, sent }
}
const codesOf = (results: unknown[]) => results.map((result) => (result instanceof Failure ? result.code : result))

test('a batch that met a lock is sent again without the calls that need the locked row; those fail after a second', async () => {
  const { commit, locked, sent } = overRows()
  locked.add(2).add(4)
  const begun = performance.now()
  const calls = [1, 2, 3, 4, 5].map((row) => commit(row))
  expect(await Promise.all([calls[0], calls[2], calls[4]])).toEqual([1, 3, 5])
  expect(performance.now() - begun).toBeLessThan(500)
  const tries = sent.length
  expect(await commit(6)).toBe(6)
  expect(codesOf(await settled([...calls, commit(2)]))).toEqual([1, 'overloaded', 3, 'overloaded', 5, 'overloaded'])
  expect(performance.now() - begun).toBeLessThan(5_000)
  expect(sent.slice(tries)).toEqual([[6]])
  await commit.drain()
})

test('a call that waits for a lock is carried out once it is free, before those that came later', async () => {
  const { commit, locked, sent } = overRows()
  locked.add(2)
  const first = commit(2)
  await expect.poll(() => sent.length).toBe(1)
  const calls = [first, commit(2), commit(3)]
  expect(await calls[2]).toBe(3)
  locked.clear()
  expect(await Promise.all(calls)).toEqual([2, 2, 3])
  expect(sent.at(-1)).toEqual([2, 2])
  await commit.drain()
})

test('calls put aside do not take the places of others', async () => {
  const { commit, locked } = overRows()
  locked.add(2)
  const stuck = settled([commit(2), commit(2)])
  expect(await commit(1)).toBe(1)
  const too_many = await settled([commit(2), commit(2)])
  expect(codesOf(too_many)).toContain('overloaded')
  expect(await Promise.all([1, 3, 5, 7].map((row) => commit(row)))).toEqual([1, 3, 5, 7])
  locked.clear()
  expect(codesOf(await stuck)).toEqual([2, 2])
  await commit.drain()
})

test('where nobody can tell which row is locked, the batch is divided until one call is left to refuse', async () => {
  const { commit, locked } = overRows({ tells: false })
  locked.add(3)
  const calls = [1, 2, 3, 4, 5, 6, 7].map((row) => commit(row))
  expect(codesOf(await settled(calls))).toEqual([1, 2, 'overloaded', 4, 5, 6, 7])
  await commit.drain()
})

test('a lock that lasts a moment refuses nobody', async () => {
  const { commit, locked } = overRows({ tells: false })
  locked.add(3)
  const calls = [1, 2, 3].map((row) => commit(row))
  await turn()
  await turn()
  locked.clear()
  expect(await Promise.all(calls)).toEqual([1, 2, 3])
  await commit.drain()
})
