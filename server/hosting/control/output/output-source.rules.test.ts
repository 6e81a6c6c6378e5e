import { expect, test } from 'vitest'
import { decisions } from '../../../../contract/decisions.ts'
import { packLines, unpackLines, type KeptLine } from '../../output.rules.ts'
import { openOutputSource, type SourceBatch } from './output-source.rules.ts'

const { window_lines_max, window_bytes_max } = decisions.container_output
const second = 1_000_000_000n
const start = 1_900_000_000n * second
const line = (at: number, text: string, stream: 'stdout' | 'stderr' = 'stdout') => ({
  stream,
  at_ns: start + BigInt(Math.round(at * 1_000_000_000)),
  text,
})
const unknown = { at: 0n, count: 0 }
const row = (more: object = {}) => ({ id: 7, next_number: 1, stdout: unknown, stderr: unknown, dropped: 0, ...more })
const textsOf = (batch: SourceBatch | undefined) => batch?.lines.map(({ kind, text }) => `${kind} ${text}`)
/** The state of a worker that reads the row after this batch was written to it. */
const after = (batch: SourceBatch) =>
  row({ ...batch, next_number: batch.next_number + batch.lines.length, lines: undefined })

test('D-64 reading again takes each line once, with both streams in parallel and several lines of the same time', () => {
  const written = [
    line(1, 'a'),
    line(1.000_2, 'b', 'stderr'),
    line(1.000_1, 'c'),
    line(1.000_1, 'd'),
    line(1.000_1, 'e'),
    line(2, 'f'),
  ]
  for (let cut = 1; cut < written.length; cut++) {
    const first = openOutputSource(row())
    first.opened(false)
    for (const each of written.slice(0, cut)) first.take(each)
    const batch = first.takeBatch()!
    expect(batch.lines).toHaveLength(cut)
    const second_worker = openOutputSource(after(batch))
    second_worker.opened(false)
    for (const each of written) second_worker.take(each)
    expect([cut, textsOf(second_worker.takeBatch())]).toEqual([
      cut,
      written.slice(cut).map(({ stream, text }) => `${stream} ${text}`),
    ])
  }
})

test('D-64 lines that the engine deleted in between are a gap; a clock that is set back loses nothing', () => {
  const first = openOutputSource(row())
  first.opened(false)
  first.take(line(1, 'a'))
  const known = after(first.takeBatch()!)
  const later = openOutputSource(known)
  later.opened(false)
  later.take(line(60, 'b'))
  later.take(line(50, 'after the clock went back'))
  expect(textsOf(later.takeBatch())).toEqual(['gap ', 'stdout b', 'stdout after the clock went back'])
  expect(later.takeBatch()).toBeUndefined()
})

test('D-64 an engine that reads a part of a rotated log again within one stream: each line is taken once', () => {
  const at = (n: number) => line(n / 1_000, String(n))
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
  const source = openOutputSource(row())
  source.opened(false)
  for (const n of [...numbers(1_000, 1_900), ...numbers(1_200, 1_950), ...numbers(1_940, 2_000)]) source.take(at(n))
  expect(textsOf(source.takeBatch())).toEqual(numbers(1_000, 2_000).map((n) => `stdout ${n}`))
  // More lines than are remembered: an unknown line counts as new, as after a clock was set back.
  for (const n of numbers(2_000, 12_000)) source.take(at(n))
  source.takeBatch()
  source.take(line(1.000_5, 'between two lines'))
  source.take(at(1_500))
  expect(textsOf(source.takeBatch())).toEqual(['stdout between two lines', 'stdout 1500'])
})

test('D-64 lines beyond the limit of a window are counted; the last of them are kept, and one note reports the others', () => {
  const source = openOutputSource(row())
  source.opened(false)
  for (let number = 1; number <= window_lines_max + 500; number++) source.take(line(1 + number / 10_000, `${number}`))
  const batch = source.takeBatch()!
  expect([batch.lines.length, batch.dropped, source.isDropping()]).toEqual([window_lines_max, 500, true])
  const end = source.takeBatch()!
  expect([source.isDropping(), end.dropped]).toEqual([false, 0])
  expect(textsOf(end)!.slice(0, 2)).toEqual(['dropped 400', `stdout ${window_lines_max + 401}`])
  expect(textsOf(end)!.at(-1)).toBe(`stdout ${window_lines_max + 500}`)
  source.take(line(11, 'the next window'))
  expect(textsOf(source.takeBatch())).toEqual(['stdout the next window'])
  // A long line also fills a window.
  const long = openOutputSource(row())
  long.opened(false)
  for (let number = 0; number < 60; number++) long.take(line(1 + number / 100, 'x'.repeat(16_384)))
  expect(long.takeBatch()!.bytes).toBeLessThanOrEqual(window_bytes_max)
})

test('D-64 windows follow the times of lines: an hour of lines that is read in one go is kept', () => {
  const source = openOutputSource(row())
  source.opened(false)
  for (let number = 1; number <= 36_000; number++) source.take(line(number / 10, `${number}`))
  expect(source.takeBatch()!.lines).toHaveLength(36_000)
})

test('D-64 a count of dropped lines survives the worker, and a batch that was not written is returned again', () => {
  const source = openOutputSource(row({ dropped: 12, stdout: { at: line(1, '').at_ns, count: 1 }, next_number: 5 }))
  source.opened(false)
  source.take(line(1, 'known'))
  source.take(line(2, 'new'))
  const batch = source.takeBatch()!
  expect([batch.next_number, textsOf(batch)]).toEqual([5, ['dropped 12', 'stdout new']])
  source.giveBack(batch)
  source.take(line(3, 'newer'))
  const again = source.takeBatch()!
  expect([again.next_number, textsOf(again)]).toEqual([5, ['dropped 12', 'stdout new', 'stdout newer']])
})

test('D-64 after a skip the note says that the count is a minimum', () => {
  const source = openOutputSource(row({ stdout: { at: line(1, '').at_ns, count: 1 }, next_number: 2 }))
  source.opened(true)
  source.take(line(30, 'on'))
  expect(textsOf(source.takeBatch())).toEqual(['dropped 0+', 'stdout on'])
})

test('lines are stored and read unchanged', async () => {
  const lines: KeptLine[] = [
    { kind: 'stdout', at_ns: start + 5n, text: 'ä 🥉 \u0000 with a \t and a space at the end ' },
    { kind: 'stderr', at_ns: start + 3n, text: '' },
    { kind: 'dropped', at_ns: start + 3n, text: '17+' },
    { kind: 'gap', at_ns: start + 10n * second, text: '' },
  ]
  for (const many of [lines, lines.slice(0, 1), Array.from({ length: 500 }, () => lines).flat()])
    expect(await unpackLines(await packLines(many))).toEqual(many)
})
