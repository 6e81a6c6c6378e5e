import { connect, createServer, type Socket } from 'node:net'
import { rm } from 'node:fs/promises'
import { onTestFinished } from 'vitest'

/** A fault injected into one call, which is chosen by its first line, such as `POST /v1.41/containers/create?name=…`. */
export type InjectedFault =
  /** The engine processes the call; its answer is dropped. */
  | 'lose_answer'
  /** The call is never answered. */
  | 'hang'
  /** The connection is closed immediately. */
  | 'refuse'
  /** Chunks of the answer are changed; their length must stay the same. */
  | { change(answer: string): string }
  /** This answer, with head and body, is sent instead of the engine's. */
  | { answer: string }

export interface EngineProxy {
  socket_path: string
  /** First line and headers of all calls. */
  heads: string[]
  /** The number of injected faults. A test asserts with it that its fault happened. */
  injected: number
  inject: (first_line: string) => InjectedFault | undefined
}

/** A fault proxy in front of an engine's socket, for one test. */
export async function engineProxy(engine_socket_path: string): Promise<EngineProxy> {
  const socket_path = `${engine_socket_path}.proxy-${Math.random().toString(36).slice(2, 8)}`
  const proxy: EngineProxy = { socket_path, heads: [], injected: 0, inject: () => undefined }
  const sockets = new Set<Socket>()
  const server = createServer((caller) => {
    sockets.add(caller)
    caller.on('error', () => {}).once('data', (first) => handle(proxy, engine_socket_path, caller, first))
  })
  await new Promise<void>((done) => server.listen(socket_path, done))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => server.close(done))
    await rm(socket_path, { force: true })
  })
  return proxy
}

function handle(proxy: EngineProxy, engine_socket_path: string, caller: Socket, first: Buffer) {
  const head = first.toString('latin1').split('\r\n\r\n')[0] ?? ''
  proxy.heads.push(head)
  const fault = proxy.inject(head.split('\r\n')[0] ?? '')
  if (fault) proxy.injected++
  if (fault === 'hang') return
  if (fault === 'refuse') caller.destroy()
  else if (typeof fault === 'object' && 'answer' in fault) caller.end(fault.answer)
  else forward(fault, engine_socket_path, caller, first)
}

function forward(fault: InjectedFault | undefined, engine_socket_path: string, caller: Socket, first: Buffer) {
  const engine = connect(engine_socket_path)
  engine.write(first)
  caller.pipe(engine)
  engine.on('error', () => caller.destroy()).on('close', () => caller.destroy())
  caller.on('close', () => engine.destroy())
  if (fault === 'lose_answer') engine.once('data', () => caller.destroy())
  else if (typeof fault === 'object' && 'change' in fault)
    engine.on('data', (chunk) => caller.write(fault.change(chunk.toString('latin1')), 'latin1'))
  else engine.pipe(caller)
  engine.on('end', () => caller.end())
}

/** The answer of an engine that fails for one object: 500 with a message. */
export function engineFailure(message: string): InjectedFault {
  const body = JSON.stringify({ message })
  const head = `HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`
  return { answer: head + body }
}
