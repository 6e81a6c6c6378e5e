import { execFile } from 'node:child_process'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { bare_env } from '../processes.ts'

const execute = promisify(execFile)

export interface Result {
  code: number
  stdout: string
  stderr: string
}

/** Docker's command line for the daemon behind a socket. */
export class Docker {
  readonly env: NodeJS.ProcessEnv
  constructor(socket_path: string) {
    // Debian's client only has the legacy builder.
    this.env = {
      ...bare_env,
      DOCKER_HOST: `unix://${socket_path}`,
      DOCKER_BUILDKIT: '0',
      COMPOSE_DOCKER_CLI_BUILD: '0',
    }
  }

  /** Runs `docker <args>`; resolves even if it fails. */
  async try(...args: string[]): Promise<Result> {
    try {
      return { code: 0, ...(await execute('docker', args, { env: this.env, maxBuffer: 64 * 1024 * 1024 })) }
    } catch (error) {
      const { code, stdout, stderr } = error as Result
      return { code, stdout, stderr }
    }
  }

  /** Runs `docker <args>` and returns its trimmed output; throws if it fails. */
  async run(...args: string[]) {
    const { code, stdout, stderr } = await this.try(...args)
    if (code !== 0) throw new Error(`docker ${args[0]} failed: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`)
    return stdout.trim()
  }

  /** A field of a container or an image, as a Go template names it. */
  readonly inspect = (name: string, field: string) => this.run('inspect', '--format', `{{${field}}}`, name)
}

export interface ConnectProxy {
  url: string
  close(): void
}

/**
 * A proxy for connections to port 443 (CONNECT). The network of test daemons has no external access, so builds fetch npm packages through
 * it.
 */
export async function startConnectProxy(address: string): Promise<ConnectProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => {}).on('close', () => sockets.delete(client))
    let head = ''
    client.on('data', function readHead(chunk: Buffer) {
      head += chunk.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      client.off('data', readHead)
      const [, host] = /^CONNECT ([a-z0-9.-]+):443 HTTP\/1\.1\r\n/i.exec(head) ?? []
      if (host === undefined) return void client.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n')
      const upstream = connect(443, host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'))
      sockets.add(upstream)
      upstream.on('error', () => client.destroy()).on('close', () => sockets.delete(upstream))
      client.pipe(upstream).pipe(client)
    })
  })
  await new Promise<void>((listening) => server.listen(0, address, listening))
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
