import { existsSync } from 'node:fs'
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { PlazaClient } from '../../contract/client.ts'
import { checkLedger } from '../../contract/admin.ts'
import { getPoints, pointsHistory, spendPoints } from '../../contract/points.ts'
import { missing_for_debian_postgres, startDebianPostgres, type DebianPostgres } from '../test/debian-postgres.ts'
import { query as queryOn } from '../test/databases.ts'
import { guideCommands, runGuide } from '../test/guide.ts'
import { startTestService } from '../test/harness.ts'
import { sleep, waitUntil } from '../test/wait.ts'
import { theAdmin, world } from '../test/world.ts'

const has_pgbackrest = existsSync('/usr/bin/pgbackrest')
if (!has_pgbackrest && process.env.CI === 'true')
  throw new Error('The drill of a point-in-time recovery needs the Debian package pgbackrest.')

const guide = 'backup.md'

/** The text of a block of the guide, with the values of this test. */
function settingsOf(id: string, replace: Readonly<Record<string, string>> = {}) {
  let text = guideCommands(guide, id)
  for (const [from, to] of Object.entries(replace)) {
    expect(text).toContain(from)
    text = text.replace(from, to)
  }
  return text
}

/** Writes the guide's pgBackRest configuration for a server of this test; returns the environment variables that refer to it. */
async function configure(host: string, port: number, uid: number) {
  const folders = ['repository', 'log', 'lock', 'spool'].map((name) => join(host, 'pgbackrest', name))
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await chown(folder, uid, uid)
  }
  const [repository = '', log = '', lock = '', spool = ''] = folders
  const settings = settingsOf('pgbackrest', {
    '/var/lib/pgbackrest': repository,
    '/var/lib/postgresql/15/main': join(host, 'data'),
  })
  const file = join(host, 'pgbackrest.conf')
  await writeFile(file, `${settings}\npg1-socket-path=${host}\npg1-port=${port}\n`)
  return {
    PGBACKREST_CONFIG: file,
    PGBACKREST_LOG_PATH: log,
    PGBACKREST_LOCK_PATH: lock,
    PGBACKREST_SPOOL_PATH: spool,
  }
}

const query = <Row extends pg.QueryResultRow>({ host, port }: DebianPostgres, database: string, text: string) =>
  queryOn<Row>({ host, port, user: 'postgres', database }, text)

const missing = missing_for_debian_postgres ?? (has_pgbackrest ? undefined : 'needs the Debian package pgbackrest')
if (missing !== undefined) process.stdout.write(`The drill of a point-in-time recovery is left out: it ${missing}.\n`)

test.skipIf(missing)(
  'the steps of the guide: pgBackRest takes backups under load and goes back to a moment; what was before it is there, what came after is not, and the ledger balances',
  async () => {
    let env: Record<string, string> = {}
    const postgres = await startDebianPostgres([settingsOf('pgbackrest-archiving')], async (host, port, uid) => {
      env = await configure(host, port, uid)
      return env
    })
    const { host, port } = postgres
    await query(postgres, 'postgres', 'create role plaza login')
    await query(postgres, 'postgres', 'create database plaza owner plaza')
    const plaza = await startTestService({
      ROLES: 'api',
      DATABASE_URL: `postgres:///plaza?host=${encodeURIComponent(host)}&port=${port}&user=plaza`,
    })
    const { tokens } = await world(plaza, { points: 100_000, scopes: ['points:spend', 'points:read'] })
    const spend = (description: string) => tokens.api.result(spendPoints, { body: { amount: 1, description } })
    const play = async (id: string, more: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await runGuide(guide, id, { ...env, ...more }, { cwd: host })
      expect(code, stderr).toBe(0)
      return stdout
    }

    await play('pgbackrest-once')
    let is_over = false
    const load = (async () => {
      let spends = 0
      for (; !is_over; await sleep(20)) await spend(`beside the backup ${++spends}`)
      return spends
    })()
    try {
      expect(await play('pgbackrest-backup')).toMatch(/status: ok[^]*full backup: /)
      expect(await play('pgbackrest-backup')).toMatch(/full backup: [^]*incr backup: /)
    } finally {
      is_over = true
    }
    const before = await load
    await spend('the last good one')
    const [now] = await query<{ moment: string }>(postgres, 'plaza', 'select clock_timestamp()::text as moment')
    await spend('a mistake')
    await query(postgres, 'plaza', 'delete from grants')
    await plaza.stopAll()
    await postgres.stop()

    await play('pgbackrest-restore', { MOMENT: now!.moment })
    await postgres.start()
    const inRecovery = async () =>
      (await query<{ is: boolean }>(postgres, 'plaza', 'select pg_is_in_recovery() as is'))[0]?.is
    await waitUntil(async () => (await inRecovery()) === false, 'the end of the recovery')

    const again = await plaza.startAnother()
    const person = new PlazaClient(again.url, tokens.access_token)
    expect(await person.result(getPoints)).toMatchObject({ points: 100_000 - before - 1 })
    const { data } = await person.result(pointsHistory, { query: { limit: 1 } })
    expect(data[0]?.description).toBe('the last good one')
    expect(await person.result(spendPoints, { body: { amount: 1 } })).toMatchObject({ points: 100_000 - before - 2 })
    expect(await (await theAdmin(again)).api.result(checkLedger)).toMatchObject({ balanced: true, faults: [] })
    // The archive continues along the new history.
    expect(await play('pgbackrest-backup')).toContain('incr backup: ')
  },
)
