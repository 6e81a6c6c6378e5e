import type { AppActor } from '../../../contract/caller.ts'
import { decisions } from '../../../contract/decisions.ts'
import { secondsAfter, type Clock } from '../../platform/clock.ts'
import { inBatches } from '../../platform/in-batches.ts'
import { toPage } from '../../platform/page.ts'
import type { Database, Sql } from '../../platform/postgres/database.ts'
import { compareLines, type NumberedLine } from '../output.rules.ts'
import {
  isBefore,
  linesOf,
  outputLine,
  searchSpan,
  textFilter,
  type LineKey,
  type OutputLine,
  type SearchQuery,
} from './output.rules.ts'
import {
  listOutputSources,
  listPartsNewestFirst,
  purgeDestroyedOutput,
  purgeOldOutput,
  purgeSources,
  type OutputPart,
  type OutputSourceRow,
} from './output.store.ts'
import { getDeployment, type DeploymentsDeps } from './service.ts'

export type { SearchQuery } from './output.rules.ts'

const { tail_default, kept_days, kept_after_destroy_days } = decisions.container_output
/** The approximate maximum of characters in a response. */
const characters_max = 1_048_576
const parts_at_once = 24
const day_seconds = 86_400
/** Longer than any temporary outage of a host, which hides its containers from all workers. */
const source_kept_seconds = 7 * day_seconds

/** The last lines of a deployment's output, oldest first (D-64). Fails as `getDeployment`. */
export async function readOutput(deps: DeploymentsDeps, caller: AppActor, deployment_id: string, tail?: number) {
  const { id } = await getDeployment(deps, caller, deployment_id)
  return lastOutputLines(deps.db.adHoc, id, tail)
}

/** A page of a deployment's stored output, newest first. Fails as `getDeployment`, or with `validation_failed`. */
export async function searchOutput(deps: DeploymentsDeps, caller: AppActor, deployment_id: string, query: SearchQuery) {
  const { id } = await getDeployment(deps, caller, deployment_id)
  return searchKeptOutput(deps.db.adHoc, id, query)
}

/** The last stored lines, oldest first. */
export async function lastOutputLines(
  db: Sql,
  deployment_id: string,
  tail: number = tail_default,
): Promise<OutputLine[]> {
  return (await lastLines(db, deployment_id, tail)).map(({ line, source }) => outputLine(line, source))
}

/** A page of the stored output, newest first. Fails with `validation_failed`. */
export async function searchKeptOutput(db: Sql, deployment_id: string, query: SearchQuery) {
  const size = query.limit ?? tail_default
  const { replica = null, q } = query
  const found = await findLines(db, { deployment_id, replica, ...searchSpan(query) }, { count: size + 1, q })
  const lines = found.lines.map(({ line, source }) => outputLine(line, source))
  const page = toPage(lines, size, () => '')
  // A page ends early if it reaches the maximum of characters.
  const has_more = page.next_cursor !== null || found.is_cut
  return { data: page.data, next_cursor: has_more ? (page.data.at(-1)?.id ?? null) : null }
}

/** The last lines with their sources, oldest first. */
export async function lastLines(db: Sql, deployment_id: string, count: number) {
  const span = { deployment_id, replica: null, ...searchSpan({}) }
  return (await findLines(db, span, { count, q: undefined })).lines.reverse()
}

interface Span {
  deployment_id: string
  from: bigint
  to: bigint
  replica: number | null
  /** Only lines before this position, if any. */
  before: LineKey | undefined
}

export interface FoundLine {
  line: NumberedLine
  source: OutputSourceRow
}

const unknown_source = (id: number): OutputSourceRow => ({ id, replica: 1, release: null, next_number: 1 })

/**
 * Up to `count` lines of a span that contain a text, newest first. `is_cut`: the response reached its maximum size, and
 * more lines may match.
 */
async function findLines(db: Sql, span: Span, { count, q }: { count: number; q: string | undefined }) {
  const lines: FoundLine[] = []
  if (count <= 0) return { lines, is_cut: false }
  const sources = new Map((await listOutputSources(db, span.deployment_id)).map((row) => [row.id, row]))
  const holds = textFilter(q)
  let characters = 0
  for await (const line of newestFirst(db, span)) {
    if (!holds(line)) continue
    characters += line.text.length
    if (characters > characters_max && lines.length > 0) return { lines, is_cut: true }
    lines.push({ line, source: sources.get(line.source_id) ?? unknown_source(line.source_id) })
    if (lines.length >= count) break
  }
  return { lines, is_cut: false }
}

/**
 * The lines of a span, newest first. Parts overlap in time, since each belongs to one container: a line is returned
 * once all unread parts end before it.
 */
async function* newestFirst(db: Sql, span: Span): AsyncGenerator<NumberedLine> {
  let waiting: NumberedLine[] = []
  for await (const part of partsNewestFirst(db, span)) {
    const end = BigInt(part.last_at)
    const ready = waiting.filter(({ at_ns }) => at_ns > end)
    if (ready.length > 0) {
      waiting = waiting.filter(({ at_ns }) => at_ns <= end)
      yield* ready
    }
    const { from, to, before } = span
    const own = (await linesOf(part)).filter(
      (line) => line.at_ns >= from && line.at_ns <= to && (before === undefined || isBefore(line, before)),
    )
    waiting = [...waiting, ...own].sort((left, right) => compareLines(right, left))
  }
  yield* waiting
}

async function* partsNewestFirst(db: Sql, span: Span): AsyncGenerator<OutputPart> {
  let before: OutputPart | undefined
  for (;;) {
    const parts = await listPartsNewestFirst(db, { ...span, before, rows_max: parts_at_once })
    yield* parts
    before = parts.at(-1)
    if (!before || parts.length < parts_at_once) return
  }
}

/** Deletes expired output, in batches of `rows_max`. */
export async function purgeOutput({ db, clock }: { db: Database; clock: Clock }, { rows_max }: { rows_max: number }) {
  const now = clock()
  const old = { before: secondsAfter(now, -kept_days * day_seconds), rows_max }
  const destroyed = { before: secondsAfter(now, -kept_after_destroy_days * day_seconds), rows_max }
  const unseen = { before: secondsAfter(now, -source_kept_seconds), rows_max }
  await inBatches(rows_max, () => purgeOldOutput(db.adHoc, old))
  await inBatches(rows_max, () => purgeDestroyedOutput(db.adHoc, destroyed))
  await inBatches(rows_max, () => purgeSources(db.adHoc, unseen))
}
