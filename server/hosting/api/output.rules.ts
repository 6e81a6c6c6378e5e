import type { Static } from 'typebox'
import type { output_line } from '../../../contract/deployment-fields.ts'
import type { output_search } from '../../../contract/deployments.ts'
import { invalidField } from '../../platform/failure.ts'
import { cursorOf } from '../../platform/page.ts'
import { readSpan } from '../../platform/time-span.ts'
import { compareLines, unpackLines, type NumberedLine } from '../output.rules.ts'

/** A line of output, or a note about missing lines, as the API shows it. */
export type OutputLine = Static<typeof output_line>

/** The position of a line. */
export type LineKey = Pick<NumberedLine, 'at_ns' | 'source_id' | 'number'>

const keyText = ({ at_ns, source_id, number }: LineKey) => `${at_ns}.${source_id}.${number}`

/** The line position that a cursor encodes. Fails with `validation_failed`. */
function lineOfCursor(cursor: string): LineKey {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const [, at, source, number] = /^(\d{1,19})\.([1-9]\d{0,14})\.([1-9]\d{0,14})$/.exec(text) ?? []
  if (at === undefined || cursorOf(text) !== cursor) throw invalidField('cursor', 'cursor')
  return { at_ns: BigInt(at), source_id: Number(source), number: Number(number) }
}

const number_format = new Intl.NumberFormat('en')

function noteOf({ kind, text }: NumberedLine) {
  if (kind === 'gap') return { note: 'gap' as const, dropped: 0, text: gap_text }
  const dropped = parseInt(text, 10)
  return { note: 'dropped' as const, dropped, text: droppedText(dropped, text.endsWith('+')) }
}

function droppedText(dropped: number, is_least: boolean) {
  const why = 'the container wrote more than is kept.'
  if (dropped === 0) return `Lines were not kept here: ${why}`
  const lines = dropped === 1 ? '1 line was' : `${number_format.format(dropped)} lines were`
  return `${is_least ? 'At least ' : ''}${lines} not kept here: ${why}`
}

const gap_text = 'Lines before this one may be missing: the container host had deleted them before they were read.'

/** A line as the API shows it. */
export function outputLine(
  line: NumberedLine,
  { replica, release }: { replica: number; release: number | null },
): OutputLine {
  const { kind, at_ns, text } = line
  const shared = { id: cursorOf(keyText(line)), at: new Date(Number(at_ns / 1_000_000n)), replica, release }
  if (kind === 'dropped' || kind === 'gap') return { ...shared, stream: 'stderr', ...noteOf(line) }
  return { ...shared, stream: kind, text, note: null, dropped: 0 }
}

interface Part {
  source_id: number
  first_number: number
  data: Buffer
}

/** The decoded lines of a part. */
export async function linesOf({ source_id, first_number, data }: Part): Promise<NumberedLine[]> {
  return (await unpackLines(data)).map((line, at) => ({ ...line, source_id, number: first_number + at }))
}

/** True if a line precedes a position. */
export const isBefore = (line: NumberedLine, key: LineKey) => compareLines(line, { ...line, ...key }) < 0

export type SearchQuery = Static<typeof output_search>

const no_time = -9_223_372_036_854_775_808n
const all_time = 9_223_372_036_854_775_806n

/** The range of a search, with times in nanoseconds, both inclusive. Fails with `validation_failed`. */
export function searchSpan({ from, to, cursor }: SearchQuery) {
  const { since, until } = readSpan({ from, to })
  const before = cursor === undefined ? undefined : lineOfCursor(cursor)
  const end = until ? nanoseconds(until) - 1n : all_time
  return {
    from: since ? nanoseconds(since) : no_time,
    to: before && before.at_ns < end ? before.at_ns : end,
    before,
  }
}

function nanoseconds(time: Date) {
  const at_ns = BigInt(time.getTime()) * 1_000_000n
  if (at_ns < 0n) return 0n
  return at_ns > all_time ? all_time : at_ns
}

/** Returns a case-insensitive test for lines that contain a text. */
export function textFilter(q: string | undefined) {
  if (q === undefined) return () => true
  const pattern = new RegExp(q.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'iu')
  return ({ text, kind }: NumberedLine) => (kind === 'stdout' || kind === 'stderr') && pattern.test(text)
}
