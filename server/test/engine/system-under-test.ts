import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { EngineKind } from '../../../contract/kinds/engines.ts'
import type { ContainerEngine, EngineErrorCode, Observed, Workload } from '../../hosting/engine/engine.ts'
import { openEngine, parseEngineSpec } from '../../hosting/engine/open.ts'
import type { TestEngines } from './harness.ts'
import { until } from './shell.ts'
import { isOk } from '../wait.ts'

/** The engine that the driver tests run against. */
export interface SystemUnderTest {
  engines: TestEngines
  /** An item of CONTAINER_HOSTS. */
  spec(): string
  kind: EngineKind
  /** Behaviour of this engine that differs from Docker's. */
  differences?: Partial<Differences>
}

interface Differences {
  /** It does not report that a program ran out of memory. */
  tells_no_oom: true
  /** The times of lines are in whole seconds. */
  times_in_seconds: true
  /** A failed start is reported by `ensure`, and not by observations. */
  forgets_failed_starts: true
}

export const deadline = () => AbortSignal.timeout(25_000)

/** Opens a driver for one test, by default as a new installation. `socket_path`: the socket of a fault proxy. */
export function openEngineFor(
  sut: SystemUnderTest,
  { installation_id = randomUUID() as string, socket_path = '', network_range = '10.240.0.0/14' } = {},
) {
  const spec = parseEngineSpec(sut.spec())
  if (!spec) throw new Error('not a host')
  const opened = openEngine({ ...spec, ...(socket_path ? { socket_path } : {}) }, { installation_id, network_range })
  onTestFinished(() => opened.close())
  return { engine: opened.engine, installation_id }
}

/** A workload of a new app; removed after the test. */
export function workloadOn(
  engine: ContainerEngine,
  sut: SystemUnderTest,
  fields: Partial<Workload> & { path?: string } = {},
): Workload {
  const { path = 'demo/echo:1', ...given } = fields
  const workload: Workload = {
    id: randomUUID(),
    generation: 1,
    replica: 1,
    app_id: randomUUID(),
    image: `${sut.engines.registry.host}/${path}`,
    registry_auth: undefined,
    env: { PORT: '8080' },
    port: 8080,
    memory_mb: 128,
    millicores: 1_000,
    running: true,
    ...given,
  }
  onTestFinished(async () => {
    // A program that has just started may not handle SIGTERM yet.
    if (sut.kind !== 'swarm') await removeAtOnce(sut, workload.id)
    await engine.remove({ workload: workload.id }, deadline())
    await engine.remove({ network_of_app: workload.app_id }, deadline())
  })
  return workload
}

async function removeAtOnce({ engines }: SystemUnderTest, id: string) {
  const { docker } = engines.host
  const query = { all: 'true', filters: JSON.stringify({ label: [`plaza.deployment=${id}`] }) }
  const all = await docker.call<{ Id: string }[]>('GET', '/containers/json', { signal: deadline(), query })
  for (const { Id } of all) {
    // Podman stops a container first, even with force.
    await docker.call('POST', `/containers/${Id}/kill`, { signal: deadline() }).catch(() => {})
    await docker.call('DELETE', `/containers/${Id}`, { signal: deadline(), query: { force: 'true', v: 'true' } })
  }
}

/** The current observation of the workload's instance. */
export async function observeInstance(engine: ContainerEngine, { id, generation }: Workload) {
  return (await engine.observe(deadline())).find((each) => each.id === id && each.generation === generation)
}

/** Waits until the observation meets the condition, and returns it. */
export const waitForInstance = (engine: ContainerEngine, workload: Workload, is: (observed: Observed) => boolean) =>
  until('the observation of the workload', async () => {
    const observed = await observeInstance(engine, workload)
    return observed && is(observed) ? observed : undefined
  })

/** Waits until the workload answers; returns its URL. */
export async function waitUntilReachable(engine: ContainerEngine, workload: Workload) {
  const { endpoint } = await waitForInstance(engine, workload, (seen) => seen.endpoint !== null)
  const url = `http://${endpoint?.host}:${endpoint?.port}`
  await until('an answer of the workload', () => isOk(url))
  return url
}

/** Opens a driver as `openEngineFor` does and starts a workload as `workloadOn` does. It answers at `url`. */
export async function startWorkload(
  sut: SystemUnderTest,
  fields?: Parameters<typeof workloadOn>[2],
  options?: Parameters<typeof openEngineFor>[1],
) {
  const opened = openEngineFor(sut, options)
  const workload = workloadOn(opened.engine, sut, fields)
  await opened.engine.ensure(workload, deadline())
  return { ...opened, workload, url: await waitUntilReachable(opened.engine, workload) }
}

export const getJson = async (url: string, path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json()

/** The fault and message of a failed engine call; the fault is undefined if it succeeded. */
export async function faultOf(
  work: Promise<unknown>,
): Promise<{ fault: EngineErrorCode | undefined; message: string }> {
  try {
    await work
    return { fault: undefined, message: '' }
  } catch (error) {
    if (error instanceof Error && 'fault' in error)
      return { fault: error.fault as EngineErrorCode, message: error.message }
    throw error
  }
}

export const collect = async <Item>(items: AsyncIterable<Item>) => {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
