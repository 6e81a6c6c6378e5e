import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { openLog } from '../platform/log.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { readBackupState, type BackupRun } from './runs.store.ts'
import { createBackupJob } from './job.ts'
import { isDue, outdated, runScheduledBackup } from './scheduled.ts'

const plaza = await startTestService()
const { host, user } = inject('postgres')
const connection = { host, user, database: await databaseNameOf(plaza) }

let folder: string
beforeEach(async () => {
  await plaza.db.sql`delete from backup_runs`
  folder = await mkdtemp(join(tmpdir(), 'plaza-scheduled-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
})

const night = new Date('2026-03-02T03:10:00Z')
const later = (hours: number) => new Date(night.getTime() + hours * 3_600_000)
const take = ({ now = night, dir = join(folder, 'backups'), keep = 2 } = {}) =>
  runScheduledBackup({
    connection,
    config: { dir, keep, every_hours: 24 },
    scratch_folder: folder,
    log: openLog('silent'),
    now: () => now,
  })
/** Records a backup of this time as ended, with this error or successfully. */
const insertRun = (at: Date, error: string | null = null) => plaza.db.sql`
  insert into backup_runs (id, host, file, started_at, ended_at, error)
  values (gen_random_uuid(), 'here', 'x', ${at}, ${at}, ${error})`
const filesOf = async (dir = join(folder, 'backups')) => (await readdir(dir)).toSorted()

test('a backup is due once after each 03:00 UTC, and an hour after a failure', () => {
  const config = { dir: '/backups', every_hours: 24, keep: 7 }
  const run = (started_at: string, error: string | null = null): BackupRun => ({
    host: 'here',
    file: 'x',
    started_at: new Date(started_at),
    ended_at: new Date(started_at),
    rows: 1,
    bytes: 1,
    error,
  })
  const good = run('2026-03-02T03:10:00Z')
  const bad = run('2026-03-03T03:10:00Z', 'no room')
  const due = (state: Parameters<typeof isDue>[0], now: string, every_hours = 24) =>
    isDue(state, { ...config, every_hours }, new Date(now))
  expect(due({ last_success: undefined, last_ended: undefined }, '2026-03-02T00:00:00Z')).toBe(true)
  expect(due({ last_success: good, last_ended: good }, '2026-03-03T02:59:59Z')).toBe(false)
  expect(due({ last_success: good, last_ended: good }, '2026-03-03T03:00:00Z')).toBe(true)
  expect(due({ last_success: good, last_ended: bad }, '2026-03-03T04:09:59Z')).toBe(false)
  expect(due({ last_success: good, last_ended: bad }, '2026-03-03T04:10:00Z')).toBe(true)
  expect(due({ last_success: good, last_ended: good }, '2026-03-02T03:59:00Z', 1)).toBe(false)
  expect(due({ last_success: good, last_ended: good }, '2026-03-02T04:00:00Z', 1)).toBe(true)
})

test('of three processes at once one takes the backup, verified and readable by its owner only; all know its result', async () => {
  const outcomes = await Promise.all([take(), take(), take()])
  const taken = outcomes.filter(({ outcome }) => outcome === 'taken')
  expect(taken).toHaveLength(1)
  const [file] = await filesOf()
  expect(file).toBe('plaza-2026-03-02T03-10-00-000Z.backup')
  const path = join(folder, 'backups', file!)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const run = { host: hostname(), file: path, started_at: night, ended_at: night, error: null }
  expect(await readBackupState(plaza.db, night)).toMatchObject({ last_success: run, last_ended: run })
  expect(await take()).toEqual({ outcome: 'not_due' })
  expect((await readdir(folder)).toSorted()).toEqual(['backups'])
})

test('old backups are deleted after a newer good one, other files stay; files of a killed backup are removed', async () => {
  const dir = join(folder, 'backups')
  await mkdir(dir)
  const old = ['plaza-2026-02-27T03-00-00-000Z.backup', 'plaza-2026-02-28T03-00-00-000Z.backup']
  for (const name of [...old, 'by-hand.backup', '.plaza-2026-03-01T03-00-00-000Z.backup.unfinished-1'])
    await writeFile(join(dir, name), 'x')
  await plaza.db.sql`
    insert into backup_runs (id, host, file, started_at) values (gen_random_uuid(), 'killed', 'x', ${later(-24)})`
  expect(await take()).toMatchObject({ outcome: 'taken' })
  expect(await filesOf()).toEqual(['by-hand.backup', old[1], 'plaza-2026-03-02T03-10-00-000Z.backup'])
  const [killed] = await plaza.db.sql<{ error: string }>`select error from backup_runs where host = 'killed'`
  expect(killed!.error).toBe('The process ended before the backup was complete.')
})

test('a backup that fails its verification gets no name, old ones stay, and the reason is recorded', async () => {
  const dir = join(folder, 'backups')
  await mkdir(dir)
  await writeFile(join(dir, 'plaza-2026-03-02T03-10-00-000Z.backup'), 'x')
  await insertRun(night)
  await plaza.db
    .sql`update point_accounts set credited = credited + 1 where id = '00000000-0000-7000-8000-000000000001'`
  const outcome = await take({ now: later(24), keep: 1 })
  await plaza.db
    .sql`update point_accounts set credited = credited - 1 where id = '00000000-0000-7000-8000-000000000001'`
  expect(outcome).toEqual({ outcome: 'failed', error: expect.stringContaining('does not balance') })
  expect(await filesOf()).toEqual(['plaza-2026-03-02T03-10-00-000Z.backup'])
  expect(await readBackupState(plaza.db, later(24))).toMatchObject({
    last_success: { started_at: night },
    last_ended: { started_at: later(24), error: expect.stringContaining('does not balance') },
  })
})

test('O1: a backup with a time a year ahead is ignored: the next one is due, its age is known, and doctor sees the last', async () => {
  const wrong = later(365 * 24)
  await insertRun(wrong)
  expect(await readBackupState(plaza.db, night)).toEqual({ last_success: undefined, last_ended: undefined })
  expect(await take()).toMatchObject({ outcome: 'taken' })
  expect(await take()).toEqual({ outcome: 'not_due' })
  const { last_success, last_ended } = await readBackupState(plaza.db, later(1))
  expect([last_success?.started_at, last_ended?.started_at]).toEqual([night, night])
  // The wrong time has no effect when its day has come.
  expect((await readBackupState(plaza.db, wrong)).last_success?.started_at).toEqual(night)
})

test('a backup that takes longer than its limit is ended and logged', async () => {
  const lines: string[] = []
  const log = openLog('error', { write: (line) => void lines.push(line) })
  const config = { dir: join(folder, 'backups'), every_hours: 24, keep: 1 }
  const { job } = createBackupJob({ config, db: plaza.db, clock: plaza.clock.now, log, limit_ms: 1 })
  await job.run({}, 'test')
  expect(lines.join('')).toContain('the scheduled backup took too long and was ended')
})

test('O1: a failure recorded while a clock was ahead does not postpone the next attempt', async () => {
  await insertRun(later(9_000), 'no room')
  expect(isDue(await readBackupState(plaza.db, night), { dir: folder, every_hours: 24, keep: 1 }, night)).toBe(true)
})

test.each([
  [1, ['2026-12-31', '2027-03-02', '2026-02-28']],
  [2, ['2026-12-31', '2027-03-02']],
  [3, ['2026-12-31']],
])('O2: with names in the future and BACKUP_KEEP=%i, the new backup stays; those names go first', (keep, deleted) => {
  const nameOf = (day: string) => `plaza-${day}T03-00-00-000Z.backup`
  const [others, made] = [['2026-02-28', '2027-03-02', '2026-12-31'].map(nameOf), nameOf('2026-03-02')]
  expect(outdated([...others, made, 'by-hand.backup'], keep, made)).toEqual(deleted.map(nameOf))
})

test('a BACKUP_DIR that is a file is named, and nothing else is touched', async () => {
  const dir = join(folder, 'file')
  await writeFile(dir, 'mine')
  expect(await take({ dir })).toEqual({
    outcome: 'failed',
    error: expect.stringContaining(`BACKUP_DIR (${dir}) cannot be written to: `),
  })
  expect(await readdir(folder)).toEqual(['file'])
})

const can_mount = process.getuid?.() === 0 && process.platform === 'linux'
if (!can_mount && process.env.CI === 'true') throw new Error('The test of a full disk must be able to mount one.')

test.runIf(can_mount)(
  'a full disk: no half file, older backups stay, and the message says that it is full',
  async () => {
    const dir = join(folder, 'small')
    await mkdir(dir)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir])
    onTestFinished(() => void execFileSync('umount', ['-l', dir]))
    await writeFile(join(dir, 'plaza-2026-02-27T03-00-00-000Z.backup'), Buffer.alloc(60_000))
    await writeFile(join(dir, 'plaza-2026-02-28T03-00-00-000Z.backup'), 'x')
    expect(await take({ dir, keep: 1 })).toEqual({
      outcome: 'failed',
      error: `The disk of ${dir} is full: no backup was written.`,
    })
    expect(await filesOf(dir)).toEqual([
      'plaza-2026-02-27T03-00-00-000Z.backup',
      'plaza-2026-02-28T03-00-00-000Z.backup',
    ])
  },
)
