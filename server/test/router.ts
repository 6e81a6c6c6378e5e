import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  createServer,
  request,
  type Agent,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { intents_channel, routes_channel } from '../hosting/channels.ts'
import type { RouteRow } from '../hosting/proxy/routing.rules.ts'
import type { TestService } from './harness.ts'
import { waitUntil } from './wait.ts'

/** A server on loopback instead of a container. */
export interface Upstream {
  port: number
  server: Server
  /** All open connections. */
  sockets: Set<Socket>
  /** Stops immediately and resets all connections. */
  stop(): Promise<void>
}

export async function startUpstream(listener: RequestListener): Promise<Upstream> {
  const server = createServer({ requestTimeout: 0 }, listener)
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const stop = async () => {
    const closed = new Promise<unknown>((done) => server.close(done))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  onTestFinished(() => (server.listening ? stop() : undefined))
  return { port: (server.address() as AddressInfo).port, server, sockets, stop }
}

/** An upstream that responds with its name. */
export const startNamedUpstream = (name: string) => startUpstream((_req, res) => void res.end(name))

export type DeploymentFields = Omit<RouteRow, 'id' | 'endpoints'> & {
  domain_verified_at: Date | null
  endpoint_port: number | null
}

/** Inserts a deployment as the API and a worker would, notifies the router, and waits until the router has it. */
export async function putDeployment(plaza: TestService, fields: Partial<DeploymentFields>) {
  const id = randomUUID()
  const {
    subdomain = `s${id.slice(0, 8)}`,
    status = 'running',
    desired = 'running',
    suspended_by = null,
    billing_status = null,
    generation = 1,
    failed_generation = null,
    endpoint_port = null,
    custom_domain = null,
    domain_verified_at = null,
  } = fields
  await plaza.db.sql`
    with written as (
      insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port, sealed_env,
                               memory_limit_mb, cpu_limit_millicores, desired, suspended_by, generation, status, serving_generation,
                               failed_generation, billing_status, custom_domain, domain_verified_at,
                               next_attempt_at, inserted_at)
      select ${id}, gen_random_uuid(), gen_random_uuid(), t.id, 'plaza-test', 'registry.test/library/web:1', ${subdomain}, 3000, '',
             128, 250, ${desired}, ${suspended_by}, ${generation}::integer, ${status}, case when ${endpoint_port}::integer is not null then 1 end,
             ${failed_generation}::integer, ${billing_status}, ${custom_domain},
             ${domain_verified_at}::timestamptz, now(), now()
        from deploy_tiers t where t.slug = 'starter'
      returning 1
    ), routed as (
      insert into deploy_instances (deployment_id, number, host_server, serving_generation, endpoint_host, endpoint_port, health_status)
      select ${id}, 1, 'one', 1, '127.0.0.1', ${endpoint_port}::integer, 'healthy' from written where ${endpoint_port}::integer is not null
    )
    select pg_notify(${intents_channel}, ${id}) from (select count(*) from written) counted`
  const host = `${subdomain}.apps.localhost`
  await waitUntil(
    async () => (await requestRouter(plaza, `/ask?domain=${host}`)).status === (desired === 'destroyed' ? 404 : 200),
  )
  return { id, host }
}

/** Adds healthy replicas at these ports, as a worker does. */
export async function addReplicas({ db }: TestService, { id }: { id: string }, ports: readonly number[]) {
  await db.sql`update deployments set replicas = ${ports.length + 1} where id = ${id}`
  for (const [at, port] of ports.entries())
    await db.sql`
      insert into deploy_instances (deployment_id, number, host_server, serving_generation, endpoint_host, endpoint_port,
                                    health_status)
      values (${id}, ${at + 2}, 'two', 1, '127.0.0.1', ${port}, 'healthy')`
  await db.sql`select pg_notify(${routes_channel}, ${id})`
}

/** Switches to another generation and notifies the router, as a worker does. */
export const switchTo = (plaza: TestService, id: string, generation: number, port: number) =>
  plaza.db.sql`
    with written as (
      update deployments
         set status = 'running', serving_generation = ${generation}::integer, generation = greatest(generation, ${generation}::integer)
       where id = ${id}::uuid
      returning 1
    ), switched as (
      insert into deploy_instances (deployment_id, number, host_server, serving_generation, endpoint_host, endpoint_port, health_status)
      select ${id}, 1, 'one', ${generation}, '127.0.0.1', ${port}, 'healthy' from written
      on conflict (deployment_id, number) do update
         set serving_generation = excluded.serving_generation, endpoint_host = excluded.endpoint_host,
             endpoint_port = excluded.endpoint_port
    )
    select pg_notify(${routes_channel}, ${id}) from (select count(*) from written) counted`

export const routerPort = ({ service }: TestService) => Number(new URL(service.router_address ?? '').port)

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface RouterRequest {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer
  agent?: Agent
}

/** Sends a request through the router to this host, by default on a new connection. */
export function requestHost(
  plaza: TestService,
  host: string,
  { method = 'GET', path = '/', headers, body, agent }: RouterRequest = {},
) {
  return new Promise<Reply>((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: routerPort(plaza),
        method,
        path,
        headers: { host, ...headers },
        agent: agent ?? false,
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }),
        )
      },
    )
    outgoing.on('error', reject).end(body)
  })
}

/** Sends a request to the router's own endpoints. */
export const requestRouter = (plaza: TestService, path: string, headers?: Record<string, string>) =>
  requestHost(plaza, 'localhost', { path, ...(headers && { headers }) })

/** The router's own `/health`. */
export const routerHealth = async (plaza: TestService) =>
  JSON.parse((await requestRouter(plaza, '/health')).body) as {
    listening: boolean
    visitors: number
    websockets: number
  }

/** Waits until the router has no open request or WebSocket. */
export const untilRouterIdle = (plaza: TestService) =>
  waitUntil(async () => {
    const { visitors, websockets } = await routerHealth(plaza)
    return visitors === 0 && websockets === 0
  }, 'the end of the last request')

/** Opens a connection to the router, for bytes that no HTTP client would send. */
export async function openSocket(plaza: TestService): Promise<Socket> {
  const socket = connect(routerPort(plaza), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await new Promise((done, failed) => socket.once('connect', done).once('error', failed))
  socket.on('error', () => {})
  return socket
}

/** Sends raw bytes and returns everything received until the connection is closed. */
export async function sendRaw(plaza: TestService, text: string) {
  const socket = await openSocket(plaza)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
  })
  const closed = new Promise((done) => socket.once('close', done))
  socket.write(text)
  await closed
  return answer
}

/** The next chunk received on a connection. */
export const nextChunk = (socket: Socket) =>
  new Promise<string>((done) => {
    socket.once('data', (chunk: Buffer) => done(chunk.toString('latin1')))
  })

/** Everything received on a connection up to this text. */
export async function readUntil(socket: Socket, text: string) {
  let read = ''
  while (!read.includes(text)) read += await nextChunk(socket)
  return read
}

/** The log lines that contain all of these texts. */
export const loggedWith = (plaza: TestService, ...texts: string[]) =>
  plaza
    .logged()
    .split('\n')
    .filter((line) => texts.every((text) => line.includes(text)))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** An upstream in a separate, suspended process that acts like a lost host. `fill` makes its kernel ignore further connections. */
export async function startFrozenUpstream() {
  const program = `
    const server = require('node:http').createServer((req, res) => res.end('frozen'))
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = Number(await new Promise<string>((read) => child.stdout.once('data', (text) => read(String(text)))))
  child.kill('SIGSTOP')
  return {
    port,
    resume: () => child.kill('SIGCONT'),
    async fill() {
      for (let at = 0; at < 8; at++) {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => {})
        onTestFinished(() => void socket.destroy())
        await new Promise((next) => setTimeout(next, 20))
      }
    },
  }
}
