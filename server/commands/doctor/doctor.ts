import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readConfig, readDatabaseConfig, type Config, type DatabaseConfig } from '../../config.ts'
import type { Env } from '../../platform/env-reader.ts'
import { readSecrets } from '../../secret-keys.ts'
import { defineCommand, exit_codes } from '../command.ts'
import { withDatabase, type DatabaseInvocation } from '../database.ts'
import { databaseChecks } from './database-checks.ts'
import { failed, ok, runCheck, type Check, type Finding } from './finding.ts'
import { secretsHider } from './secrets.ts'
import { serviceChecks } from './service-checks.ts'

/** `doctor`: tests everything that the service depends on, and recommends remedies. */
export const doctor = defineCommand({
  options: {
    json: { summary: 'prints one JSON object' },
    'mail-to': {
      value: 'ADDRESS',
      summary: 'sends a mail there; otherwise the check only signs in to the mail server',
    },
  },
  summary: 'tests everything that the service depends on, and recommends remedies',
  help: [
    'Give it all settings of the service. Every check has its own time and outlives the failure of the others. It changes nothing\n' +
      'and prints no secret. On container hosts it runs test containers for some seconds.',
  ],
  exit_codes: { 0: 'all is good', 1: 'something is to be done' },
  async run(invocation) {
    const { env, options, print } = invocation
    const hide = secretsHider(env)
    const findings = (await examine(invocation)).map((finding) => ({
      ...finding,
      detail: hide(finding.detail),
      ...(finding.advice !== undefined && { advice: hide(finding.advice) }),
    }))
    const is_good = findings.every(({ status }) => status === 'ok')
    if (options.json) print(JSON.stringify({ ok: is_good, checks: findings }))
    else for (const line of linesOf(findings)) print(line)
    return is_good ? exit_codes.done : exit_codes.not_done
  },
})

type Examined = DatabaseInvocation & { options: { 'mail-to'?: string } }

async function examine({ options, ...invocation }: Examined): Promise<Finding[]> {
  const { env } = invocation
  const { config, problems } = readSettings(env)
  const beside = config
    ? serviceChecks({ config, backup_dir: textOf(env, 'BACKUP_DIR'), mail_to: options['mail-to'] }).map(runCheck)
    : []
  const [database, ...others] = await Promise.all([examineDatabase(invocation, config), ...beside])
  return [...problems, ...database, ...others.flat()]
}

const textOf = (env: Env, name: string) => env[name]?.trim() || undefined

/** Each problem of the settings is a finding. The database is examined regardless. */
function readSettings(env: Env): { config: Config | undefined; problems: Finding[] } {
  try {
    return { config: readConfig(env), problems: [] }
  } catch (error) {
    const problems = (error as { problems?: readonly string[] }).problems ?? [(error as Error).message]
    return {
      config: undefined,
      problems: problems.map((problem) => ({
        ...failed(problem, 'Fix it: the service does not start, and the other checks need it.'),
        name: 'settings',
      })),
    }
  }
}

const connect_seconds = 30

async function examineDatabase(invocation: DatabaseInvocation, service: Config | undefined): Promise<Finding[]> {
  let config: DatabaseConfig
  try {
    config = readDatabaseConfig(invocation.env)
  } catch {
    return []
  }
  const checked: Promise<Finding[]>[] = []
  const connection: Check = {
    name: 'database',
    seconds: connect_seconds,
    advice: 'Start PostgreSQL, and use the DATABASE_URL or DATA_DIR of the service.',
    async run() {
      let connected: (() => void) | undefined
      const until_connected = new Promise<void>((done) => (connected = done))
      const working = withDatabase(invocation, async ({ db }) => {
        await db.adHoc.sql`select 1`
        connected?.()
        const parts = {
          db,
          is_embedded: config.database_url === undefined,
          secrets: await knownSecrets(config),
          replica:
            service?.replica_url === undefined
              ? undefined
              : { url: service.replica_url, lag_max_seconds: service.replica_lag_max_seconds },
        }
        return (await Promise.all(databaseChecks(parts).map(runCheck))).flat()
      })
      checked.push(working.catch(() => []))
      await Promise.race([until_connected, working])
      return ok('answers')
    },
  }
  const found = await runCheck(connection)
  return found[0]?.status === 'ok' ? [...found, ...(await Promise.all(checked)).flat()] : found
}

/** The keys of the service if they are known here; creates none. */
async function knownSecrets(config: DatabaseConfig) {
  const data_dir = resolve(config.data_dir)
  const has_any =
    config.secret_keys.length > 0 || (config.database_url === undefined && existsSync(join(data_dir, 'secret.key')))
  return has_any ? readSecrets(config, data_dir) : undefined
}

const marks = { ok: '✓', todo: '!', failed: '✗' } as const

function linesOf(findings: readonly Finding[]): string[] {
  const advices = [
    ...new Set(
      findings.flatMap(({ name, status, advice }) =>
        status === 'ok' || advice === undefined ? [] : [`${name}: ${advice}`],
      ),
    ),
  ]
  return [
    ...findings.map(({ name, status, detail }) => `${marks[status]} ${name}: ${detail}`),
    '',
    ...(advices.length === 0
      ? ['Nothing is to be done.']
      : ['To do:', ...advices.map((advice, at) => `${at + 1}. ${advice}`)]),
  ]
}
