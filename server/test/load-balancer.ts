import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const check_ms = 100

interface Upstream {
  port: number
  agent: Agent
  ready: boolean
  /** The newest probe that was answered: an older one that is answered later says what was so before. */
  newest: number
}

/**
 * A minimal load balancer: round robin over keep-alive connections, without retries. It polls `/readyz` every 100 ms and uses
 * no other health check.
 */
export async function startLoadBalancer(ports: readonly number[]) {
  const upstreams = ports.map((port): Upstream => ({
    port,
    agent: new Agent({ keepAlive: true }),
    ready: false,
    newest: 0,
  }))
  let turn = 0
  let probes = 0
  /** Has no time limit: a process that is slow on a loaded machine is not one that is away. */
  function check(upstream: Upstream) {
    const number = ++probes
    const learn = (ready: boolean) => {
      if (number > upstream.newest) Object.assign(upstream, { ready, newest: number })
    }
    request({ host: '127.0.0.1', port: upstream.port, path: '/readyz', agent: false }, (answer) => {
      learn(answer.statusCode === 200)
      answer.resume()
    })
      .on('error', () => learn(false))
      .end()
  }
  const timer = setInterval(() => upstreams.forEach(check), check_ms)

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
