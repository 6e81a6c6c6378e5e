import type { Database, Sql } from '../platform/postgres/database.ts'
import { estimateWork, tableWorkOf } from '../platform/postgres/migration-cost.ts'
import type { SchemaSources } from '../platform/postgres/schema-files.ts'
import { examineUpgrade, planSchema, type SchemaPlan } from '../platform/postgres/schema-plan.ts'
import { pluralize } from '../platform/text.ts'
import { schema_sources } from '../processes/database.ts'
import { defineCommand } from './command.ts'
import { withDatabase } from './database.ts'

const verdicts = { can_roll: 0, must_stop: 3, not_compatible: 4 } as const
type Verdict = keyof typeof verdicts

/** The largest estimate allows for slower machines and other load by this factor. */
const slow_factor = 5

interface UpgradeReport {
  verdict: Verdict
  version: string
  /** Each with its tables and an estimate in seconds on an idle machine. */
  migrations: { name: string; breaking?: string; seconds: number; tables: { table: string; rows: number }[] }[]
  /** Domains whose SQL functions are replaced, which takes almost no time. */
  functions: string[]
  seconds: number
  notes: string[]
}

/** `upgrade-check`: checks if this version can be started beside the running one, and how long its migrations take. */
export const upgradeCheck = defineCommand({
  options: { json: { summary: 'prints one JSON object' } },
  summary: 'checks if this version can be started beside the running one (docs/operating/upgrade.md)',
  help: [
    'Run it from the new version, with DATABASE_URL or DATA_DIR of the running one. It only reads and does not change the schema.',
    'The time is an estimate: rows of the tables that a migration walks, times a measured rate. All migrations are one transaction;\n' +
      'what needs a table that they lock waits for its end.',
  ],
  exit_codes: {
    0: 'can roll: start the new processes, then stop the old ones',
    3: 'must stop: end all old processes before the first new one starts',
    4: 'not compatible: this version cannot work on this database',
  },
  run: async (invocation) => {
    return withDatabase(invocation, async ({ db }) => {
      const report = await checkUpgrade(db, schema_sources)
      const lines = invocation.options.json ? [JSON.stringify(report)] : linesOf(report)
      for (const line of lines) invocation.print(line)
      return verdicts[report.verdict]
    })
  },
})

/** Compares the database with the files of a version. Changes nothing. */
export async function checkUpgrade(db: Database, sources: SchemaSources): Promise<UpgradeReport> {
  const plan = await planSchema(db, sources)
  const { refusal, notes } = await examine(db, plan)
  const rows_of = await rowsOfTables(db)
  const migrations = plan.pending.map(({ name, text, breaking }) => {
    const { seconds, rows } = estimateWork(tableWorkOf(text), rows_of)
    return { name, ...(breaking !== undefined && { breaking }), seconds, tables: rows }
  })
  return {
    verdict:
      refusal !== undefined
        ? 'not_compatible'
        : plan.pending.some(({ breaking }) => breaking !== undefined)
          ? 'must_stop'
          : 'can_roll',
    version: sources.version,
    migrations,
    functions: plan.functions.pending.map(({ name }) => name),
    seconds: migrations.reduce((sum, { seconds }) => sum + seconds, 0),
    notes: [
      ...(refusal === undefined ? unknownNotes(plan) : [`A start is refused: ${refusal}.`]),
      ...notes,
      ...breakingNotes(plan),
      ...(await longTransactions(db, plan)),
    ],
  }
}

/** The same examination as a start, in a transaction that is rolled back. */
async function examine(db: Database, plan: SchemaPlan) {
  const client = await db.pool.connect()
  try {
    await client.query('begin')
    return await examineUpgrade(client, plan)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const unknownNotes = ({ unknown }: SchemaPlan) =>
  unknown.length === 0
    ? []
    : [
        `The database is ahead of this version by ${pluralize(unknown.length, 'migration')}: this version works beside it and changes nothing.`,
      ]

const breakingNotes = ({ pending }: SchemaPlan) =>
  pending.flatMap(({ name, breaking }) =>
    breaking === undefined ? [] : [`Older processes cannot continue beside ${name}: ${breaking}`],
  )

/**
 * The number of rows per table, estimated as the planner does: rows per page at the last `analyze`, times the current number of pages.
 * `n_live_tup` is used only before the first `analyze`, because it counts rows written just before an `analyze` twice.
 */
async function rowsOfTables(db: Sql) {
  const rows = await db.sql<{ table: string; rows: number }>`
    select c.relname as table,
           (case when c.reltuples < 0 then coalesce(s.n_live_tup, 0)
                 when c.relpages = 0 then greatest(c.reltuples, coalesce(s.n_live_tup, 0))
                 else c.reltuples / c.relpages * (pg_relation_size(c.oid) / current_setting('block_size')::integer)
            end)::float8 as rows
      from pg_class c
      left join pg_stat_user_tables s on s.relid = c.oid
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`
  return new Map(rows.map(({ table, rows: count }) => [table, Math.round(count)]))
}

/** Migrations wait for open transactions on their tables, and all other queries wait behind the migrations. */
async function longTransactions(db: Sql, { pending }: SchemaPlan) {
  if (pending.length === 0) return []
  const [row] = await db.sql<{ count: number; seconds: number }>`
    select count(*)::integer as count, coalesce(max(extract(epoch from now() - xact_start)), 0)::integer as seconds
      from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start < now() - interval '30 seconds'`
  return row!.count === 0
    ? []
    : [
        `${pluralize(row!.count, 'transaction')} of this database ${row!.count === 1 ? 'is' : 'are'} open since up to ${row!.seconds} s: ` +
          'migrations wait for them, and everybody else behind the migrations. End them first.',
      ]
}

const titles: Readonly<Record<Verdict, string>> = {
  can_roll: 'can roll: start the new processes, then stop the old ones.',
  must_stop: 'must stop: end all old processes before the first new one starts.',
  not_compatible: 'not compatible: this version cannot work on this database.',
}

function linesOf({ verdict, version, migrations, functions, seconds, notes }: UpgradeReport): string[] {
  return [
    `To version ${version}: ${titles[verdict]}`,
    ...notes.map((note) => `  ${note}`),
    ...(migrations.length === 0
      ? ['No migration is to be applied.']
      : [`${pluralize(migrations.length, 'migration')}:`]),
    ...migrations.map(({ name, tables, seconds: estimate }) => {
      const walked = tables.map(({ table, rows }) => `${rows} rows of ${table}`).join(', ')
      return `  ${name}: ${walked === '' ? 'walks no rows' : `${walked}, about ${secondsText(estimate)}`}`
    }),
    ...(functions.length === 0 ? [] : [`SQL functions are replaced in: ${functions.join(', ')}.`]),
    ...(migrations.length === 0
      ? []
      : [
          `In all about ${secondsText(seconds)} on an idle machine, up to ${secondsText(seconds * slow_factor)} on a loaded one. ` +
            'Calls that need these tables wait meanwhile.',
        ]),
  ]
}

const secondsText = (seconds: number) =>
  seconds < 0.1 ? 'less than 0.1 s' : seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.ceil(seconds / 60)} minutes`
