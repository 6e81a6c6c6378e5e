import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { startProcess } from './processes.ts'

/** The API and router ports of each process, each behind a common port. */
export interface Backend {
  api_port: number
  router_port: number
}

export interface Balancer {
  name: string
  api_url: string
  router_url: string
}

/** The response header with the port of the process that sent it. */
export const served_by = 'x-served-by'

/** The balancers that drills need and this machine lacks. */
export const missing_balancers = [
  ['caddy', 'version'],
  ['haproxy', '-v'],
].flatMap(([program = '', option = '']) => (spawnSync(program, [option]).status === 0 ? [] : [program]))

/** Starts a program with a configuration file. After the test, ends the program and removes its files. */
async function startWithConfig(file: string, config: string, command: (path: string) => [string, ...string[]]) {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-balancer-'))
  const path = join(folder, file)
  await writeFile(path, config)
  const [program, ...args] = command(path)
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, PATH: `${process.env.PATH}:/usr/sbin` }
  const started = startProcess(program, args, env)
  onTestFinished(async () => {
    started.child.kill('SIGKILL')
    await started.ended
    await rm(folder, { recursive: true, force: true })
  })
}

/**
 * Starts Caddy with the settings of deploy/Caddyfile: health checks of `/readyz`, and a policy other than round robin. With round robin,
 * Caddy 2.6 responds 503 if concurrent requests make it select an unavailable upstream twice.
 */
export async function startCaddy(
  backends: readonly Backend[],
  upstream_host = '{http.request.host}',
): Promise<Balancer> {
  const [api_port, router_port] = [await freePort(), await freePort()]
  const site = (port: number, ports: readonly number[]) => `http://:${port} {
 bind 127.0.0.1
 reverse_proxy ${ports.map((upstream) => `127.0.0.1:${upstream}`).join(' ')} {
  lb_policy least_conn
  health_uri /readyz
  health_interval 200ms
  health_timeout 10s
  flush_interval -1
  header_up Host ${upstream_host}
  header_down ${served_by} {http.reverse_proxy.upstream.port}
 }
}
`
  const config = [
    '{\n admin off\n auto_https off\n}\n',
    site(
      api_port,
      backends.map((backend) => backend.api_port),
    ),
    site(
      router_port,
      backends.map((backend) => backend.router_port),
    ),
  ].join('')
  await startWithConfig('Caddyfile', config, (path) => ['caddy', 'run', '--config', path, '--adapter', 'caddyfile'])
  return { name: 'Caddy', api_url: `http://127.0.0.1:${api_port}`, router_url: `http://127.0.0.1:${router_port}` }
}

/** Starts HAProxy with health checks of `/readyz`, round robin, and no retry of a request that was sent. */
export async function startHaproxy(backends: readonly Backend[]): Promise<Balancer> {
  const [api_port, router_port] = [await freePort(), await freePort()]
  const proxy = (name: string, port: number, ports: readonly number[]) => `
listen ${name}
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  http-check expect status 200
  http-response set-header ${served_by} %s
  default-server check inter 200ms fall 1 rise 1
${ports.map((upstream) => `  server ${upstream} 127.0.0.1:${upstream}`).join('\n')}
`
  const config = [
    'global\n  maxconn 1000\ndefaults\n  mode http\n',
    '  timeout connect 5s\n  timeout client 1m\n  timeout server 1m\n  timeout check 10s\n',
    proxy(
      'api',
      api_port,
      backends.map((backend) => backend.api_port),
    ),
    proxy(
      'router',
      router_port,
      backends.map((backend) => backend.router_port),
    ),
  ].join('')
  await startWithConfig('haproxy.cfg', config, (path) => ['haproxy', '-db', '-f', path])
  return { name: 'HAProxy', api_url: `http://127.0.0.1:${api_port}`, router_url: `http://127.0.0.1:${router_port}` }
}
