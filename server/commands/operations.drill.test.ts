import { beforeEach, expect, test } from 'vitest'
import { newId } from '../platform/ids.ts'
import { runGuide } from '../test/guide.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { runAdmin, testDatabaseUrl } from '../test/processes.ts'
import { world } from '../test/world.ts'

const plaza = await startTestService({ ROLES: 'api' })
const { sql } = plaza.db
const database = { DATABASE_URL: testDatabaseUrl(await databaseNameOf(plaza)) }

async function someJob({
  attempts,
  error = null,
  run_in = '0 s',
}: {
  attempts: number
  error?: string | null
  run_in?: string
}) {
  const [row] = await sql<{ id: string }>`
    insert into graphile_worker._private_jobs (task_id, payload, attempts, max_attempts, last_error, run_at)
    select t.id, '{"email": "payload@people.test"}', ${attempts}, 8, ${error}, now() + ${run_in}::interval
      from graphile_worker._private_tasks t where t.identifier = 'nobody_runs_this'
    returning id::text`
  return row!.id
}
const attemptsOf = (id: string) => sql<{ attempts: number }>`
  select attempts from graphile_worker._private_jobs where id = ${id}::bigint`
const auditOfJobs = async () =>
  (
    await sql<{
      action: string
    }>`select action from audit_log where action like 'job.%' and actor_id is null order by id`
  ).map(({ action }) => action)

beforeEach(async () => {
  await sql`insert into graphile_worker._private_tasks (identifier) values ('nobody_runs_this') on conflict do nothing`
  await sql`delete from graphile_worker._private_jobs`
  await sql`delete from audit_log`
})

test('jobs lists state, age and last error, without the payload or secrets of the settings', async () => {
  const failed = await someJob({ attempts: 8, error: 'refused: hush-hush\nsecond line' })
  const waiting = await someJob({ attempts: 0 })
  const scheduled = await someJob({ attempts: 1, error: 'later', run_in: '1 hour' })
  const env = { ...database, SMTP_URL: 'smtp://me:hush-hush@mail.test' }
  const { code, stdout, stderr } = await runAdmin(['jobs'], env)
  expect([code, stderr]).toEqual([0, '3 jobs\n'])
  expect(stdout.split('\n').map((line) => line.split(/\s{2,}/).slice(0, 2))).toEqual(
    expect.arrayContaining([
      [failed, 'failed'],
      [waiting, 'waiting'],
      [scheduled, 'scheduled'],
    ]),
  )
  expect(stdout).toContain('8 attempts: refused: …\n')
  expect(stdout).not.toMatch(/hush-hush|payload@/)
  const only = await runAdmin(['jobs', '--state', 'failed', '--json'], env)
  expect(
    only.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([expect.objectContaining({ id: failed, state: 'failed', job: 'nobody_runs_this', attempts: 8 })])
  expect(await runAdmin(['jobs', '--state', 'lost'], env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--state needs one of failed, running, waiting, scheduled.'),
  })
})

test('guide: failed jobs are retried or dropped, each with an audit entry; one that is not failed stays as it is', async () => {
  const [one, two, three] = [
    await someJob({ attempts: 8 }),
    await someJob({ attempts: 8 }),
    await someJob({ attempts: 8 }),
  ]
  const waiting = await someJob({ attempts: 0 })
  expect(await runAdmin(['jobs', 'drop', waiting], database)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `No failed job has the id ${waiting}.\n`,
  })
  expect(await runAdmin(['jobs', 'retry', one], database)).toMatchObject({
    code: 0,
    stdout: `Job ${one} will be run again.\n`,
  })
  expect(await attemptsOf(one)).toEqual([{ attempts: 0 }])
  expect(await runAdmin(['jobs', 'drop', two], database)).toMatchObject({ code: 0, stdout: `Job ${two} is deleted.\n` })
  expect(await attemptsOf(two)).toEqual([])
  const { code, stdout } = await runGuide('commands.md', 'jobs', database)
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 job will be run again.\n')])
  expect(await attemptsOf(three)).toEqual([{ attempts: 0 }])
  expect(await attemptsOf(waiting)).toHaveLength(1)
  expect(await auditOfJobs()).toEqual(['job.retry', 'job.discard', 'job.retry'])
  for (const args of [
    ['jobs', 'retry'],
    ['jobs', 'retry', one, '--failed'],
    ['jobs', 'drop', '1; drop'],
  ])
    expect((await runAdmin(args, database)).code).toBe(2)
})

test('guide: audit export prints every entry of the period once, oldest first, and continues after the last one', async () => {
  const now = Date.now()
  const ids: string[] = []
  for (let at = 0; at < 2_500; at++) ids.push(newId())
  await sql`
    insert into audit_log (id, action, details, inserted_at)
    select id, 'test.entry', jsonb_build_object('at', at), ${new Date(now - 3_600_000)}::timestamptz + at * interval '1 s'
      from unnest(${ids}::uuid[]) with ordinality e(id, at)`
  const hour_ago = new Date(now - 3_600_000).toISOString()
  const exported = await runAdmin(['audit', 'export', '--since', hour_ago], database)
  const entries = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([exported.code, exported.stderr]).toEqual([0, ''])
  expect(entries.map(({ id }) => id)).toEqual(ids)
  expect(entries[0]).toEqual({
    id: ids[0],
    inserted_at: new Date(now - 3_599_000).toISOString(),
    actor_id: null,
    action: 'test.entry',
    target_id: null,
    details: { at: 1 },
  })
  const rest = await runAdmin(['audit', 'export', '--after', ids[2_490]!], database)
  expect(rest.stdout.trim().split('\n')).toHaveLength(9)
  const until = new Date(now - 3_600_000 + 11_000).toISOString()
  const part = await runAdmin(['audit', 'export', '--since', hour_ago, '--until', until], database)
  expect(part.stdout.trim().split('\n')).toHaveLength(10)
  const guide = await runGuide('commands.md', 'audit-export', database, { replace: { '2026-11-01': hour_ago } })
  expect([guide.code, guide.stdout.match(/"test\.entry"/g)]).toEqual([
    0,
    expect.toSatisfy((all) => all.length === 2_500),
  ])
  // The next export includes entries that are not settled yet.
  await sql`update audit_log set inserted_at = now() where id = ${ids[2_499]!}`
  const settled = await runAdmin(['audit', 'export', '--after', ids[2_490]!], database)
  expect(settled.stdout.trim().split('\n')).toHaveLength(8)
})

test('audit export: the error names wrong times and ids, exit code 2', async () => {
  const cases: [string[], string][] = [
    [[], '"audit export" needs --since TIME, or --after ID.'],
    [['--since', 'yesterday'], '--since needs a day or a time with its zone: 2026-11-01, or 2026-11-01T12:00:00Z.'],
    [['--since', '2026-13-01'], '--since needs a day or a time with its zone'],
    [['--after', '17'], '--after needs the id of an entry.'],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runAdmin(['audit', 'export', ...args], database)
    expect([code, stdout, stderr.startsWith(message)]).toEqual([2, '', true])
  }
})

test('guide: retention counts the rows that the jobs would delete, with their own statements, and deletes nothing', async () => {
  const { tokens } = await world(plaza)
  await sql`update access_tokens set expires_at = now() - interval '3 days'`
  await sql`update session_tokens set expires_at = now() - interval '3 days'`
  const { code, stdout } = await runAdmin(['retention', '--json'], database)
  const due = (JSON.parse(stdout) as { rules: { what: string; due: number; kept_seconds: number }[] }).rules
  expect(code).toBe(0)
  expect(due.find(({ what }) => what === 'access tokens')).toMatchObject({ due: 1, kept_seconds: 86_400 })
  expect(due.find(({ what }) => what === 'session tokens')).toMatchObject({ due: 1, kept_seconds: 0 })
  expect(await sql`select 1 as one from access_tokens`).toHaveLength(1)
  expect(await sql`select 1 as one from session_tokens`).toHaveLength(1)
  expect(tokens.access_token).toEqual(expect.any(String))
  const guide = await runGuide('commands.md', 'retention', database)
  expect([guide.code, guide.stdout]).toEqual([
    0,
    expect.stringContaining('access tokens: kept 24 hours longer, deleted every 10 minutes; due now: 1\n'),
  ])
})
