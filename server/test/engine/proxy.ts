import { connect, createServer, type Socket } from 'node:net'
import { rm } from 'node:fs/promises'
import { onTestFinished } from 'vitest'

/** What is done with one call, chosen by its first line, as `POST /v1.41/containers/create?name=…`. */
export type InjectedFault =
  /** The engine does it, and the caller never learns. */
  | 'lose_answer'
  /** Nobody ever answers. */
  | 'hang'
  /** The connection ends at once. */
  | 'refuse'
  /** Pieces of the answer are changed on their way; texts must keep their length. */
  | { change(answer: string): string }
  /** This is answered in the engine's place, whole, with head and body. */
  | { answer: string }

export interface EngineProxy {
  socket_path: string
  /** The heads of all calls: first line and headers, without bodies. */
  heads: string[]
  /** How often a call was treated in another way than passed on: a test asserts that its fault did happen. */
  injected: number
  inject: (first_line: string) => InjectedFault | undefined
}

/** Stands between a client and an engine's socket for one test, and does what engines and networks do at their worst. */
export async function engineProxy(engine_socket_path: string): Promise<EngineProxy> {
  const socket_path = `${engine_socket_path}.proxy-${Math.random().toString(36).slice(2, 8)}`
  const proxy: EngineProxy = { socket_path, heads: [], injected: 0, inject: () => undefined }
  const sockets = new Set<Socket>()
  const server = createServer((caller) => {
    sockets.add(caller)
    caller.on('error', () => {}).once('data', (first) => pass(proxy, engine_socket_path, caller, first))
  })
  await new Promise<void>((done) => server.listen(socket_path, done))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((done) => server.close(done))
    await rm(socket_path, { force: true })
  })
  return proxy
}

function pass(proxy: EngineProxy, engine_socket_path: string, caller: Socket, first: Buffer) {
  const head = first.toString('latin1').split('\r\n\r\n')[0] ?? ''
  proxy.heads.push(head)
  const treatment = proxy.inject(head.split('\r\n')[0] ?? '')
  if (treatment) proxy.injected++
  if (treatment === 'hang') return
  if (treatment === 'refuse') caller.destroy()
  else if (typeof treatment === 'object' && 'answer' in treatment) caller.end(treatment.answer)
  else passOn(treatment, engine_socket_path, caller, first)
}

function passOn(treatment: InjectedFault | undefined, engine_socket_path: string, caller: Socket, first: Buffer) {
  const engine = connect(engine_socket_path)
  engine.write(first)
  caller.pipe(engine)
  engine.on('error', () => caller.destroy()).on('close', () => caller.destroy())
  caller.on('close', () => engine.destroy())
  if (treatment === 'lose_answer') engine.once('data', () => caller.destroy())
  else if (typeof treatment === 'object' && 'change' in treatment)
    engine.on('data', (piece) => caller.write(treatment.change(piece.toString('latin1')), 'latin1'))
  else engine.pipe(caller)
  engine.on('end', () => caller.end())
}
