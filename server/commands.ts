import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeAdmin } from './accounts/registration.service.ts'
import { auditGrantedAdmin } from './admin/service.ts'
import { readDatabaseConfig, type DatabaseConfig } from './config.ts'
import { openDatabaseSource, explainDatabaseError } from './processes/database-source.ts'
import { resealEverything } from './keys.ts'
import { systemClock, type Clock } from './platform/clock.ts'
import { openDatabase, sqlState, type Database } from './platform/postgres/database.ts'
import type { Env } from './platform/env-reader.ts'
import { openLog, type Logger } from './platform/log.ts'
import { publish_only } from './platform/batching/invalidation-bus.ts'
import { readSecrets } from './secret-keys.ts'

/** What a command gets: the database and the settings, but no running service. */
export interface CommandParts {
  env: Env
  db: Database
  clock: Clock
  log: Logger
  /** The secrets of the service, the newest first; created when there are none. */
  secrets(): Promise<readonly [string, ...string[]]>
  /** Writes a line to the standard output. */
  print(line: string): void
}

interface Command {
  /** The parameters after the verb. */
  parameters: readonly string[]
  summary: string
  /** Answers whether it succeeded; otherwise it has printed why not. */
  run(parts: CommandParts, args: readonly string[]): Promise<boolean>
}

/** Every verb of `npm run admin`. */
const commands: Readonly<Record<string, Command>> = {
  grant: {
    parameters: ['<email>'],
    summary: 'makes the account with this address an admin (D-19)',
    run: grantAdmin,
  },
  reseal: {
    parameters: [],
    summary: 'seals everything under the first of SECRET_KEYS, so that the others can go (docs/keys.md)',
    run: reseal,
  },
}

const exit_codes = { done: 0, not_done: 1, wrong_usage: 2 }

const usage = () =>
  [
    'Usage: npm run admin -- <command>',
    '',
    ...Object.entries(commands).map(([verb, { parameters, summary }]) =>
      [`  ${[verb, ...parameters].join(' ')}`.padEnd(24), summary].join(' '),
    ),
    '  --help                  shows this',
    '',
    'The database is the one of the service: DATABASE_URL, or the embedded one in DATA_DIR. The service may be running.',
    'Exit code: 0 done, 1 not done, 2 wrong usage.',
    '',
  ].join('\n')

/** Runs `npm run admin -- <args>` and answers the exit code: 0 done, 1 not done, 2 wrong usage. */
export async function runCommand(env: Env, args: readonly string[]): Promise<number> {
  const [verb, ...parameters] = args
  if (verb === undefined || args.includes('--help') || args.includes('-h') || verb === 'help') {
    ;(verb === undefined ? process.stderr : process.stdout).write(usage())
    return verb === undefined ? exit_codes.wrong_usage : exit_codes.done
  }
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined
  if (!command) return misused(`There is no command "${verb}".`)
  if (parameters.length !== command.parameters.length)
    return misused(`"${verb}" takes ${command.parameters.join(' ') || 'nothing more'}.`)
  const done = await withDatabase(env, (parts) => command.run(parts, parameters))
  return done ? exit_codes.done : exit_codes.not_done
}

function misused(why: string) {
  process.stderr.write(`${why}\n\n${usage()}`)
  return exit_codes.wrong_usage
}

/** Connects to the database for one command. An embedded server that was not running is stopped again. */
async function withDatabase<Result>(env: Env, work: (parts: CommandParts) => Promise<Result>): Promise<Result> {
  const config = readDatabaseConfig(env)
  refuseNewDatabase(config)
  const log = openLog('error', { write: (line) => void process.stderr.write(line) })
  const data_dir = resolve(config.data_dir)
  const source = await openDatabaseSource(config, data_dir, log)
  const db = openDatabase({ connection: source.connection, log })
  try {
    return await work({
      env,
      db,
      clock: systemClock,
      log,
      secrets: () => readSecrets(config, data_dir),
      print: (line) => void process.stdout.write(`${line}\n`),
    })
  } catch (error) {
    throw sqlState(error) === '42P01' || sqlState(error) === '42703'
      ? noSchema(error)
      : explainDatabaseError(error, config)
  } finally {
    await db.close()
    await source.stop()
  }
}

/** A command run in another folder than the service would create an empty database there. */
function refuseNewDatabase({ database_url, data_dir }: DatabaseConfig) {
  if (database_url !== undefined || existsSync(join(data_dir, 'postgres'))) return
  throw new Error(
    `There is no database in ${resolve(data_dir)}: set DATABASE_URL or DATA_DIR as the service has it, or start the service once.`,
  )
}

const noSchema = (cause: unknown) =>
  new Error('The database does not have the tables of this version: start the service once, which makes them.', {
    cause,
  })

/** `grant <email>`: makes the owner of an address an admin, also while the service runs (D-19). */
async function grantAdmin({ db, clock, print }: CommandParts, [email = '']: readonly string[]) {
  const events = {
    admin_granted: async (...event: Parameters<typeof auditGrantedAdmin>) => void (await auditGrantedAdmin(...event)),
  }
  const granted = await makeAdmin({ db, clock, events, invalidations: publish_only }, email)
  print(granted ? `${email} is an admin now.` : `Nobody has the address ${email}. The person registers first.`)
  return granted
}

/** `reseal`: seals what is at rest under the first key, also while the service runs. */
async function reseal({ env, db, print, secrets }: CommandParts) {
  const config = readDatabaseConfig(env)
  // Otherwise a key would be generated here that the service does not have.
  if (config.database_url !== undefined && config.secret_keys.length === 0)
    throw new Error(
      'SECRET_KEYS is not set: set it as the service has it, the new key first and the old ones behind it.',
    )
  return resealEverything(db, await secrets(), print)
}
