import { registerSources, writeParts } from '../hosting/control/output/collector.store.ts'
import { bytesOf, packLines, type KeptLine } from '../hosting/output.rules.ts'
import type { Sql } from '../platform/postgres/database.ts'

export interface TestLine {
  /** Milliseconds since 1970. */
  at: number
  text: string
  kind?: KeptLine['kind']
}

interface TestSource {
  source?: string
  replica?: number
  generation?: number
}

/** Writes lines of a container as a worker does after collecting them, in parts of this size. */
export async function addOutput(
  db: Sql,
  deployment_id: string,
  lines: readonly TestLine[],
  { source = 'container', replica = 1, generation = 1, part = 100 }: TestSource & { part?: number } = {},
) {
  for (let from = 0; from < lines.length; from += part) {
    const [row] = await registerSources(db, [{ deployment_id, source, replica, generation }])
    const kept = lines.slice(from, from + part).map(({ at, text, kind = 'stdout' }): KeptLine => {
      return { kind, at_ns: BigInt(at) * 1_000_000n, text }
    })
    const times = kept.map(({ at_ns }) => at_ns).sort((a, b) => (a < b ? -1 : 1))
    await writeParts(db, [
      {
        source_id: row!.id,
        next_number: row!.next_number,
        added: kept.length,
        first_number: row!.next_number,
        stdout_at: times.at(-1)!,
        stdout_count: 1,
        stderr_at: 0n,
        stderr_count: 0,
        dropped: 0,
        lines: kept.length,
        bytes: kept.reduce((sum, line) => sum + bytesOf(line), 0),
        first_at: times[0]!,
        last_at: times.at(-1)!,
        data: await packLines(kept),
      },
    ])
  }
}
