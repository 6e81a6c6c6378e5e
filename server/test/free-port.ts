import { createServer } from 'node:net'

/**
 * Below the range of ports for outgoing connections, which could otherwise take a port between its choice here and its use. Each process
 * starts at another port.
 */
const [first_port, last_port] = [12_000, 32_000]
let next_port = first_port + ((process.pid * 61) % (last_port - first_port))

/** A free port, by default on 127.0.0.1. This process does not choose it again. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = next_port
    next_port = port < last_port ? port + 1 : first_port
    if (await isFree(port, address)) return port
  }
}

const isFree = (port: number, address: string) =>
  new Promise<boolean>((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, address, () => server.close(() => done(true)))
  })
