import { deflateRaw, inflateRaw } from 'node:zlib'
import { promisify } from 'node:util'

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)

/**
 * A line of a container, or a note of the platform instead: `dropped` reports lines beyond the limit, `gap` reports
 * lines that may be missing.
 */
export interface KeptLine {
  kind: 'stdout' | 'stderr' | 'dropped' | 'gap'
  /** The time of the line, in nanoseconds since 1970. */
  at_ns: bigint
  /** Without the line feed. For a `dropped` note, the number of lines. */
  text: string
}

/** A stored line, numbered within its source. */
export interface NumberedLine extends KeptLine {
  source_id: number
  number: number
}

const kinds = { o: 'stdout', e: 'stderr', d: 'dropped', g: 'gap' } as const
const letters = { stdout: 'o', stderr: 'e', dropped: 'd', gap: 'g' } as const
/** Compressing fewer bytes than this has no benefit. */
const compressed_from = 200
/** The first byte of `data`. */
const encodings = { plain: 0, deflate: 1 }

/** The bytes that a line counts towards the storage limits. */
export const bytesOf = ({ text }: KeptLine) => Buffer.byteLength(text) + 12

/** Encodes lines for storage: one record per line, with its time as the difference to the previous one. */
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

/** Decodes lines that `packLines` encoded. */
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

/** Nanoseconds since 1970 have more digits than a number can represent, so they are parsed in two parts. */
function parseBase36(digits: string): bigint {
  if (digits.startsWith('-')) return -parseBase36(digits.slice(1))
  const low = digits.slice(-9)
  const high = digits.slice(0, -9)
  return BigInt(parseInt(low, 36)) + (high === '' ? 0n : BigInt(parseInt(high, 36)) * 101_559_956_668_416n)
}

/** The order of two lines: by time, then by source and number. */
export function compareLines(left: NumberedLine, right: NumberedLine) {
  if (left.at_ns !== right.at_ns) return left.at_ns < right.at_ns ? -1 : 1
  return left.source_id - right.source_id || left.number - right.number
}
