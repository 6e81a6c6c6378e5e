import type { AppActor } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import { Failure } from '../../platform/failure.ts'
import { EngineError, type ContainerEngine, type LogLine, type LogQuery } from '../engine/engine.ts'
import { getDeployment, type DeploymentsDeps } from './service.ts'
import type { DeploymentRow } from './store.ts'

const { text_max, tail_default } = decisions['D-64'].value
const read_timeout_ms = 10_000
/** The response holds at most this many characters; the oldest lines are dropped. */
const characters_max = 1_048_576

export type OutputDeps = DeploymentsDeps & {
  /** The engines configured for this process, by the name of their host. */
  engines: ReadonlyMap<string, ContainerEngine>
}

/** The last lines of the container's output (D-64). Fails as `getDeployment`, or with `container_engine_unavailable`. */
export async function readOutput(deps: OutputDeps, caller: AppActor, deployment_id: string, requested_tail?: number) {
  const tail = requested_tail ?? tail_default
  const lines: LogLine[] = []
  let total = 0
  const signal = AbortSignal.timeout(read_timeout_ms)
  for await (const line of await openOutput(deps, caller, deployment_id, { tail, follow: false }, signal)) {
    lines.push(line)
    total += line.text.length
    while (total > characters_max) total -= lines.shift()!.text.length
  }
  return lines.slice(-tail || lines.length)
}

/**
 * The last lines and then each new one, until the signal aborts, the container exits, or its engine becomes unavailable
 * (D-64). Fails as `getDeployment`, or with `container_engine_unavailable`.
 */
export async function followOutput(
  deps: OutputDeps,
  caller: AppActor,
  deployment_id: string,
  tail: number | undefined,
  signal: AbortSignal,
) {
  return endOnEngineFailure(
    await openOutput(deps, caller, deployment_id, { tail: tail ?? tail_default, follow: true }, signal),
  )
}

async function* endOnEngineFailure(lines: AsyncIterable<LogLine>) {
  try {
    yield* lines
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

/** The output of the serving generation, or else of the newest one on its host. */
async function openOutput(
  deps: OutputDeps,
  caller: AppActor,
  deployment_id: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<AsyncIterable<LogLine>> {
  const deployment = await getDeployment(deps, caller, deployment_id)
  const { id, host_server } = deployment
  if (host_server === null) return noLines()
  const engine = deps.engines.get(host_server)
  if (!engine) throw new Failure('container_engine_unavailable', { host_server, why: 'not an engine of this process' })
  const generation = deployment.serving_generation ?? (await findNewestGeneration(engine, deployment, signal))
  return generation === undefined ? noLines() : readLines(engine.logs({ id, generation }, query, signal), deployment)
}

/** The newest generation on the host; a stopped container is kept. */
async function findNewestGeneration(engine: ContainerEngine, { id, host_server }: DeploymentRow, signal: AbortSignal) {
  try {
    const observed = await engine.observe(signal, id)
    return observed.map(({ generation }) => generation).sort((a, b) => b - a)[0]
  } catch (error) {
    throw toFailure(error, host_server)
  }
}

async function* noLines(): AsyncGenerator<LogLine> {}

async function* readLines(lines: AsyncIterable<LogLine>, { host_server }: DeploymentRow): AsyncGenerator<LogLine> {
  try {
    for await (const { stream, at, text } of lines) yield { stream, at, text: truncate(text) }
  } catch (error) {
    throw toFailure(error, host_server)
  }
}

const truncate = (text: string) =>
  text.length <= text_max ? text : [...text.slice(0, text_max * 2)].slice(0, text_max).join('')

/** Maps errors of the engine to `container_engine_unavailable`; other errors stay as they are. */
function toFailure(error: unknown, host_server: string | null) {
  const is_engine_error =
    error instanceof EngineError || (error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name))
  return is_engine_error ? new Failure('container_engine_unavailable', { host_server, why: error.message }) : error
}
