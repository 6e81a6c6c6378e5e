import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { package_root } from '../../platform/package.ts'
import { startTestService } from '../../test/harness.ts'
import { freePort } from '../../test/free-port.ts'
import {
  nextChunk,
  startNamedUpstream,
  putDeployment,
  routerPort,
  startUpstream,
  type Reply,
  readUntil,
} from '../../test/router.ts'
import { waitUntil } from '../../test/wait.ts'
import { api_and_router } from '../../test/settings.ts'

const caddy = spawnSync('caddy', ['version']).status === 0
if (!caddy && process.env.CI === 'true') throw new Error('The test of the edge configuration needs caddy.')
if (!caddy) process.stderr.write('Left out: the test of the edge configuration needs caddy.\n')

const plaza = await startTestService({ ...api_and_router, TRUSTED_PROXIES: 'loopback' })

/** Starts Caddy with the configuration of docs/hosting, on free ports and with its internal CA. */
async function startEdge() {
  const folder = await mkdtemp(join(tmpdir(), 'plaza-edge-'))
  const port = await freePort()
  const child = spawn(
    'caddy',
    ['run', '--config', join(package_root, 'docs/hosting/Caddyfile'), '--adapter', 'caddyfile'],
    {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        PLAZA_DOMAIN: 'plaza.localhost',
        TLS_ACCOUNT: 'internal',
        PLAZA_API: new URL(plaza.url).host,
        PLAZA_ROUTER: `127.0.0.1:${routerPort(plaza)}`,
        EDGE_OPTIONS: `skip_install_trust\ndefault_bind 127.0.0.1\nhttp_port ${await freePort()}\nhttps_port ${port}`,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  const ended = new Promise((done) => child.once('exit', done))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  })
  await waitUntil(() => {
    if (child.exitCode !== null) throw new Error(log)
    return visitTls(port, 'plaza.localhost', '/health').then(
      () => true,
      () => false,
    )
  }, `Caddy (${log})`)
  return port
}

function visitTls(port: number, host: string, path = '/', body?: Buffer) {
  return new Promise<Reply>((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        path,
        servername: host,
        headers: { host, 'x-forwarded-for': '6.6.6.6' },
        rejectUnauthorized: false,
        agent: false,
        method: body ? 'POST' : 'GET',
      },
      (answer) => {
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
      },
    )
    outgoing.on('error', reject).end(body)
  })
}

async function openTls(port: number, host: string): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: host,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  onTestFinished(() => void socket.destroy())
  await new Promise((done, failed) => socket.once('secureConnect', done).once('error', failed))
  return socket.on('error', () => {})
}

test.runIf(caddy)(
  'the edge configuration of docs/hosting serves apps, custom domains, events and WebSockets, and no certificate for unknown hostnames',
  async () => {
    const site = await startUpstream((req, res) => {
      if (req.url !== '/events') return void res.end(JSON.stringify(req.headers))
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
      return undefined
    })
    site.server.on('upgrade', (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
      socket.pipe(socket)
    })
    const shop = await startNamedUpstream('shop')
    const { host } = await putDeployment(plaza, { endpoint_port: site.port })
    await putDeployment(plaza, {
      endpoint_port: shop.port,
      custom_domain: 'shop.example',
      domain_verified_at: new Date(),
    })
    const port = await startEdge()

    const { body } = await visitTls(port, host)
    expect(JSON.parse(body)).toMatchObject({
      host,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': host,
      'x-real-ip': '127.0.0.1',
    })
    expect(body).not.toContain('6.6.6.6')
    expect((await visitTls(port, 'shop.example')).body).toBe('shop')
    expect((await visitTls(port, 'plaza.localhost', '/health')).body).toContain('status')
    await expect(visitTls(port, 'stranger.example')).rejects.toThrow(/alert|TLS|SSL/)
    await expect(visitTls(port, 'nobody.apps.localhost')).rejects.toThrow(/alert|TLS|SSL/)

    const events = await openTls(port, host)
    events.write(`GET /events HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await readUntil(events, 'data: 1\n\n')

    const socket = await openTls(port, host)
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    expect(await nextChunk(socket)).toMatch(/^HTTP\/1\.1 101 /)
    socket.write('echo')
    expect(await nextChunk(socket)).toBe('echo')
  },
)
