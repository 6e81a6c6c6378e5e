import { randomUUID } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from './platform/postgres/database.ts'
import { openLog } from './platform/log.ts'
import { migrate } from './platform/postgres/migrations.ts'
import { package_root, package_version } from './platform/package.ts'
import { compareSchemas, describeSchema } from './platform/postgres/schema-comparison.ts'
import { restoreVersion } from './test/old-versions.ts'
import { checkUpgrade } from './commands/upgrade-check.ts'
import { purgeExpired } from './oauth/purge.service.ts'
import { listLive } from './hosting/control/hosts/drift.store.ts'
import { nextStep, no_history, type Container } from './hosting/control/reconcile/plan.rules.ts'
import { default_timing } from './hosting/control/timing.rules.ts'

const all = join(package_root, 'server/migrations')
const current = { migrations: all, domains: join(package_root, 'server'), version: package_version }
const { host, user } = inject('postgres')
const admin = new pg.Client({ host, user, database: 'postgres' })
await admin.connect()
const folder = await mkdtemp(join(tmpdir(), 'plaza-migrations-'))
const pools: pg.Pool[] = []
const databases: string[] = []
afterAll(async () => {
  for (const pool of pools) await pool.end()
  for (const name of databases) await admin.query(`drop database ${name} with (force)`)
  await admin.end()
  await rm(folder, { recursive: true, force: true })
})

async function createDatabase(template = 'template1') {
  const name = `migrated_${process.pid}_${Date.now().toString(36)}_${databases.length}`
  databases.push(name)
  await admin.query(`create database ${name} template ${template} strategy file_copy`)
  return name
}

async function emptyDatabase(template?: string) {
  const name = await createDatabase(template)
  const pool = new pg.Pool({ host, user, database: name })
  pools.push(pool.on('error', () => {}))
  return pool
}

/** A database with all migrations up to this one. */
async function databaseOf(newest: string) {
  const pool = await emptyDatabase()
  const older = join(folder, pool.options.database!)
  for (const file of await readdir(all)) if (file <= newest) await cp(join(all, file), join(older, file))
  await migrate(pool, { migrations: older, version: '0.1.0' })
  return pool
}

test('D-26: remains of ended grants of an older version are purged a day later; other grants stay', async () => {
  const pool = await databaseOf('0014_late_ad_events.sql')
  // `rest` names the part of a grant that is still valid: its newest refresh token, an access token, a session, or
  // nothing.
  await pool.query(`
    create table g as
      select gen_random_uuid() as id, rest, now() - interval '40 days' as started_at from unnest('{r,a,s,nothing}'::text[]) rest;
    insert into grants select id, id, id, '{}', 0, started_at from g;
    insert into authorization_codes
      select sha256(id::text::bytea), id, id, '{}', '', '', 0, started_at, started_at, 0, started_at, id from g;
    insert into refresh_tokens select sha256(('used' || id)::bytea), id, started_at, started_at, started_at from g;
    insert into refresh_tokens
      select sha256(('newest' || id)::bytea), id, started_at, now() + interval '9 days' from g where rest = 'r';
    insert into access_tokens
      select sha256(id::text::bytea), id, id, id, '{}', started_at, now() + interval '9 days' from g where rest = 'a';
    insert into app_sessions
      select id, id, id, id, started_at, case rest when 's' then now() + interval '9 days' else started_at end, started_at from g`)
  await migrate(pool, current)
  const log = openLog('silent')
  const db = openDatabase({ connection: { host, user, database: pool.options.database! }, log })
  const leftAfter = async (days: number) => {
    await purgeExpired({ db, clock: () => new Date(Date.now() + days * 86_400_000) }, { rows_max: 100 })
    const { rows } = await pool.query(`
      select rest, (select count(*)::integer from grants where id = g.id) as grants,
             (select count(*)::integer from authorization_codes where grant_id = g.id) as codes,
             (select count(*)::integer from refresh_tokens where grant_id = g.id) as refresh_tokens,
             (select count(*)::integer from app_sessions where grant_id = g.id) as sessions
        from g order by rest`)
    return rows
  }
  const whole = { grants: 1, codes: 1, refresh_tokens: 2, sessions: 1 }
  const none = { grants: 0, codes: 0, refresh_tokens: 0, sessions: 0 }
  const rests = (nothing: object, others: object) =>
    ['a', 'nothing', 'r', 's'].map((rest) => ({ rest, ...(rest === 'nothing' ? nothing : others) }))
  expect(await leftAfter(0)).toEqual(rests(whole, whole))
  expect(await leftAfter(2)).toEqual(rests(none, whole))
  expect(await leftAfter(11)).toEqual(rests(none, none))
  await db.close()
})

interface Version {
  version: string
  migrations: Record<string, string>
  functions?: Record<string, string>
}

/** Writes the files of a version into a folder, in the layout of a package, and migrates the database to it. */
async function startVersion(pool: pg.Pool, { version, migrations, functions = {} }: Version) {
  const root = await mkdtemp(join(folder, 'version-'))
  await mkdir(join(root, 'migrations'))
  for (const [name, text] of Object.entries(migrations)) await writeFile(join(root, 'migrations', name), text)
  for (const [domain, text] of Object.entries(functions)) {
    const file = join(root, 'domains', domain, 'functions.sql')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  await mkdir(join(root, 'domains'), { recursive: true })
  return migrate(pool, { migrations: join(root, 'migrations'), domains: join(root, 'domains'), version })
}

const tables = { '0001_tables.sql': 'create table things (id integer)' }
const answering = (answer: number) =>
  `create or replace function answer() returns integer language sql as $$ select ${answer} $$;`
const answerOf = async (pool: pg.Pool) => (await pool.query('select answer()')).rows[0].answer

test('an older version starts beside a newer schema, and leaves the functions as the newer one wrote them', async () => {
  const pool = await emptyDatabase()
  const older = { version: '0.2.0', migrations: tables, functions: { points: answering(1) } }
  const wider = { ...tables, '0002_wider.sql': 'alter table things add column name text' }
  expect(await startVersion(pool, older)).toEqual({ migrations: ['0001_tables.sql'], functions: ['points'] })
  expect(
    await startVersion(pool, { version: '0.10.0', migrations: wider, functions: { points: answering(2) } }),
  ).toEqual({ migrations: ['0002_wider.sql'], functions: ['points'] })
  expect(await startVersion(pool, older)).toEqual({ migrations: [], functions: [] })
  expect(await answerOf(pool)).toBe(2)
})

test('a version with older functions keeps those of the newer one', async () => {
  const pool = await emptyDatabase()
  const of = (version: string, answer: number) =>
    startVersion(pool, { version, migrations: tables, functions: { points: answering(answer) } })
  await of('0.10.0', 2)
  expect(await of('0.9.3', 1)).toEqual({ migrations: [], functions: [] })
  expect(await answerOf(pool)).toBe(2)
  expect(await of('0.10.0', 3)).toEqual({ migrations: [], functions: ['points'] })
  expect(await answerOf(pool)).toBe(3)
})

test('a version older than a breaking migration does not start, and names the migration', async () => {
  const pool = await emptyDatabase()
  const breaking = { ...tables, '0002_gone.sql': '-- breaking: nothing reads things any more\ndrop table things' }
  await startVersion(pool, { version: '0.3.0', migrations: breaking })
  await expect(startVersion(pool, { version: '0.2.0', migrations: tables })).rejects.toThrow(
    'the database has the migration 0002_gone.sql, which this version does not know and cannot work beside: start a newer version of Plaza',
  )
})

test('a migration that was changed after it was applied is refused', async () => {
  const pool = await emptyDatabase()
  await startVersion(pool, { version: '0.2.0', migrations: tables })
  const changed = { '0001_tables.sql': 'create table things (id bigint)' }
  await expect(startVersion(pool, { version: '0.2.0', migrations: changed })).rejects.toThrow(
    'the migration 0001_tables.sql was changed after it was applied',
  )
})

test('migrations and functions are applied together or not at all', async () => {
  const pool = await emptyDatabase()
  const wrong = { points: 'create function wrong() returns integer language sql as $$ select nothing_like_it $$;' }
  await expect(startVersion(pool, { version: '0.2.0', migrations: tables, functions: wrong })).rejects.toThrow(
    'the functions of points could not be applied: column "nothing_like_it" does not exist',
  )
  const { rows } = await pool.query("select to_regclass('things') as things, to_regclass('schema_migrations') as notes")
  expect(rows).toEqual([{ things: null, notes: null }])
})

test('versions that start concurrently apply everything once', async () => {
  const pool = await emptyDatabase()
  const version = { version: '0.2.0', migrations: tables, functions: { points: answering(1) } }
  const changes = await Promise.all(Array.from({ length: 5 }, () => startVersion(pool, version)))
  expect(changes.filter(({ migrations }) => migrations.length > 0)).toHaveLength(1)
  expect(changes.filter(({ functions }) => functions.length > 0)).toHaveLength(1)
})

test('every sequence belongs to a column, since a backup copies the sequences of columns', async () => {
  const pool = await emptyDatabase()
  await migrate(pool, current)
  const { rows } = await pool.query(`
    select c.relname as sequence from pg_class c
     where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0)`)
  expect(rows).toEqual([])
})

/** The databases of older versions; tests get copies. */
const restored: Partial<Record<'0.1.0' | '0.2.0', string>> = {}

/** A copy of the database that a version left. */
async function databaseFrom(version: '0.1.0' | '0.2.0') {
  if (!restored[version]) {
    const database = await createDatabase()
    await restoreVersion(version, { host, user, database })
    restored[version] = database
  }
  return emptyDatabase(restored[version])
}

async function schemaOf(pool: pg.Pool) {
  const client = await pool.connect()
  try {
    return Object.fromEntries(await describeSchema(client, 'public'))
  } finally {
    client.release()
  }
}

test('a new database, one of 0.1.0 and one of 0.2 get the same schema; functions of 0.2 stay for its processes', async () => {
  const [fresh, first, second] = [await emptyDatabase(), await databaseFrom('0.1.0'), await databaseFrom('0.2.0')]
  const of_second = await schemaOf(second)
  for (const pool of [fresh, first, second]) await migrate(pool, current)
  const expected = await schemaOf(fresh)
  expect(await schemaOf(first)).toEqual(expected)
  const upgraded = await schemaOf(second)
  const added = Object.keys(upgraded).filter((object) => !(object in expected))
  expect(added.filter((object) => !object.startsWith('function ') || !(object in of_second))).toEqual([])
  expect(Object.fromEntries(Object.entries(upgraded).filter(([object]) => object in expected))).toEqual(expected)
  for (const pool of [fresh, first, second])
    expect(await migrate(pool, current)).toEqual({ migrations: [], functions: [] })
})

test('migrations that a file replaces are not applied again, and 0.2 starts beside the newer schema', async () => {
  const pool = await databaseFrom('0.2.0')
  const before = (await pool.query<{ name: string }>('select name from schema_migrations')).rows.map(({ name }) => name)
  const { migrations } = await migrate(pool, current)
  expect(migrations).not.toContain('0018_platform.sql')
  const { rows } = await pool.query<{ name: string; breaking: boolean }>('select name, breaking from schema_migrations')
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([...before, '0018_platform.sql']))
  // A process of 0.2 refuses unknown migrations that are marked as breaking.
  expect(rows.filter(({ breaking }) => breaking)).toEqual([])
})

/** The result of `upgrade-check`, over the connections of this pool. */
async function upgradeCheckOf({ options }: pg.Pool) {
  const { host: at, user: by, database, options: flags } = options
  const db = openDatabase({ connection: { host: at, user: by, database, options: flags }, log: openLog('silent') })
  try {
    return await checkUpgrade(db, current)
  } finally {
    await db.close()
  }
}

const differences = [
  ['a column', 'alter table holds drop column metadata', 'the column holds.metadata is missing'],
  [
    'a type',
    'alter table holds alter metadata type json',
    'the column holds.metadata is “4: json storage x”, not “4: jsonb storage x”',
  ],
  [
    'a default',
    "alter table webhooks alter events set default '{}'",
    /^the column webhooks\.events is “1: text\[\] storage x default '\{\}'/,
  ],
  [
    'a constraint',
    'alter table holds drop constraint holds_amount_check',
    'the constraint holds_amount_check on holds is missing',
  ],
  ['a function of a migration', 'drop function refuse_change cascade', 'the function refuse_change() is missing'],
  ['an index', 'drop index holds_expiry', 'the index holds_expiry on holds is missing'],
  [
    'a unique index more',
    'create unique index mine on holds (id, amount)',
    'the index mine on holds is not part of it',
  ],
  ['a column more', 'alter table holds add column mine integer', 'the column holds.mine is not part of it'],
  [
    'a trigger that can undo writes',
    'create trigger mine before insert on holds for each row execute function refuse_change()',
    'the trigger mine on holds can change or drop what Plaza writes: remove it',
  ],
  [
    'a rule',
    'create rule mine as on delete to holds do instead nothing',
    'the rule mine on holds can change or drop what Plaza writes: remove it',
  ],
  [
    'row level security',
    'alter table holds enable row level security',
    'the row level security on holds can change or drop what Plaza writes: remove it',
  ],
  [
    'a view with the name of a new table',
    'create view waiting_rewards as select 1 as one',
    'the view waiting_rewards has the name of the table waiting_rewards that the upgrade makes: rename it',
  ],
  [
    'a table with the name of a new index',
    'create table login_sessions_proved (id integer)',
    'the table login_sessions_proved has the name of the index login_sessions_proved on login_sessions that the upgrade makes: rename it',
  ],
  [
    'a view on a column that a migration drops',
    'create schema reports; create view reports.apps as select * from oauth_apps',
    'the view reports.apps depends on the column oauth_apps.changed_since_approval, which the upgrade drops or changes: drop it first',
  ],
  [
    'a materialized view on such a column',
    'create materialized view mine as select changed_since_approval from oauth_apps',
    'the materialized view mine depends on the column oauth_apps.changed_since_approval, which the upgrade drops or changes: drop it first',
  ],
] as const

const sqlFile = (text: string) => ({ name: 'a file', checksum: '', text })
/** An upgrade of a few tables: a comparison with all files takes a second of processor time. */
const small_upgrade = {
  made: [
    sqlFile(`
      create function refuse_change() returns trigger language plpgsql as $$ begin raise exception 'never'; end $$;
      create table holds (id uuid primary key, amount bigint check (amount > 0), expires_at timestamptz, metadata jsonb);
      create index holds_expiry on holds (expires_at);
      create table webhooks (events text[] default '{points.spent}');
      create table login_sessions (proved_at timestamptz);
      create table oauth_apps (app_name text, changed_since_approval boolean);
    `),
  ],
  pending: [
    sqlFile(`
      create table waiting_rewards (id integer);
      create index login_sessions_proved on login_sessions (proved_at);
      alter table oauth_apps drop column changed_since_approval;
    `),
  ],
  replacing: [sqlFile('')],
  functions: { all: [] },
}
const small = await emptyDatabase()
for (const { text } of small_upgrade.made) await small.query(text)

test.each(differences)(
  'a database that differs in %s is refused with the first difference',
  async (_name, change, difference) => {
    const client = await small.connect()
    await client.query('begin')
    const comparison = await client.query(change).then(() => compareSchemas(client, small_upgrade))
    await client.query('rollback')
    client.release()
    expect(comparison.refusal?.replace('the schema of the database is not that of version 0.2: ', '')).toEqual(
      typeof difference === 'string' ? difference : expect.stringMatching(difference),
    )
  },
)

test.each([
  [
    'objects and settings of its operator',
    `create index mine on holds (amount); alter table holds set (fillfactor = 80, autovacuum_enabled = true);
     alter index holds_expiry set (fillfactor = 70); alter table holds alter metadata set storage external;
     create statistics mine on user_id, amount from holds; alter table holds alter amount set statistics 500;
     create view my_view as select id, app_name from oauth_apps; create schema plaza_comparison;
     create function mine() returns integer language sql as $$ select 1 $$; create table my_table (id integer)`,
  ],
  [
    'lost and disabled triggers and functions',
    `alter table connections disable trigger connections_are_counted; drop trigger transfers_are_immutable on transfers;
     drop function record_deployment_event cascade`,
  ],
])('a database of 0.2 with %s is upgraded', async (_name, change) => {
  const pool = await databaseFrom('0.2.0')
  await pool.query(change)
  const { verdict, notes } = await upgradeCheckOf(pool)
  expect([verdict, notes]).toEqual(['can_roll', []])
  await migrate(pool, current)
  const fresh = await emptyDatabase()
  await migrate(fresh, current)
  const made = Object.entries(await schemaOf(fresh)).filter(([object]) => /^(?:trigger|function) /.test(object))
  expect(await schemaOf(pool)).toMatchObject(Object.fromEntries(made))
})

test('a start on a database that differs says what the check says, and writes nothing', async () => {
  const pool = await databaseFrom('0.2.0')
  await pool.query('drop index holds_expiry')
  const before = await schemaOf(pool)
  const { notes } = await upgradeCheckOf(pool)
  const error: Error = await migrate(pool, current).then(
    () => expect.fail('it was upgraded'),
    (failure: Error) => failure,
  )
  expect(notes[0]).toBe(`A start is refused: ${error.message}.`)
  expect(await schemaOf(pool)).toEqual(before)
})

test('a database with only some of the migrations of 0.2 is refused, and nothing is written', async () => {
  const pool = await databaseFrom('0.2.0')
  await pool.query("delete from schema_migrations where name = '0166_transfers_between_people.sql'")
  await expect(migrate(pool, current)).rejects.toThrow(
    'the database has 50 of the 51 migrations of version 0.2, and not 0166_transfers_between_people.sql: start version 0.2 on it first',
  )
  expect(await upgradeCheckOf(pool)).toMatchObject({
    verdict: 'not_compatible',
    notes: [expect.stringContaining('A start is refused: the database has 50 of the 51 migrations of version 0.2')],
  })
  expect((await pool.query("select to_regclass('waiting_rewards') as found")).rows).toEqual([{ found: null }])
})

test('a role that may not make the schema of the comparison, or change a table, is refused with the remedy', async () => {
  const pool = await databaseFrom('0.2.0')
  const name = pool.options.database!
  const role = `app-${randomUUID().slice(0, 8)}`
  await pool.query(
    `create role "${role}"; grant all on all tables in schema public to "${role}"; grant create on schema public to "${role}"`,
  )
  onTestFinished(async () => void (await pool.query(`drop owned by "${role}"; drop role "${role}"`)))
  const asRole = new pg.Pool({ ...pool.options, options: `-c role=${role}` })
  pools.push(asRole)
  const refusal = async () => {
    const { verdict, notes } = await upgradeCheckOf(asRole)
    return [verdict, ...notes]
  }
  expect(await refusal()).toEqual([
    'not_compatible',
    `A start is refused: the upgrade makes a schema for a comparison and drops it again, which the role "${role}" may not: ` +
      `run “grant create on database ${name} to "${role}"” first.`,
  ])
  await pool.query(`grant create on database ${name} to "${role}"`)
  expect(await refusal()).toEqual([
    'not_compatible',
    expect.stringMatching(
      /^A start is refused: the table access_tokens belongs to the role \w+, so "app-\w+" may not change it\.$/,
    ),
  ])
})

test('a trigger of an operator that runs after a write stays, and the check names it', async () => {
  const pool = await databaseFrom('0.2.0')
  await pool.query(`create function mine() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger mine after insert on holds for each row execute function mine()`)
  const { verdict, notes } = await upgradeCheckOf(pool)
  expect([verdict, ...notes]).toEqual([
    'can_roll',
    'The trigger mine on holds stays. It runs after a write: an error in it fails the write.',
  ])
  await migrate(pool, current)
  expect(await schemaOf(pool)).toHaveProperty('trigger mine on holds')
})

test('a database of 0.1.0 is examined too: its names are free, and a view with the name of a new table is refused', async () => {
  const pool = await databaseFrom('0.1.0')
  expect((await upgradeCheckOf(pool)).notes.filter((note) => note.includes('refused'))).toEqual([])
  await pool.query('create view waiting_rewards as select 1 as one')
  const sentence =
    'the view waiting_rewards has the name of the table waiting_rewards that the upgrade makes: rename it'
  expect((await upgradeCheckOf(pool)).notes[0]).toBe(`A start is refused: ${sentence}.`)
  await expect(migrate(pool, current)).rejects.toThrow(sentence)
})

test('processes of 0.2 go on beside this version', async () => {
  const pool = await databaseFrom('0.2.0')
  await migrate(pool, current)
  const [person, app] = ['01900000-0000-7000-8000-00000000000a', '01900000-0000-7000-8000-00000000000b']
  const issuance = '00000000-0000-7000-8000-000000000001'
  await pool.query(`insert into point_accounts (id, kind, listened) values ($1, 'user', true), ($2, 'app', true)`, [
    person,
    app,
  ])
  const byOldProcess = async (kind: string, from_at: number, to_at: number) => {
    const { rows } = await pool.query<{ outcomes: string[] }>(
      `select outcomes from apply_orders(now(), $1, $2, array[$3], array[$4::integer], array[$5::integer], array[5::bigint], array[$6::uuid],
         null, null, null, null, null, null, null, null)`,
      [[app, person, issuance], [randomUUID()], kind, from_at, to_at, app],
    )
    return rows[0]?.outcomes
  }
  expect(await byOldProcess('award', 3, 2)).toEqual(['applied'])
  expect(await byOldProcess('spend', 2, 1)).toEqual(['applied'])
  expect(await byOldProcess('spend', 2, 1)).toEqual(['insufficient_points'])
  const { rows } = await pool.query('select type from app_event_outbox order by type')
  expect(rows).toEqual([{ type: 'points.awarded' }, { type: 'points.spent' }])
})

test('deployments of 0.2 keep their replicas, hosts and numbers, and what runs is recognized and left as it is', async () => {
  const pool = await databaseFrom('0.2.0')
  const [scaled, single, stopped] = [1, 2, 3].map((n) => `01900000-0000-7000-8000-00000000010${n}`)
  await pool.query(
    `insert into deployments (id, app_id, owner_id, deploy_tier_id, container_name, container_image, subdomain, port, sealed_env,
                              memory_limit_mb, cpu_limit_millicores, generation, status, desired, health_status, host_server,
                              serving_generation, endpoint_host, endpoint_port, attempts, restarts_seen, next_attempt_at, inserted_at)
     select given.id, gen_random_uuid(), gen_random_uuid(), t.id, 'c', 'i', 'of-0-2-' || given.host, 3000, '', 64, 50, 4, given.status,
            given.status, health, host, serving, endpoint, port, 3, seen, 'infinity', now()
       from deploy_tiers t, (values ($1::uuid, 'running', 'healthy', 'b', 4, '10.0.0.2', 7002, -1),
                                    ($2::uuid, 'running', 'unhealthy', 'a', 4, '10.0.0.1', 7001, 2),
                                    ($3::uuid, 'stopped', null, 'c', null, null, null, 0))
              given(id, status, health, host, serving, endpoint, port, seen)
      where t.slug = 'starter'`,
    [scaled, single, stopped],
  )
  await pool.query('insert into deploy_scales (deployment_id, replicas, leading_replica) values ($1, 3, 2)', [scaled])
  await pool.query(
    `insert into deploy_replicas (deployment_id, number, host_server, serving_generation, endpoint_host, endpoint_port, health_status)
     values ($1, 1, 'a', 4, '10.0.0.1', 7000, 'healthy'), ($1, 3, null, 4, null, null, null)`,
    [scaled],
  )
  await pool.query(`insert into deploy_nodes (deployment_id, replica, host, node) values ($1, 2, 'b', 'node1')`, [
    scaled,
  ])
  await migrate(pool, current)
  const db = openDatabase({ connection: { host, user, database: pool.options.database! }, log: openLog('silent') })
  const rows = await listLive(db, { after: '01900000-0000-7000-8000-000000000100', rows_max: 10 })
  const { rows: views } = await pool.query(
    'select id, replicas, ready_replicas, host_server, host_servers, attempts from deployments where id = any($1) order by id',
    [[scaled, single, stopped]],
  )
  expect(views).toEqual([
    { id: scaled, replicas: 3, ready_replicas: 2, host_server: 'b', host_servers: ['a', 'b/node1'], attempts: 0 },
    { id: single, replicas: 1, ready_replicas: 1, host_server: 'a', host_servers: ['a'], attempts: 0 },
    { id: stopped, replicas: 1, ready_replicas: 0, host_server: 'c', host_servers: ['c'], attempts: 0 },
  ])
  const placesOf = (id?: string) =>
    rows
      .find((row) => row.id === id)
      ?.instances.map(({ number, host_server, endpoint_port }) => [number, host_server, endpoint_port])
  expect([scaled, single, stopped].map(placesOf)).toEqual([
    [
      [1, 'a', 7000],
      [2, 'b', 7002],
      [3, null, null],
    ],
    [[1, 'a', 7001]],
    [[1, 'c', null]],
  ])
  /** The next step if each instance runs what 0.2 started, with earlier restarts. */
  const stepOf = (id: string | undefined, restarts: number) => {
    const row = rows.find((each) => each.id === id)!
    const [now, timing] = [new Date(), default_timing]
    const container = { generation: 4, oom_killed: false, reason: null, restarts }
    return nextStep(row, {
      now,
      timing,
      historyOf: () => no_history,
      observe: ({ endpoint_host, endpoint_port }): Container[] =>
        endpoint_host === null
          ? [{ ...container, phase: 'exited', endpoint: null }]
          : [{ ...container, phase: 'running', endpoint: { host: endpoint_host, port: endpoint_port! } }],
    })
  }
  expect(stepOf(scaled, 9)).toEqual({ do: 'count_restarts', number: 1, restarts_seen: 9, restart_times: [] })
  expect(stepOf(single, 2)).toEqual({ do: 'nothing' })
  expect(stepOf(stopped, 0)).toEqual({ do: 'nothing' })
  await db.close()
})
