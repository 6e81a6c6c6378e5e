import type { AppActor } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import { Failure } from '../../platform/failure.ts'
import { EngineError, type ContainerEngine, type LogLine, type LogQuery } from '../engine/engine.ts'
import { getDeployment, type DeploymentsDeps } from './service.ts'
import { listPlacedReplicas, type PlacedReplica } from './store.ts'

const { text_max, tail_default } = decisions['D-64'].value
const read_timeout_ms = 10_000
/** The response holds at most this many characters; the oldest lines are dropped. */
const characters_max = 1_048_576

/** A line, with the number of the replica that wrote it. */
export interface OutputLine extends LogLine {
  replica: number
}

export type OutputDeps = DeploymentsDeps & {
  /** The engines configured for this process, by the name of their host. */
  engines: ReadonlyMap<string, ContainerEngine>
}

/** The last lines of the container's output (D-64). Fails as `getDeployment`, or with `container_engine_unavailable`. */
export async function readOutput(deps: OutputDeps, caller: AppActor, deployment_id: string, requested_tail?: number) {
  const tail = requested_tail ?? tail_default
  const lines: OutputLine[] = []
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

async function* endOnEngineFailure(lines: AsyncIterable<OutputLine>) {
  try {
    yield* lines
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

/** The output of what serves, or else of the newest generation, of all replicas whose hosts answer (D-105). */
async function openOutput(
  deps: OutputDeps,
  caller: AppActor,
  deployment_id: string,
  query: LogQuery,
  signal: AbortSignal,
): Promise<AsyncIterable<OutputLine>> {
  const { id } = await getDeployment(deps, caller, deployment_id)
  const placed = (await listPlacedReplicas(deps.db, id)).filter(({ host_server }) => host_server !== null)
  const sources = await allButFailed(placed.map((replica) => openReplica(deps, { ...replica, id }, query, signal)))
  return query.follow ? interleave(sources) : inOrder(sources)
}

async function openReplica(
  { engines }: OutputDeps,
  { id, ...placed }: PlacedReplica & { id: string },
  query: LogQuery,
  signal: AbortSignal,
): Promise<AsyncIterable<OutputLine>> {
  const { replica, host_server } = placed
  const engine = engines.get(host_server!)
  if (!engine) throw new Failure('container_engine_unavailable', { host_server, why: 'not an engine of this process' })
  const generation = placed.serving_generation ?? (await findNewestGeneration(engine, { id, ...placed }, signal))
  if (generation === undefined) return noLines()
  return readLines(engine.logs({ id, generation, replica }, query, signal), placed)
}

/** The newest generation of a replica on its host; a stopped container is kept. */
async function findNewestGeneration(
  engine: ContainerEngine,
  { id, replica, host_server }: PlacedReplica & { id: string },
  signal: AbortSignal,
) {
  try {
    const observed = (await engine.observe(signal, id)).filter((instance) => instance.replica === replica)
    return observed.map(({ generation }) => generation).sort((a, b) => b - a)[0]
  } catch (error) {
    throw toFailure(error, host_server)
  }
}

/** The results of those that succeed; fails as the first one where none does. */
async function allButFailed<Result>(replicas: Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(replicas)
  const results = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  const [failed] = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
  if (failed && results.length === 0) throw failed
  return results
}

/** All lines of sources that end, by their time. */
async function* inOrder(sources: readonly AsyncIterable<OutputLine>[]) {
  const read = async (source: AsyncIterable<OutputLine>) => {
    const lines: OutputLine[] = []
    for await (const line of source) lines.push(line)
    return lines
  }
  const all = (await allButFailed(sources.map(read))).flat()
  yield* all.sort((left, right) => left.at.getTime() - right.at.getTime())
}

/** The lines of sources as they come, until all have ended; the last one that fails is the failure. */
async function* interleave(sources: readonly AsyncIterable<OutputLine>[]) {
  const open = new Map(sources.map((source) => [source[Symbol.asyncIterator](), undefined as Next | undefined]))
  try {
    while (open.size > 0) {
      for (const [source, next] of open) if (!next) open.set(source, nextOf(source))
      const { source, result, error } = await Promise.race([...open.values()].map((next) => next!))
      if (error && open.size === 1) throw error
      if (!result || result.done) open.delete(source)
      else {
        open.set(source, undefined)
        yield result.value
      }
    }
  } finally {
    for (const source of open.keys()) void source.return?.()
  }
}

type Source = AsyncIterator<OutputLine>
type Next = Promise<{ source: Source; result?: IteratorResult<OutputLine>; error?: Error }>

const nextOf = (source: Source): Next =>
  source.next().then(
    (result) => ({ source, result }),
    (error: Error) => ({ source, error }),
  )

async function* noLines(): AsyncGenerator<OutputLine> {}

async function* readLines(
  lines: AsyncIterable<LogLine>,
  { replica, host_server }: PlacedReplica,
): AsyncGenerator<OutputLine> {
  try {
    for await (const { stream, at, text } of lines) yield { stream, at, replica, text: truncate(text) }
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
