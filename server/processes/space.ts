import { resolve } from 'node:path'
import type { DatabaseConfig } from '../config.ts'
import { sqlOn } from '../platform/postgres/backup/session.ts'
import { Connection, type ConnectionConfig } from '../platform/postgres/connection.ts'
import { hasRows, type Sql } from '../platform/postgres/database.ts'
import type { AroundSchema } from '../platform/postgres/migrations.ts'
import { describeDatabase } from './database-source.ts'

/** The owner of a database: none yet, the real space, or a sandbox. */
type Space = 'none' | 'real' | 'sandbox'

/** A database that Plaza has created without the mark belongs to the real space permanently, even without users. */
async function readSpace(db: Sql): Promise<Space> {
  const [found] = await db.sql<{ has_schema: boolean; has_mark: boolean }>`
    select to_regclass('schema_migrations') is not null as has_schema, to_regclass('sandbox_mark') is not null as has_mark`
  if (!found?.has_schema) return 'none'
  return found.has_mark && (await isMarked(db)) ? 'sandbox' : 'real'
}

const isMarked = (db: Sql) => hasRows(db.sql`select is_sandbox from sandbox_mark`)

type SpaceConfig = Pick<DatabaseConfig, 'database_url' | 'data_dir' | 'is_sandbox'>

/** Throws if the database belongs to another space than SANDBOX says. */
function refuseOtherSpace(space: Space, config: SpaceConfig) {
  if (space === 'none' || (space === 'sandbox') === config.is_sandbox) return
  const { database_url, data_dir } = config
  const [setting, database] =
    database_url === undefined
      ? ['DATA_DIR', `the database in ${resolve(data_dir)}`]
      : ['DATABASE_URL', `the database of DATABASE_URL (${describeDatabase(database_url)})`]
  throw new Error(
    config.is_sandbox
      ? `SANDBOX=on needs a separate database, and ${database} is the real space’s. Nothing in it was changed. Let ${setting} ` +
          'name a new one, or leave SANDBOX out.'
      : `${sentence(database)} is a sandbox’s, where people give themselves points: the real space does not use it. Nothing in it ` +
          `was changed. Set SANDBOX=on, or let ${setting} name the database of the real space.`,
  )
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * Wraps the schema change of a start: refuses the database of the other space, and marks a new one as a sandbox's. Both happen in the
 * transaction of the change, so that of two first starts on one database the second one sees the result of the first.
 */
export const claimSpace =
  (config: SpaceConfig): AroundSchema =>
  async (client, apply) => {
    const db = sqlOn(client)
    const space = await readSpace(db)
    refuseOtherSpace(space, config)
    const changes = await apply()
    if (space === 'none' && config.is_sandbox) await db.sql`insert into sandbox_mark default values`
    return changes
  }

/** For a command: throws if the database belongs to the other space. */
export async function checkSpace(connection: ConnectionConfig, config: SpaceConfig) {
  // A name that does not count as a running service.
  const client = new Connection({ ...connection, application_name: 'space of plaza' })
  await client.connect()
  try {
    refuseOtherSpace(await readSpace(sqlOn(client)), config)
  } finally {
    await client.end().catch(() => {})
  }
}

/** For a restore, before it is committed: throws if the file is a backup of the other space. */
export async function refuseBackupOfOtherSpace(db: Sql, { is_sandbox }: { is_sandbox: boolean }, file: string) {
  const is_of_sandbox = await isMarked(db)
  if (is_of_sandbox === is_sandbox) return
  throw new Error(
    is_sandbox
      ? `${file} is a backup of the real space, and SANDBOX=on. Its people and points do not belong in a sandbox: nothing was restored.`
      : `${file} is a backup of a sandbox, where people give themselves points: nothing was restored. Set SANDBOX=on to restore it.`,
  )
}
