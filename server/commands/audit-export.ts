import { listAuditOldestFirst } from '../admin/store.ts'
import { readReplicaConfig } from '../config.ts'
import { secondsAfter } from '../platform/clock.ts'
import { isId } from '../platform/ids.ts'
import type { Sql } from '../platform/postgres/database.ts'
import { hasReplayed, readPosition } from '../platform/postgres/replica.ts'
import { withReads } from '../processes/reads.ts'
import { defineCommand, exit_codes, WrongUsage } from './command.ts'
import { withDatabase } from './database.ts'

const rows_at_once = 1_000

/** The service ends a transaction that is idle for 10 s, so no entry commits later than this. */
const settled_seconds = 30

const first_id = '00000000-0000-0000-0000-000000000000'

/** `audit export`: the audit log as NDJSON, ordered by time. */
export const auditExport = defineCommand({
  options: {
    since: { value: 'TIME', summary: 'from this time on: 2026-11-01, or 2026-11-01T12:00:00Z' },
    until: { value: 'TIME', summary: 'before this time' },
    after: { value: 'ID', summary: 'after this entry: continues an export that ended with it' },
  },
  summary: 'prints the audit log as NDJSON, the oldest entry first',
  help: [
    'One entry in a line: {"id", "inserted_at", "actor_id", "action", "target_id", "details"}; actor_id is null for what was done by\n' +
      'npm run admin. Entries of the last 30 seconds are left out, so that none is missed when the next export continues with\n' +
      '--after and the id of the last line.',
    'Where DATABASE_REPLICA_URL is set, the replica is read once it shows everything that was written before the start, and the\n' +
      'primary until then.',
  ],
  async run(invocation) {
    const { options } = invocation
    if (options.since === undefined && options.after === undefined)
      throw new WrongUsage('"audit export" needs --since TIME, or --after ID.')
    if (options.after !== undefined && !isId(options.after)) throw new WrongUsage('--after needs the id of an entry.')
    const since = timeOf('--since', options.since) ?? new Date(0)
    const until = timeOf('--until', options.until)
    const config = readReplicaConfig(invocation.env)
    return withDatabase(invocation, ({ db, clock, log }) =>
      withReads({ config, db, log }, async (reads) => {
        const settled = secondsAfter(clock(), -settled_seconds)
        const range = { since, until: until && until < settled ? until : settled, rows_max: rows_at_once }
        // The next export continues after the last id, so entries that a replica does not show yet must not be skipped.
        const position = await readPosition(db.adHoc)
        const isCurrent = (replica: Sql) => hasReplayed(replica, position)
        for (let after_id = options.after ?? first_id; ;) {
          invocation.signal.throwIfAborted()
          const rows = await reads.read((side) => listAuditOldestFirst(side, { ...range, after_id }), { isCurrent })
          for (const row of rows) await invocation.write(JSON.stringify(row))
          const last = rows.at(-1)
          if (!last || rows.length < rows_at_once) return exit_codes.done
          after_id = last.id
        }
      }),
    )
  },
})

function timeOf(option: string, text: string | undefined) {
  if (text === undefined) return undefined
  const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? new Date(text)
    : undefined
  if (time === undefined || Number.isNaN(time.getTime()))
    throw new WrongUsage(`${option} needs a day or a time with its zone: 2026-11-01, or 2026-11-01T12:00:00Z.`)
  return time
}
