import { spawn } from 'node:child_process'
import { expect, onTestFinished } from 'vitest'
import {
  changeDeployment,
  createDeployment,
  destroyDeployment,
  listDeploymentReleases,
  restartDeployment,
  rollBackDeployment,
  stopDeployment,
} from '../../../contract/deployments.ts'
import type { BodyOf, ResponseOf, Wire } from '../../../contract/endpoint.ts'
import { openEngine, parseEngineSpec, type EngineSpec } from '../../hosting/engine/open.ts'
import { findInstallation } from '../../hosting/control/hosts/hosts.store.ts'
import { openEnv } from '../../hosting/api/sealing.rules.ts'
import { environmentKeys } from '../../hosting/api/service.ts'
import type { IsolationSettings } from '../../hosting/control/hosts/isolation.ts'
import type { Timing } from '../../hosting/control/timing.rules.ts'
import { startWorker } from '../../hosting/control/worker.ts'
import { openDatabase } from '../../platform/postgres/database.ts'
import type { Env } from '../../platform/env-reader.ts'
import { openLog } from '../../platform/log.ts'
import { atEnd } from '../at-end.ts'
import { bundleProgram } from '../build.ts'
import { startTestService, type TestService } from '../harness.ts'
import { freshName, someHostingApp } from '../hosting-world.ts'
import { pull_credentials, type TestEngines, type TestHost } from './harness.ts'
import { until } from './shell.ts'

/** Shorter intervals for tests; all others are the defaults. Docker starts two programs for each poll of a host. */
const test_timing: Partial<Timing> = { drift_seconds: 0.5, host_seconds: 2, drain_seconds: 1, start_seconds: 8 }

const secret = 'a-secret-of-the-tests-long-enough-for-the-rule'
const network_range = '10.244.0.0/20'

export interface WorkerOptions {
  timing?: Partial<Timing>
  /** Other sockets for these hosts by name, such as those of fault proxies. */
  sockets?: Record<string, string>
  connection?: { connectionString: string }
  /** The error of the worker's clock. */
  skew_seconds?: number
  /** The hosts in its settings; the platform's by default. */
  specs?: EngineSpec[]
  /** The names of the hosts in its settings; all by default. */
  hosts?: string[]
  /** Its setting of isolation; `trusted` by default. */
  isolation?: IsolationSettings
  /** Its secret; the platform's by default. */
  secret?: string
}

export interface TestWorker {
  stop(): Promise<void>
  logged(): string
}

/** Starts the API without a worker, on a separate database, for these engines. Tests start the workers. */
export async function startHosting(engines: TestEngines, { swarm, env = {} }: { swarm?: string; env?: Env } = {}) {
  const settings = {
    CONTAINER_HOSTS: swarm ?? engines.hosts.map(({ spec }) => spec).join(','),
    NETWORK_RANGE: network_range,
    // Test hosts have no firewall. `isolation.drill.test.ts` has its own settings.
    ISOLATION: 'trusted',
    REGISTRY_CODE_HOST: engines.registry.host,
    REGISTRY_PRIVATE: engines.private_registry.host,
  }
  const plaza = await startTestService({ ROLES: 'api', ...settings, ...env })
  const app = await someHostingApp(plaza)
  const connection = { connectionString: String(plaza.db.pool.options.connectionString) }
  const specs = (swarm === undefined ? engines.hosts.map(({ spec }) => spec) : [swarm]).map((spec) =>
    parseEngineSpec(spec)!,
  )
  return {
    plaza,
    engines,
    /** The settings of every process of this platform. */
    settings,
    app,
    connection,
    /** Starts a worker that is stopped after the test, or outside tests after the file. */
    startWorker: (options: WorkerOptions = {}) => startTestWorker({ plaza, engines, specs, connection }, options),
    /** Starts a worker in a separate process, which a test can kill or stop. It is killed after the test. */
    workerProcess: (options: WorkerOptions = {}) => startWorkerProcess({ plaza, engines, specs, connection }, options),
    deploy: (image: string, more: DeployOptions = {}) => deploy(plaza, app, image, more),
    /** An app of another owner. */
    async anotherApp() {
      const other = await someHostingApp(plaza)
      return { deploy: (image: string, more: DeployOptions = {}) => deploy(plaza, other, image, more) }
    },
    /** The reference of an image in the registry without authentication. */
    image: (path_and_tag: string) => `${engines.registry.host}/${path_and_tag}`,
  }
}

interface WorkerEnvironment {
  plaza: TestService
  engines: TestEngines
  specs: EngineSpec[]
  connection: { connectionString: string }
}

/** The configuration of a worker process, as JSON in `WORKER_CONFIG`. */
export interface WorkerProcessConfig {
  connectionString: string
  specs: EngineSpec[]
  network_range: string
  secret: string
  timing: Partial<Timing>
}

async function startWorkerProcess({ specs, connection }: WorkerEnvironment, options: WorkerOptions) {
  const config: WorkerProcessConfig = {
    ...connection,
    specs: specs.map((spec) => ({ ...spec, socket_path: options.sockets?.[spec.name] ?? spec.socket_path })),
    network_range,
    secret,
    timing: { ...test_timing, ...options.timing },
  }
  const child = spawn(process.execPath, [await bundleProgram('server/test/engine/worker-process.ts')], {
    env: { ...process.env, WORKER_CONFIG: JSON.stringify(config) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await new Promise<void>((ready) => child.stdout.once('data', () => ready()))
  return { child, exited }
}

async function startTestWorker(
  { plaza, engines, specs, connection }: WorkerEnvironment,
  options: WorkerOptions,
): Promise<TestWorker> {
  const lines: string[] = []
  const log = openLog('debug', {
    write(line) {
      lines.push(line)
      if (process.env.SHOW_WORKER) process.stderr.write(line)
    },
  })
  const db = openDatabase({ connection: options.connection ?? connection, log, pool_size: 4, pipelines: 1 })
  const installation_id = await findInstallation(db)
  const own_specs = (options.specs ?? specs).filter(({ name }) => options.hosts?.includes(name) ?? true)
  const opened = own_specs.map((spec) =>
    openEngine(
      { ...spec, socket_path: options.sockets?.[spec.name] ?? spec.socket_path },
      { installation_id, network_range },
    ),
  )
  const skew_ms = (options.skew_seconds ?? 0) * 1000
  const worker = await startWorker({
    db,
    connection: options.connection ?? connection,
    clock: () => new Date(plaza.clock.now().getTime() + skew_ms),
    log,
    engines: opened,
    environmentOf: ({ id, sealed_env }) => openEnv(environmentKeys([options.secret ?? secret]), id, sealed_env),
    registryAuthOf: (image) =>
      image.startsWith(`${engines.private_registry.host}/shared/`)
        ? { serveraddress: engines.private_registry.host, ...pull_credentials }
        : undefined,
    timing: { ...test_timing, ...options.timing },
    isolation: options.isolation ?? 'trusted',
  })
  const close = async () => {
    await worker.stop()
    await Promise.all(opened.map((engine) => engine.close()))
    await db.close()
  }
  let closing: Promise<void> | undefined
  const stop = () => (closing ??= close())
  atEnd(stop)
  return { logged: () => lines.join(''), stop }
}

export interface DeployOptions {
  env_vars?: Record<string, string>
  port?: number
}

export interface DeploymentState {
  id: string
  app_id: string
  status: string
  health_status: string | null
  generation: number
  serving_generation: number | null
  failed_generation: number | null
  endpoint_host: string | null
  endpoint_port: number | null
  host_server: string | null
  image_digest: string | null
  last_error: string | null
  /** The highest number among its instances. */
  attempts: number
  lease_owner: string | null
}

export interface TestDeployment {
  id: string
  row(): Promise<DeploymentState>
  /** Waits until the row has this status. */
  reaches(status: string): Promise<DeploymentState>
  /** Waits until the condition holds for the row. */
  becomes(what: string, is: (row: DeploymentState) => boolean): Promise<DeploymentState>
  /** `wait`: how many seconds the call waits for the outcome. */
  change(body: BodyOf<typeof changeDeployment>, wait?: number): Promise<Wire<ResponseOf<typeof changeDeployment>>>
  rollBack(body?: BodyOf<typeof rollBackDeployment>): Promise<unknown>
  /** Its releases, newest first. */
  releases(): Promise<Wire<ResponseOf<typeof listDeploymentReleases>>['releases']>
  /** The number and status of each release, newest first. */
  summary(): Promise<string[]>
  restart(): Promise<void>
  stop(): Promise<void>
  destroy(): Promise<void>
  /** Failed entries of its deploy log. */
  failures(): Promise<unknown[]>
  /** Entries of its deploy log, oldest first. */
  logs(): Promise<{ action: string; status: string; initiated_by: string | null; details: Record<string, unknown> }[]>
  /** The container's answer at the endpoint that the router uses; undefined without an answer. */
  ask<Answer>(path?: string): Promise<Answer | undefined>
}

let writes = 0
/** Advances the clock by a minute every eighth call: the rate limit is ten calls a minute. */
async function withinRateLimit<Result>(plaza: TestService, call: () => Promise<Result>) {
  if (++writes % 8 === 0) plaza.clock.advance(61)
  return call()
}

async function deploy(
  plaza: TestService,
  { api }: Awaited<ReturnType<typeof someHostingApp>>,
  image: string,
  more: DeployOptions,
): Promise<TestDeployment> {
  const body = { name: freshName(), image, tier: 'starter', ...more }
  // On a busy machine, the first call of a worker to its hosts may take seconds.
  await until('a container host', async () => {
    const [reachable] = await plaza.db.sql`
      select 1 from container_hosts where reachable and seen_at > now() - interval '20 seconds'`
    return reachable
  })
  const { id } = await withinRateLimit(plaza, () => api.result(createDeployment, { body }))
  const params = { id }
  const row = async () => {
    const [found] = await plaza.db.sql<DeploymentState>`
      select *, (select coalesce(max(i.attempts), 0) from deploy_instances i where i.deployment_id = d.id) as attempts
        from deployments d where id = ${id}`
    return found!
  }
  const releases = async () => {
    plaza.clock.advance(7)
    return (await api.result(listDeploymentReleases, { params })).releases
  }
  const logs: TestDeployment['logs'] = () =>
    plaza.db.sql`select action, status, initiated_by, details from deploy_logs where deployment_id = ${id} order by id`
  const becomes = async (what: string, is: (state: DeploymentState) => boolean) => {
    let latest: DeploymentState | undefined
    try {
      return await until(what, async () => {
        latest = await row()
        return is(latest) && latest
      })
    } catch (error) {
      throw new Error(`${(error as Error).message}: ${JSON.stringify({ ...latest, sealed_env: undefined })}`, {
        cause: error,
      })
    }
  }
  return {
    id,
    row,
    becomes,
    reaches: (status) => becomes(`${body.name} ${status}`, (state) => state.status === status),
    change: (changes, wait) => {
      plaza.clock.advance(7)
      return api.result(changeDeployment, { params, body: changes, query: wait === undefined ? {} : { wait } })
    },
    rollBack: (to = {}) => {
      plaza.clock.advance(7)
      return api.result(rollBackDeployment, { params, body: to })
    },
    releases,
    summary: async () => (await releases()).map(({ number, status }) => `${number} ${status}`),
    restart: async () => void (await withinRateLimit(plaza, () => api.result(restartDeployment, { params }))),
    stop: async () => void (await withinRateLimit(plaza, () => api.result(stopDeployment, { params }))),
    destroy: async () => void (await withinRateLimit(plaza, () => api.result(destroyDeployment, { params }))),
    failures: async () => (await logs()).filter(({ status }) => status === 'failed'),
    logs,
    async ask<Answer>(path = '/') {
      const { endpoint_host, endpoint_port } = await row()
      if (endpoint_host === null) return undefined
      try {
        const reply = await fetch(`http://${endpoint_host}:${endpoint_port}${path}`, {
          signal: AbortSignal.timeout(5_000),
        })
        return (await reply.json()) as Answer
      } catch {
        return undefined
      }
    },
  }
}

export interface ListedContainer {
  Id: string
  Names: string[]
  State: string
  Image: string
}

/** All containers of a deployment, from the engine's own list. */
export async function containersOf({ docker }: TestHost, id: string) {
  const all = await docker.call<ListedContainer[]>('GET', '/containers/json', {
    signal: AbortSignal.timeout(10_000),
    query: { all: 'true' },
  })
  return all.filter(({ Names }) => Names.some((name) => name.includes(id)))
}

/** Removes a running container by hand. */
export const removeByHand = ({ docker }: TestHost, container: { Id: string } | undefined) =>
  docker.call('DELETE', `/containers/${container!.Id}`, {
    signal: AbortSignal.timeout(20_000),
    query: { force: 'true' },
  })

export const liveOf = async (host: TestHost, id: string) =>
  (await containersOf(host, id)).filter(
    ({ State }) => State === 'running' || State === 'restarting' || State === 'paused',
  )

/** Asserts with the engines' own lists that exactly one container of the deployment is live on all hosts and that it answers. */
export async function expectOneLive(hosts: readonly TestHost[], deployment: TestDeployment) {
  const live = (await Promise.all(hosts.map((host) => liveOf(host, deployment.id)))).flat()
  expect(live.map(({ State }) => State)).toEqual(['running'])
  expect(await deployment.ask('/')).toMatchObject({ method: 'GET' })
}
