import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { package_root } from '../platform/package.ts'
import { tableWorkOf, estimateWork } from '../platform/postgres/migration-cost.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { runAdmin, testDatabaseUrl } from '../test/processes.ts'
import { checkUpgrade } from './upgrade-check.ts'

const plaza = await startTestService()
const database = { DATABASE_URL: testDatabaseUrl(await databaseNameOf(plaza)) }
const folder = await mkdtemp(join(tmpdir(), 'plaza-newer-'))
afterAll(() => rm(folder, { recursive: true }))

/** Records an applied migration that no file of this version has, until the end of the test. */
async function apply(name: string, breaking: boolean) {
  await plaza.db.sql`insert into schema_migrations (name, checksum, breaking) values (${name}, '', ${breaking})`
  onTestFinished(async () => void (await plaza.db.sql`delete from schema_migrations where name = ${name}`))
}

test('upgrade-check: this version can use a newer database without a breaking migration', async () => {
  await apply('9001_wider.sql', false)
  const { code, stdout } = await runAdmin(['upgrade-check', '--json'], database)
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      verdict: 'can_roll',
      migrations: [],
      notes: [
        'The database is ahead of this version by 1 migration: this version works beside it and changes nothing.',
      ],
    },
  ])
})

test('upgrade-check: a newer database with a breaking migration, or an edited migration, is not compatible: exit code 4', async () => {
  await apply('9001_gone.sql', true)
  const { code, stdout } = await runAdmin(['upgrade-check'], database)
  expect([code, stdout]).toEqual([4, expect.stringContaining('not compatible')])
  expect(stdout).toContain(
    'A start is refused: the database has the migration 9001_gone.sql, which this version does not know and cannot work beside: start a newer version of Plaza.',
  )
  await plaza.db.sql`update schema_migrations set checksum = checksum || 'x' where name = '0001_accounts.sql'`
  onTestFinished(
    async () =>
      void (await plaza.db
        .sql`update schema_migrations set checksum = rtrim(checksum, 'x') where name = '0001_accounts.sql'`),
  )
  const edited = await runAdmin(['upgrade-check'], database)
  expect([edited.code, edited.stdout]).toEqual([
    4,
    expect.stringContaining('0001_accounts.sql was changed after it was applied'),
  ])
})

test('upgrade-check: for a breaking migration the old processes must stop; the output names tables, rows and the reason', async () => {
  const migrations = join(folder, 'migrations')
  await cp(join(package_root, 'server/migrations'), migrations, { recursive: true })
  await writeFile(
    join(migrations, '9002_split.sql'),
    '-- breaking: tiers move to a table of their own\ncreate index deploy_tiers_name on deploy_tiers (name);\nupdate deploy_tiers set name = name;\n',
  )
  await plaza.db.sql`analyze deploy_tiers`
  expect(await checkUpgrade(plaza.db, { migrations, domains: join(package_root, 'server'), version: '9.0.0' })).toEqual(
    {
      verdict: 'must_stop',
      version: '9.0.0',
      migrations: [
        {
          name: '9002_split.sql',
          breaking: 'tiers move to a table of their own',
          seconds: expect.any(Number),
          tables: [{ table: 'deploy_tiers', rows: 4 }],
        },
      ],
      functions: [],
      seconds: expect.any(Number),
      notes: ['Older processes cannot continue beside 9002_split.sql: tiers move to a table of their own'],
    },
  )
  const [row] = await plaza.db
    .sql`select count(*)::integer as found from schema_migrations where name = '9002_split.sql'`
  expect(row).toEqual({ found: 0 })
})

test('the work of a migration on tables is read from its text, except tables that it creates and bodies of functions', () => {
  const sql = `
    create table new_things (id uuid primary key);
    create index new_things_id on new_things (id);
    create unique index users_found on users (name) where suspended_at is null; -- update nothing set x
    alter table oauth_apps add column owner_suspended boolean not null default false;
    alter table oauth_apps add column approved boolean generated always as (status = 'approved') stored;
    alter table deployments add constraint known check (kind in ('a', 'b'));
    update public.oauth_apps a set x = 1 from users u;
    with moved as (delete from mailed_codes where purpose = 'x' returning *) insert into new_things select id from moved;
    create function f() returns void language sql as $$ update transfers set x = 1 $$;`
  expect(tableWorkOf(sql)).toEqual([
    { table: 'users', work: 'index' },
    { table: 'oauth_apps', work: 'rewrite' },
    { table: 'deployments', work: 'check' },
    { table: 'oauth_apps', work: 'change' },
    { table: 'mailed_codes', work: 'change' },
    { table: 'moved', work: 'change' },
  ])
  const rows = new Map([
    ['users', 1_000_000],
    ['transfers', 5],
  ])
  expect(estimateWork(tableWorkOf(sql), rows)).toEqual({ seconds: 2, rows: [{ table: 'users', rows: 1_000_000 }] })
})
