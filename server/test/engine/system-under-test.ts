import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import type { ContainerEngine, EngineErrorCode, Observed, Workload } from '../../hosting/engine/engine.ts'
import { openEngine, parseEngineSpec } from '../../hosting/engine/open.ts'
import type { TestEngines } from './harness.ts'
import { until } from './shell.ts'

/** What the suite needs of the engine it is run against. */
export interface SystemUnderTest {
  engines: TestEngines
  /** An item of CONTAINER_HOSTS. */
  spec(): string
  kind: 'docker' | 'swarm'
}

export const deadline = () => AbortSignal.timeout(25_000)

/** One installation's view of an engine; opened for one test. `socket_path`: through a proxy. */
export function openEngineFor(
  subject: SystemUnderTest,
  { installation_id = randomUUID() as string, socket_path = '', network_range = '10.240.0.0/14' } = {},
) {
  const spec = parseEngineSpec(subject.spec())
  if (!spec) throw new Error('not a host')
  const opened = openEngine({ ...spec, ...(socket_path ? { socket_path } : {}) }, { installation_id, network_range })
  onTestFinished(() => opened.close())
  return { engine: opened.engine, installation_id }
}

/** A workload of an app of its own; removed after the test. */
export function workloadOn(
  engine: ContainerEngine,
  subject: SystemUnderTest,
  fields: Partial<Workload> & { path?: string } = {},
): Workload {
  const { path = 'demo/echo:1', ...given } = fields
  const workload: Workload = {
    id: randomUUID(),
    generation: 1,
    app_id: randomUUID(),
    image: `${subject.engines.registry.host}/${path}`,
    registry_auth: undefined,
    env: { PORT: '8080' },
    port: 8080,
    memory_mb: 128,
    millicores: 1_000,
    running: true,
    ...given,
  }
  onTestFinished(async () => {
    // One that has only just begun would not hear that it is to end.
    if (subject.kind === 'docker') await removeAtOnce(subject, workload.id)
    await engine.remove({ workload: workload.id }, deadline())
    await engine.remove({ network_of_app: workload.app_id }, deadline())
  })
  return workload
}

async function removeAtOnce({ engines }: SystemUnderTest, id: string) {
  const { docker } = engines.host
  const query = { all: 'true', filters: JSON.stringify({ label: [`plaza.deployment=${id}`] }) }
  const all = await docker.call<{ Id: string }[]>('GET', '/containers/json', { signal: deadline(), query })
  for (const { Id } of all)
    await docker.call('DELETE', `/containers/${Id}`, { signal: deadline(), query: { force: 'true', v: 'true' } })
}

/** What is seen of the instance now. */
export async function observeInstance(engine: ContainerEngine, { id, generation }: Workload) {
  return (await engine.observe(deadline())).find((seen) => seen.id === id && seen.generation === generation)
}

/** What is seen once it is as asked for. */
export const waitForInstance = (
  engine: ContainerEngine,
  workload: Workload,
  is: (seen: Observed) => boolean,
  seconds = 20,
) =>
  until('a sight of the workload', seconds, async () => {
    const seen = await observeInstance(engine, workload)
    return seen && is(seen) ? seen : undefined
  })

/** Where the workload answers, once it does. */
export async function waitUntilReachable(engine: ContainerEngine, workload: Workload) {
  const { endpoint } = await waitForInstance(engine, workload, (seen) => seen.endpoint !== null)
  const url = `http://${endpoint?.host}:${endpoint?.port}`
  await until('an answer of the workload', 15, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return url
}

export const getJson = async (url: string, path: string): Promise<unknown> => (await fetch(`${url}${path}`)).json()

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
