import { fork } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { authorizeAndExchange, holdAndCapture, type Flow, type FlowOptions, type HoldOptions } from './flows.ts'

/** A closed-loop load on a loopback server: each connection sends its next raw request after the previous response. */
interface Load {
  port: number
  connections: number
  seconds: number
  /**
   * Complete HTTP/1.1 requests. Every connection cycles through them from a different starting point. `{unique}` is replaced by a different
   * text of the same length each time.
   */
  requests?: string[]
  /** Replaces `requests`: a sequence that every connection repeats. One sequence counts as one answer. */
  flow?: FlowOptions
  holds?: HoldOptions
}

export interface LoadResult {
  answers: number
  per_second: number
  /** Responses whose status was not 2xx. */
  refused: number
  milliseconds: { median: number; p99: number; max: number }
  /** The share of one core that the load generator used. */
  generator_share: number
}

/** The usual load; `BENCH_SECONDS` shortens it. */
export const connections = 64
export const seconds = Number(process.env.BENCH_SECONDS ?? 5)

/** Runs a load in which no call may be refused. */
export async function answeredLoad(load: Pick<Load, 'port'> & Partial<Load>, onStart?: () => void) {
  const result = await putLoad({ connections, seconds, ...load }, onStart)
  if (result.refused > 0) throw new Error(`${result.refused} of ${result.answers} calls were refused`)
  return result
}

/** Calls per second of such a load. */
export const rateOf = async (load: Parameters<typeof answeredLoad>[0]) => (await answeredLoad(load)).per_second

/** One request for each of these users, in an order that jumps between them. */
export const ofUsers = (users: number, request: (n: number) => string, many = users) =>
  Array.from({ length: many }, (_, at) => request((at * 7919) % users))

/** A call without an answer for this long counts as lost. */
const silence_ms = 30_000
/** For the start of the generator and for its last answers. */
const grace_ms = 60_000

/**
 * Runs the load in a child process; returns its measurements. `onStart` is called when all connections are open and the first calls are
 * sent. Fails if a call is not answered or the child does not end, so that a benchmark never waits forever.
 */
function putLoad(load: Load, onStart?: () => void): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['generate'], { execArgv: process.execArgv })
    const watchdog = setTimeout(
      () => {
        child.kill('SIGKILL')
        reject(new Error(`the load generator was still running ${grace_ms / 1_000} s after its time`))
      },
      load.seconds * 1_000 + grace_ms,
    )
    child.on('message', (message: 'started' | LoadResult) => {
      if (message === 'started') return onStart?.()
      child.kill()
      resolve(message)
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(watchdog)
      reject(new Error(`the load generator ended with ${code}`))
    })
    child.send(load)
  })
}

interface Tally {
  answers: number
  refused: number
  latencies: number[]
}

let sent = 0
const loaded_at = Date.now().toString(36)
const unique = () => `${loaded_at}-${process.pid}-${String(++sent).padStart(9, '0')}`

/** The requests as sequences of one request each. */
function walk(requests: string[], first: number): Flow {
  let at = first
  return { first: () => (requests[at++ % requests.length] ?? '').replace('{unique}', unique), next: () => undefined }
}

async function generate({ port, connections, seconds, requests = [], flow, holds }: Load): Promise<LoadResult> {
  const tally: Tally = { answers: 0, refused: 0, latencies: [] }
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  process.send?.('started')
  const cpu = process.cpuUsage()
  const started_at = performance.now()
  const ends = started_at + seconds * 1000
  const stride = Math.max(1, Math.floor(requests.length / connections))
  const flowOf = (at: number) => {
    if (flow) return authorizeAndExchange(flow, at)
    return holds ? holdAndCapture(holds, at) : walk(requests, at * stride)
  }
  await Promise.all(sockets.map((socket, at) => drive(socket, flowOf(at), at, ends, tally)))
  const elapsed = performance.now() - started_at
  const { user, system } = process.cpuUsage(cpu)
  const sorted = tally.latencies.sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    answers: tally.answers,
    per_second: (tally.answers / elapsed) * 1000,
    refused: tally.refused,
    milliseconds: { median: at(0.5), p99: at(0.99), max: at(1) },
    generator_share: (user + system) / 1000 / elapsed,
  }
}

const open = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })

/** Repeats a sequence until the time is over. Responses need a content-length, which delimits them. */
function drive(socket: Socket, flow: Flow, connection: number, ends: number, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    let started_at = 0
    let pending = ''
    const begin = () => {
      started_at = performance.now()
      if (started_at >= ends) {
        socket.destroy()
        return resolve()
      }
      socket.write(flow.first(connection))
    }
    const onAnswer = (answer: string) => {
      const more = flow.next(answer)
      if (more !== undefined) return void socket.write(more)
      tally.answers++
      if (answer.charCodeAt(9) !== 50) tally.refused++
      tally.latencies.push(performance.now() - started_at)
      begin()
    }
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.toString('latin1')
      if (!isWhole(pending)) return
      const answer = pending
      pending = ''
      try {
        onAnswer(answer)
      } catch (error) {
        reject(error as Error)
      }
    })
    socket.on('error', reject).on('end', () => reject(new Error('the server closed a connection')))
    socket.setTimeout(silence_ms, () => reject(new Error(`a call got no answer for ${silence_ms / 1_000} s`)))
    begin()
  })
}

function isWhole(answer: string) {
  const body = answer.indexOf('\r\n\r\n')
  if (body < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, body))?.[1]
  return answer.length >= body + 4 + Number(length ?? 0)
}

if (process.argv[2] === 'generate' && process.send)
  process.once('message', (load: Load) => {
    generate(load).then(
      (result) => process.send?.(result),
      (error: Error) => {
        process.stderr.write(`${error.message}\n`)
        process.exit(1)
      },
    )
  })
