import { EngineError, type LogLine } from '../engine.ts'

const progress_line_bytes_max = 256 * 1024
const progress_bytes_max = 64 * 1024 * 1024
const log_line_bytes_max = 32 * 1024

/**
 * Reads an engine's progress reports, one JSON object per line. Other lines are skipped, because callers check the
 * result afterwards. Fails with `refused` above the size limits.
 */
export async function* readProgress(chunks: AsyncIterable<Buffer>): AsyncIterable<Record<string, unknown>> {
  let rest = ''
  let total = 0
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    total += chunk.length
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    if (total > progress_bytes_max || rest.length > progress_line_bytes_max)
      throw new EngineError('refused', 'The engine’s progress reports are too large.')
    for (const line of lines) yield* parseProgress(line)
  }
  yield* parseProgress(rest)
}

function* parseProgress(line: string) {
  try {
    const report: unknown = JSON.parse(line)
    if (typeof report === 'object' && report !== null) yield { ...report }
  } catch {
    // Not JSON: skipped.
  }
}

/** A line with the text that precedes it: the details that a Swarm writes there. */
export interface ParsedLine extends LogLine {
  details: string
}

/**
 * Parses the engine's log stream: frames of an eight-byte header (stream, length) and a payload of lines, each with a
 * timestamp and, if requested, details. Payloads of one line are joined; a line longer than the limit is split.
 */
export async function* readLog(
  chunks: AsyncIterable<Buffer>,
  has_details = false,
): AsyncGenerator<ParsedLine[], void, void> {
  const parse = logParser(has_details)
  for await (const chunk of chunks) {
    const lines = parse.push(chunk)
    if (lines.length > 0) yield lines
  }
  yield parse.end()
}

const nothing = Buffer.alloc(0)

function logParser(has_details: boolean) {
  const open: Record<LogLine['stream'], Buffer> = { stdout: nothing, stderr: nothing }
  let unread: Buffer = nothing

  function take(lines: ParsedLine[], stream: LogLine['stream'], payload: Buffer) {
    let rest = open[stream].length > 0 ? Buffer.concat([open[stream], withoutHead(payload, has_details)]) : payload
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      lines.push(lineOf(stream, rest.subarray(0, end), has_details))
      rest = rest.subarray(end + 1)
    }
    if (rest.length > log_line_bytes_max) {
      lines.push(lineOf(stream, rest, has_details))
      rest = nothing
    }
    // A copy, because a slice would keep the whole chunk in memory.
    open[stream] = rest.length > 0 ? Buffer.from(rest) : nothing
  }

  return {
    push(chunk: Buffer) {
      const lines: ParsedLine[] = []
      const all = unread.length > 0 ? Buffer.concat([unread, chunk]) : chunk
      let at = 0
      while (all.length - at >= 8) {
        const kind = all[at]!
        const length = all.readUInt32BE(at + 4)
        if (kind > 2 || length > progress_bytes_max)
          throw new EngineError('unreachable', 'The log does not have the requested format.')
        if (all.length - at < 8 + length) break
        take(lines, kind === 2 ? 'stderr' : 'stdout', all.subarray(at + 8, at + 8 + length))
        at += 8 + length
      }
      unread = all.subarray(at)
      return lines
    },
    /** Returns the unfinished lines. */
    end: () =>
      (['stdout', 'stderr'] as const).flatMap((stream) =>
        open[stream].length > 0 ? [lineOf(stream, open[stream], has_details)] : [],
      ),
  }
}

/** Engines split long lines and write the timestamp, and details, before each part. */
function withoutHead(payload: Buffer, has_details: boolean) {
  const space = payload.subarray(0, 64).indexOf(32)
  if (space <= 0 || timeOf(payload.toString('latin1', 0, space)) === undefined) return payload
  const text = payload.subarray(space + 1)
  return has_details ? text.subarray(text.indexOf(32) + 1) : text
}

function lineOf(stream: LogLine['stream'], line: Buffer, has_details: boolean): ParsedLine {
  const whole = line.toString('utf8')
  const text = whole.endsWith('\r') ? whole.slice(0, -1) : whole
  const space = text.indexOf(' ')
  const at_ns = timeOf(space < 0 ? text : text.slice(0, space))
  if (at_ns === undefined) return { stream, at: new Date(0), at_ns: 0n, text, details: '' }
  const rest = space < 0 ? '' : text.slice(space + 1)
  const after = has_details ? rest.indexOf(' ') : -1
  const details = has_details ? rest.slice(0, after < 0 ? rest.length : after) : ''
  const message = !has_details ? rest : after < 0 ? '' : rest.slice(after + 1)
  return { stream, at: new Date(Number(at_ns / 1_000_000n)), at_ns, text: message, details }
}

/** The nanoseconds since 1970 of a time in the format of engines, `2026-01-31T10:20:30.123456789Z`; undefined for other text. */
function timeOf(text: string): bigint | undefined {
  if (text[10] !== 'T') return undefined
  const dot = text.indexOf('.', 19)
  const milliseconds = Date.parse(text)
  if (Number.isNaN(milliseconds)) return undefined
  const digits = dot < 0 ? '' : (/^\d+/.exec(text.slice(dot + 1))?.[0] ?? '')
  const seconds = Math.floor(milliseconds / 1000)
  return BigInt(seconds) * 1_000_000_000n + BigInt(digits.slice(0, 9).padEnd(9, '0'))
}
