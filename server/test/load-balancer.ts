import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const check_ms = 100

interface Upstream {
  port: number
  agent: Agent
  ready: boolean
}

/**
 * A load balancer as simple as they come: round robin over kept connections, no second try. Who is ready is asked of
 * `/readyz` every 100 ms, and nothing else is heeded.
 */
export async function startLoadBalancer(ports: readonly number[]) {
  const upstreams = ports.map((port): Upstream => ({ port, agent: new Agent({ keepAlive: true }), ready: false }))
  let turn = 0
  const check = (upstream: Upstream) =>
    new Promise<void>((done) => {
      const asked = request(
        { host: '127.0.0.1', port: upstream.port, path: '/readyz', agent: false, timeout: 1_000 },
        (answer) => {
          upstream.ready = answer.statusCode === 200
          answer.resume().once('close', done)
        },
      )
      asked.on('timeout', () => asked.destroy())
      asked.on('error', () => {
        upstream.ready = false
        done()
      })
      asked.end()
    })
  const timer = setInterval(() => upstreams.forEach((upstream) => void check(upstream)), check_ms)

  function pass(req: IncomingMessage, res: ServerResponse) {
    const ready = upstreams.filter((upstream) => upstream.ready)
    const upstream = ready[turn++ % ready.length]
    if (!upstream) return void res.writeHead(502).end('nobody is ready')
    const { port, agent } = upstream
    const { connection: _, ...headers } = req.headers
    const outgoing = request(
      { host: '127.0.0.1', port, agent, method: req.method, path: req.url, headers },
      (answer) => {
        const { connection: _hop, 'keep-alive': _time, ...passed } = answer.headers
        res.writeHead(answer.statusCode ?? 502, passed)
        answer.pipe(res)
      },
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => void res.writeHead(502).end(`${port}: ${error.code}`))
    return req.pipe(outgoing)
  }
  const server = createServer(pass)
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
