import { deflateRaw, inflateRaw } from 'node:zlib'
import { promisify } from 'node:util'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/**
 * A line of a container, or a note of the platform in its place: `dropped` tells of lines over the bound, `gap` of lines that may be
 * missing.
 */
export interface KeptLine {
  kind: 'stdout' | 'stderr' | 'dropped' | 'gap'
  /** When it was written, in nanoseconds since 1970. */
  at_ns: bigint
  /** Without its end. Of a note `dropped`, how many lines. */
  text: string
}

/** A line as it is kept: numbered within its source. */
export interface NumberedLine extends KeptLine {
  source_id: number
  number: number
}

const kinds = { o: 'stdout', e: 'stderr', d: 'dropped', g: 'gap' } as const
const letters = { stdout: 'o', stderr: 'e', dropped: 'd', gap: 'g' } as const
/** Compressing fewer bytes than this does not pay. */
const compressed_from = 200
/** The first byte of `data`. */
const encodings = { plain: 0, deflate: 1 }

/** The bytes that a line counts for, against the bounds of what is kept. */
export const bytesOf = ({ text }: KeptLine) => Buffer.byteLength(text) + 12

/** Lines as they are stored: a record each, with the time as a difference to the one before. */
export async function packLines(lines: readonly KeptLine[]): Promise<Buffer> {
  let before = 0n
  const records = lines.map(({ kind, at_ns, text }) => {
    const record = `${letters[kind]}${(at_ns - before).toString(36)} ${text.replaceAll('\n', ' ')}`
    before = at_ns
    return record
  })
  const plain = Buffer.from(records.join('\n'))
  if (plain.length < compressed_from) return Buffer.concat([Buffer.from([encodings.plain]), plain])
  return Buffer.concat([Buffer.from([encodings.deflate]), await deflate(plain, { level: 1 })])
}

/** The lines that `packLines` stored. */
export async function unpackLines(data: Buffer): Promise<KeptLine[]> {
  const body = data.subarray(1)
  const plain = data[0] === encodings.plain ? body : await inflate(body)
  let at_ns = 0n
  return plain
    .toString('utf8')
    .split('\n')
    .map((record) => {
      const space = record.indexOf(' ')
      at_ns += parseBase36(record.slice(1, space))
      const kind = kinds[record[0] as keyof typeof kinds]
      return { kind, at_ns, text: record.slice(space + 1) }
    })
}

/** A time since 1970 has more digits than a number holds: it is read in two parts. */
function parseBase36(digits: string): bigint {
  if (digits.startsWith('-')) return -parseBase36(digits.slice(1))
  const low = digits.slice(-9)
  const high = digits.slice(0, -9)
  return BigInt(parseInt(low, 36)) + (high === '' ? 0n : BigInt(parseInt(high, 36)) * 101_559_956_668_416n)
}

/** Whether one line comes before another: by time, then by source and number. */
export function compareLines(left: NumberedLine, right: NumberedLine) {
  if (left.at_ns !== right.at_ns) return left.at_ns < right.at_ns ? -1 : 1
  return left.source_id - right.source_id || left.number - right.number
}
