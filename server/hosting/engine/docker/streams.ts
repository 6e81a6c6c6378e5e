import { EngineError, type LogLine } from '../engine.ts'

const progress_line_bytes_max = 256 * 1024
const progress_bytes_max = 64 * 1024 * 1024
const log_line_bytes_max = 32 * 1024

/**
 * Reads an engine's progress reports, one JSON object per line. Other lines are skipped: callers check the result afterwards.
 * Fails with `refused` above the size limits.
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
      throw new EngineError('refused', 'The engine reports more than can be read.')
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

/**
 * Parses the engine's log stream: frames of an eight-byte header (stream, length) and a payload of lines with a timestamp.
 * Payloads of one line are joined; a line longer than the limit is split.
 */
export async function* readLog(chunks: AsyncIterable<Buffer>): AsyncIterable<LogLine> {
  const open: Record<LogLine['stream'], Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
  for await (const { stream, payload } of framesOf(chunks)) {
    let rest = open[stream].length > 0 ? Buffer.concat([open[stream], withoutTime(payload)]) : payload
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      yield lineOf(stream, rest.subarray(0, end))
      rest = rest.subarray(end + 1)
    }
    if (rest.length > log_line_bytes_max) {
      yield lineOf(stream, rest)
      rest = Buffer.alloc(0)
    }
    open[stream] = rest
  }
  for (const stream of ['stdout', 'stderr'] as const) if (open[stream].length > 0) yield lineOf(stream, open[stream])
}

async function* framesOf(chunks: AsyncIterable<Buffer>) {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 8) {
      const length = rest.readUInt32BE(4)
      if (rest[0] === undefined || rest[0] > 2 || length > progress_bytes_max)
        throw new EngineError('unreachable', 'The log does not come in the form that was asked for.')
      if (rest.length < 8 + length) break
      const stream: LogLine['stream'] = rest[0] === 2 ? 'stderr' : 'stdout'
      yield { stream, payload: rest.subarray(8, 8 + length) }
      rest = rest.subarray(8 + length)
    }
  }
}

/** Engines split long lines and write the timestamp before each part. */
function withoutTime(payload: Buffer) {
  const space = payload.subarray(0, 64).indexOf(32)
  const is_time = space > 0 && !Number.isNaN(new Date(payload.toString('latin1', 0, space)).getTime())
  return is_time ? payload.subarray(space + 1) : payload
}

function lineOf(stream: LogLine['stream'], line: Buffer): LogLine {
  const text = line.toString('utf8').replace(/\r$/, '')
  const space = text.indexOf(' ')
  const at = new Date(text.slice(0, space < 0 ? text.length : space))
  if (Number.isNaN(at.getTime())) return { stream, at: new Date(0), text }
  return { stream, at, text: space < 0 ? '' : text.slice(space + 1) }
}
