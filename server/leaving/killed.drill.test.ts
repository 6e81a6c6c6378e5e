import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { me } from '../../contract/accounts.ts'
import { checkLedger } from '../../contract/admin.ts'
import { PlazaClient } from '../../contract/client.ts'
import { deleteAccount } from '../../contract/leaving.ts'
import { listMessages } from '../../contract/social.ts'
import { freePort } from '../test/free-port.ts'
import { databaseNameOf, startTestService } from '../test/harness.ts'
import { someContainerHost } from '../test/hosting-world.ts'
import { markedPerson, marker } from '../test/marked-person.ts'
import { placesOf } from '../test/places.ts'
import { apiProcess, startMain, testDatabaseUrl, untilAnswers } from '../test/processes.ts'
import { system_accounts } from '../points/rules.ts'
import { waitUntil } from '../test/wait.ts'
import { theAdmin } from '../test/world.ts'
import { hosting_settings, long_lifetimes } from '../test/settings.ts'

const settings = { ...hosting_settings, ...long_lifetimes, WEBHOOK_ADDRESSES: 'any', TRUSTED_PROXIES: '127.0.0.1' }
const plaza = await startTestService(settings)
await someContainerHost(plaza)
const database = await databaseNameOf(plaza)
const folder = await mkdtemp(join(tmpdir(), 'plaza-killed-'))
const db = new pg.Client({ connectionString: testDatabaseUrl(database) })
await db.connect()
let running: ReturnType<typeof startMain> | undefined
let log = ''

afterAll(async () => {
  running?.child.kill('SIGKILL')
  await db.end()
  await rm(folder, { recursive: true, force: true })
})

async function startProcess() {
  const port = await freePort()
  const env = { ...apiProcess(database, { port, public_url: plaza.url }), ...settings, DATA_DIR: folder }
  running = startMain([], { ...env, LOG_LEVEL: 'debug', DRAIN_SECONDS_API: '0' })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(running, `${url}/readyz`)
  return url
}

async function killProcess() {
  running!.child.kill('SIGKILL')
  const { stdout } = await running!.ended
  log += stdout
  running = undefined
}

const one = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await db.query<Row>(text, values)).rows[0]
const endConnections = () =>
  db.query(`select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name = 'plaza'`)

/** A step: the statement at which the process is killed. */
interface Step {
  table: string
  /** The event on which the trigger waits; `commit` is the end of the inserting transaction. */
  event: 'insert' | 'update' | 'delete' | 'commit'
}

async function pauseAt({ table, event }: Step) {
  const fires =
    event === 'commit'
      ? `create constraint trigger pause after insert on ${table} deferrable initially deferred for each row`
      : `create trigger pause before ${event} on ${table} for each statement`
  await db.query(`${fires} execute function pause(${event === 'commit' ? 1 : 25})`)
}

/** Kills the process while its statement waits at the step. */
async function killAt(step: Step) {
  const is_there = async () =>
    (await one(`select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`)) !==
    undefined
  await waitUntil(is_there, `${step.event} ${step.table}`)
  await killProcess()
  if (step.event === 'commit')
    await waitUntil(
      async () => (await one(`select 1 from ${step.table}`)) !== undefined,
      'the commit of a dead process',
    )
  await endConnections()
  await db.query(`drop trigger pause on ${step.table}`)
}

/** The last statement of the transaction: the others have been executed. */
const in_transaction: Step = { table: 'departures', event: 'insert' }
const in_erasure: Step[] = [
  { table: 'transfers', event: 'update' },
  { table: 'messages', event: 'update' },
  { table: 'deployments', event: 'update' },
  { table: 'departures', event: 'update' },
]

/** Rows of the transaction of `leave` that show whether it was committed. */
const written = (user_id: string) =>
  one(
    `select (select row_to_json(u)::jsonb - 'last_seen_at' from users u where id = $1) as account,
            (select row_to_json(p)::jsonb from point_accounts p where id = $1) as points,
            (select jsonb_agg(row_to_json(a) order by a.id) from oauth_apps a where owner_id = $1) as apps,
            (select jsonb_agg(array[d.desired, d.custom_domain] order by d.id) from deployments d where owner_id = $1) as deployments,
            (select count(*) from connections where user_id = $1) as connections,
            (select count(*) from login_sessions where user_id = $1 and ended_at is null) as sessions,
            (select count(*) from transfers where kind = 'closure') as closures,
            (select count(*) from departures) as departures`,
    [user_id],
  )

const pointsOf = (id: string) =>
  one<{ points: number; held: number }>('select credited - debited as points, held from point_accounts where id = $1', [
    id,
  ])

/** Advances the clock by a minute, then runs the job that is scheduled every ten minutes. */
async function sweep() {
  await db.query(`update departures set left_at = left_at - interval '61 seconds'`)
  await db.query(`select graphile_worker.add_job('leaving.erase_unfinished')`)
}

test('D-106: leaving is atomic and completes, wherever the process is killed', async () => {
  const { user, deployment_id, friend, channel_id } = await markedPerson(plaza)
  const admin = await theAdmin(plaza)
  await plaza.stopAll()
  await db.query(`create function pause() returns trigger language plpgsql as
    'begin perform pg_sleep(tg_argv[0]::float); return coalesce(new, old); end'`)
  const leaveThere = (url: string) =>
    new PlazaClient(url, user.token).call(deleteAccount, { body: { password: user.password } })
  const isBalanced = async (url: string) => (await new PlazaClient(url, admin.token).result(checkLedger)).balanced

  let url = await startProcess()
  const before = await written(user.id)
  const { points: owned } = (await pointsOf(user.id))!
  await pauseAt(in_transaction)
  const answer = leaveThere(url).then(
    () => 'answered',
    () => 'none',
  )
  await killAt(in_transaction)
  expect([await answer, await written(user.id)]).toEqual(['none', before])
  url = await startProcess()
  expect(await isBalanced(url)).toBe(true)

  // Killed between commit and response: the account is deleted, and a repeated call finds none.
  await pauseAt({ table: 'departures', event: 'commit' })
  await pauseAt(in_erasure[0]!)
  leaveThere(url).catch(() => undefined)
  await killAt({ table: 'departures', event: 'commit' })
  log = ''
  url = await startProcess()
  expect((await leaveThere(url)).status).toBe(401)
  expect(await isBalanced(url)).toBe(true)

  for (const [at, step] of in_erasure.entries()) {
    await killAt(step)
    const next = in_erasure[at + 1]
    // A worker has since destroyed the deployment.
    if (next?.table === 'deployments')
      await db.query(`update deployments set status = 'destroyed', destroyed_at = now() where id = $1`, [deployment_id])
    if (next) await pauseAt(next)
    url = await startProcess()
    await sweep()
  }
  const isErased = async () => (await one(`select 1 from departures where erased_at is not null`)) !== undefined
  await waitUntil(isErased, 'the erasure')

  expect(await isBalanced(url)).toBe(true)
  expect(await pointsOf(user.id)).toEqual({ points: 0, held: 0 })
  expect(await pointsOf(system_accounts.departed)).toEqual({ points: owned, held: 0 })
  expect((await new PlazaClient(url, user.token).call(me)).status).toBe(401)
  const messages = await new PlazaClient(url, friend.token).result(listMessages, { params: { channel_id }, query: {} })
  expect(messages.map(({ sender_username }) => sender_username)).toEqual([friend.username, null, friend.username])
  await killProcess()
  expect(await placesOf(db, marker, log)).toEqual([])
})
