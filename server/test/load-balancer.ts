import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const check_ms = 100

interface Upstream {
  port: number
  agent: Agent
  ready: boolean
}

/**
 * A minimal load balancer: round robin over keep-alive connections, without retries. It polls `/readyz` every 100 ms and uses
 * no other health check.
 */
export async function startLoadBalancer(ports: readonly number[]) {
  const upstreams = ports.map((port): Upstream => ({ port, agent: new Agent({ keepAlive: true }), ready: false }))
  let turn = 0
  const check = (upstream: Upstream) =>
    new Promise<void>((done) => {
      const probe = request(
        { host: '127.0.0.1', port: upstream.port, path: '/readyz', agent: false, timeout: 1_000 },
        (answer) => {
          upstream.ready = answer.statusCode === 200
          answer.resume().once('close', done)
        },
      )
      probe.on('timeout', () => probe.destroy())
      probe.on('error', () => {
        upstream.ready = false
        done()
      })
      probe.end()
    })
  const timer = setInterval(() => upstreams.forEach((upstream) => void check(upstream)), check_ms)

  function forward(req: IncomingMessage, res: ServerResponse) {
    const ready = upstreams.filter((upstream) => upstream.ready)
    const upstream = ready[turn++ % ready.length]
    if (!upstream) return void res.writeHead(502).end('no upstream is ready')
    const { port, agent } = upstream
    const { connection: _, ...headers } = req.headers
    const outgoing = request(
      { host: '127.0.0.1', port, agent, method: req.method, path: req.url, headers },
      (answer) => {
        const { connection: _hop, 'keep-alive': _keep, ...headers_out } = answer.headers
        res.writeHead(answer.statusCode ?? 502, headers_out)
        answer.pipe(res)
      },
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => void res.writeHead(502).end(`${port}: ${error.code}`))
    return req.pipe(outgoing)
  }
  const server = createServer(forward)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isReady: (port: number) => upstreams.some((upstream) => upstream.port === port && upstream.ready),
    close() {
      clearInterval(timer)
      for (const { agent } of upstreams) agent.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}
