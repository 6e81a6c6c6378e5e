import type { AppCaller } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import { Failure } from '../../platform/failure.ts'
import { EngineError, type ContainerEngine, type LogLine, type LogQuery } from '../engine/engine.ts'
import { getDeployment, type DeploymentsDeps } from './service.ts'
import type { DeploymentRow } from './store.ts'

const { text_max, tail_default } = decisions['D-64'].value
const read_timeout_ms = 10_000
/** Lines of more text than this in all are answered from the newest back. */
const total_max = 1_048_576

export type OutputDeps = DeploymentsDeps & {
  /** The engines that this process can speak to, by the name of their host. */
  engines: ReadonlyMap<string, ContainerEngine>
}

/** The last lines that the container wrote (D-64). Fails as `getDeployment` does, or with `container_engine_unavailable`. */
export async function readOutput(deps: OutputDeps, caller: AppCaller, deployment_id: string, sent_tail?: number) {
  const tail = sent_tail ?? tail_default
  const lines: LogLine[] = []
  let total = 0
  const signal = AbortSignal.timeout(read_timeout_ms)
  for await (const line of await openOutput(deps, caller, deployment_id, { tail, follow: false }, signal)) {
    lines.push(line)
    total += line.text.length
    while (total > total_max) total -= lines.shift()!.text.length
  }
  return lines.slice(-tail || lines.length)
}

/**
 * The last lines and then each new one, until the signal, the end of what the container writes, or the loss of its engine
 * (D-64). Fails as `getDeployment` does, or with `container_engine_unavailable`.
 */
export async function followOutput(
  deps: OutputDeps,
  caller: AppCaller,
  deployment_id: string,
  tail: number | undefined,
  signal: AbortSignal,
) {
  return untilLost(await openOutput(deps, caller, deployment_id, { tail: tail ?? tail_default, follow: true }, signal))
}

async function* untilLost(lines: AsyncIterable<LogLine>) {
  try {
    yield* lines
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

/** The output of what serves, or else of the newest try that its host still has. */
async function openOutput(
  deps: OutputDeps,
  caller: AppCaller,
  deployment_id: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<AsyncIterable<LogLine>> {
  const deployment = await getDeployment(deps, caller, deployment_id)
  const { id, host_server } = deployment
  if (host_server === null) return noLines()
  const engine = deps.engines.get(host_server)
  if (!engine) throw new Failure('container_engine_unavailable', { host_server, why: 'not an engine of this process' })
  const generation = deployment.serving_generation ?? (await newestOn(engine, deployment, signal))
  return generation === undefined ? noLines() : readLines(engine.logs({ id, generation }, query, signal), deployment)
}

/** The newest generation of a deployment that serves nobody: its container is kept when it stops. */
async function newestOn(engine: ContainerEngine, { id, host_server }: DeploymentRow, signal: AbortSignal) {
  try {
    const seen = await engine.observe(signal, id)
    return seen.map(({ generation }) => generation).sort((a, b) => b - a)[0]
  } catch (error) {
    throw failureOf(error, host_server)
  }
}

async function* noLines(): AsyncGenerator<LogLine> {}

async function* readLines(lines: AsyncIterable<LogLine>, { host_server }: DeploymentRow): AsyncGenerator<LogLine> {
  try {
    for await (const { stream, at, text } of lines) yield { stream, at, text: firstCharacters(text) }
  } catch (error) {
    throw failureOf(error, host_server)
  }
}

const firstCharacters = (text: string) =>
  text.length <= text_max ? text : [...text.slice(0, text_max * 2)].slice(0, text_max).join('')

/** What a client is told when an engine does not do it; other errors stay what they are. */
function failureOf(error: unknown, host_server: string | null) {
  const by_engine =
    error instanceof EngineError || (error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name))
  return by_engine ? new Failure('container_engine_unavailable', { host_server, why: error.message }) : error
}
