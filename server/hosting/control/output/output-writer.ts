import type { Database } from '../../../platform/postgres/database.ts'
import { packLines, type KeptLine } from '../../output.rules.ts'
import { registerSources, writeParts, type NewSource, type WrittenPart } from './collector.store.ts'
import type { OutputSource, SourceBatch } from './output-source.rules.ts'

/** After this many parts, the small ones of a source are rewritten as one. A part with more bytes than this is not small. */
const small_parts_max = 30
const small_bytes_max = 32 * 1024
/** The approximate maximum of bytes that one statement writes. The next statement writes the remaining sources. */
const statement_bytes_max = 4 * 1024 * 1024

/** By deployment and the engine's id. */
export type OutputSources = ReadonlyMap<string, ReadonlyMap<string, OutputSource>>

interface Taken {
  deployment_id: string
  source: OutputSource
  batch: SourceBatch
}

/** Writes the lines that sources have taken. Writes do not overlap. */
export function openOutputWriter(db: Database) {
  const names = new Map<OutputSource, NewSource>()
  const small = openSmallParts()

  /** Creates the rows of new sources. Adds deployments to `refused` if another worker has written to their sources. */
  async function register(sources: readonly OutputSource[], refused: Set<string>) {
    const unregistered = new Map(
      sources.flatMap((source) => {
        const name = names.get(source)
        return source.id() === undefined && name ? [[`${name.deployment_id} ${name.source}`, { source, name }]] : []
      }),
    )
    if (unregistered.size === 0) return
    const new_ones = [...unregistered.values()].map(({ name }) => name)
    const rows = await registerSources(db, new_ones)
    const row_of = new Map(rows.map((row) => [`${row.deployment_id} ${row.source}`, row]))
    for (const [key, { source, name }] of unregistered) {
      const row = row_of.get(key)
      if (!row) source.discard()
      else if (!source.registered(row)) refused.add(name.deployment_id)
    }
  }

  async function writeAll(taken: readonly Taken[]) {
    try {
      const parts = await Promise.all(taken.map(({ source, batch }) => partOf(batch, small.before(source, batch))))
      return new Set(await writeParts(db, parts))
    } catch (error) {
      for (const { source, batch } of taken) source.giveBack(batch)
      throw error
    }
  }

  return {
    knows(source: OutputSource, { deployment_id, source: name, replica, generation }: NewSource) {
      if (!names.has(source)) names.set(source, { deployment_id, source: name, replica, generation })
    },
    forget(source: OutputSource) {
      names.delete(source)
      small.forget(source)
    },
    forgetAll() {
      names.clear()
      small.forgetAll()
    },
    /**
     * Writes the lines taken since the last call. `refused` returns the deployments to which another worker has written: their state in
     * this process is stale. If the database does not answer, all lines are kept and the call fails.
     */
    async write(sources: OutputSources) {
      const [written, refused] = [new Set<string>(), new Set<string>()]
      const all = [...sources.values()].flatMap((own) => [...own.values()])
      await register(all, refused)
      for (const taken of takeInTurn(sources, refused)) {
        const moved = await writeAll(taken)
        for (const { deployment_id, source, batch } of taken) {
          if (!moved.has(batch.source_id)) refused.add(deployment_id)
          else small.written(source, batch)
          if (batch.lines.length > 0) written.add(deployment_id)
        }
      }
      return { written, refused }
    },
  }
}

/** The taken lines of all sources, grouped by statement. */
function* takeInTurn(sources: OutputSources, refused: ReadonlySet<string>): Generator<Taken[]> {
  let taken: Taken[] = []
  let bytes = 0
  for (const [deployment_id, own] of sources)
    for (const source of own.values()) {
      const batch = refused.has(deployment_id) ? undefined : source.takeBatch()
      if (!batch) continue
      taken.push({ deployment_id, source, batch })
      bytes += batch.bytes
      if (bytes < statement_bytes_max) continue
      yield taken
      taken = []
      bytes = 0
    }
  if (taken.length > 0) yield taken
}

/** The last written small parts of a source. */
interface SmallParts {
  first_number: number
  parts: number
  bytes: number
  lines: KeptLine[]
}

/** Remembers small parts to merge them: otherwise a line per second would be a row per second. */
function openSmallParts() {
  const of = new Map<OutputSource, SmallParts>()
  return {
    /** The small parts that the next part replaces; undefined if it is added to them. */
    before(source: OutputSource, { lines }: SourceBatch) {
      const before = of.get(source)
      return before && lines.length > 0 && before.parts + 1 >= small_parts_max ? before : undefined
    },
    written(source: OutputSource, { lines, bytes, next_number }: SourceBatch) {
      if (lines.length === 0) return
      const before = of.get(source) ?? { first_number: next_number, parts: 0, bytes: 0, lines: [] }
      const parts = before.parts + 1
      if (parts >= small_parts_max || before.bytes + bytes > small_bytes_max) of.delete(source)
      else of.set(source, { ...before, parts, bytes: before.bytes + bytes, lines: [...before.lines, ...lines] })
    },
    forget: (source: OutputSource) => of.delete(source),
    forgetAll: () => of.clear(),
  }
}

/** The part of a batch, merged with the given small parts before it. */
async function partOf(batch: SourceBatch, before: SmallParts | undefined): Promise<WrittenPart> {
  const { source_id, next_number, dropped, stdout, stderr } = batch
  const lines = [...(before?.lines ?? []), ...batch.lines]
  const first_at = lines.reduce((least, { at_ns }) => (at_ns < least ? at_ns : least), lines[0]?.at_ns ?? 0n)
  const last_at = lines.reduce((most, { at_ns }) => (at_ns > most ? at_ns : most), first_at)
  return {
    source_id,
    next_number,
    added: batch.lines.length,
    dropped,
    first_at,
    last_at,
    stdout_at: stdout.at,
    stdout_count: stdout.count,
    stderr_at: stderr.at,
    stderr_count: stderr.count,
    first_number: before?.first_number ?? next_number,
    lines: lines.length,
    bytes: batch.bytes + (before?.bytes ?? 0),
    data: lines.length > 0 ? await packLines(lines) : Buffer.alloc(0),
  }
}
