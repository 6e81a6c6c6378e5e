import { createServer } from 'node:net'

/** A port, of loopback unless another address is given, that nobody listens on right now. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, address, done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}
