import { createServer } from 'node:net'

/** A port that is free at the moment, by default on 127.0.0.1. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, address, done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}
