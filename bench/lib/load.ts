import { fork } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { authorizeAndExchange, type Flow, type FlowOptions } from './flows.ts'

/** A load to put on a server at loopback: raw requests, each of which a connection sends once the last was answered. */
export interface Load {
  port: number
  connections: number
  seconds: number
  /**
   * Complete HTTP/1.1 requests; every connection walks through them from its own starting point. `{unique}` becomes
   * another text of the same length each time.
   */
  requests?: string[]
  /** Instead: a conversation that every connection repeats; one round of it counts as one answer. */
  flow?: FlowOptions
}

export interface LoadResult {
  answers: number
  per_second: number
  /** Answers whose status was not 2xx. */
  refused: number
  milliseconds: { median: number; p99: number; max: number }
  /** Share of one core that the generator itself used. */
  generator_share: number
}

/** Puts the load on from a process of its own, and answers what came back. */
export function putLoad(load: Load): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['generate'], { execArgv: process.execArgv })
    child.once('message', (result) => {
      child.kill()
      resolve(result as LoadResult)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)))
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

/** The requests one after the other, as a conversation in which each is a round of its own. */
function walk(requests: string[], first: number): Flow {
  let at = first
  return { first: () => (requests[at++ % requests.length] ?? '').replace('{unique}', unique), next: () => undefined }
}

async function generate({ port, connections, seconds, requests = [], flow }: Load): Promise<LoadResult> {
  const tally: Tally = { answers: 0, refused: 0, latencies: [] }
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const cpu = process.cpuUsage()
  const began = performance.now()
  const ends = began + seconds * 1000
  const stride = Math.max(1, Math.floor(requests.length / connections))
  const flowOf = (at: number) => (flow ? authorizeAndExchange(flow, at) : walk(requests, at * stride))
  await Promise.all(sockets.map((socket, at) => drive(socket, flowOf(at), at, ends, tally)))
  const elapsed = performance.now() - began
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

/** Repeats a conversation until the time is over. Answers carry a content-length, so none spans into the next. */
function drive(socket: Socket, flow: Flow, connection: number, ends: number, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    let began = 0
    let pending = ''
    const begin = () => {
      began = performance.now()
      if (began >= ends) {
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
      tally.latencies.push(performance.now() - began)
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
