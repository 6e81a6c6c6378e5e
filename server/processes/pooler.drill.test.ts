import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sendVerification } from '../../contract/accounts.ts'
import { checkLedger } from '../../contract/admin.ts'
import { getPoints, spendPoints } from '../../contract/points.ts'
import { openEventReader } from '../test/event-reader.ts'
import { openFaultProxy } from '../test/fault-proxy.ts'
import { freePort } from '../test/free-port.ts'
import { guideBlocks } from '../test/guide.ts'
import { startTestService, type TestService } from '../test/harness.ts'
import { startProcess } from '../test/processes.ts'
import { messageTexts, sendText, someChannel } from '../test/social-world.ts'
import { waitUntil } from '../test/wait.ts'
import { someUser, theAdmin, world } from '../test/world.ts'

const pgbouncer = spawnSync('pgbouncer', ['--version']).status === 0
if (!pgbouncer && process.env.CI === 'true') throw new Error('The tests of a connection pooler need pgbouncer.')
if (!pgbouncer) process.stderr.write('Left out: tests of a connection pooler need Debian’s pgbouncer.\n')

/** PgBouncer does not run as root. */
const nobody = 65_534
const is_root = process.getuid?.() === 0

const isOpen = (port: number) =>
  new Promise<boolean>((done) => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.once('connect', () => done(true)).once('error', () => done(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.destroy())
  })

/** The configuration of the guide. */
const guide_settings = () =>
  guideBlocks().find(({ file, language }) => file === 'sizing.md' && language === 'ini')?.text ?? ''

/** Starts PgBouncer with the guide's configuration in front of a test database; returns its URL. */
async function startPooler(plaza: TestService, { pool_mode = 'session' } = {}) {
  // PgBouncer's user has no access to the socket of PostgreSQL.
  const { database_url } = await openFaultProxy(plaza)
  const direct = new URL(database_url)
  const to = `host=127.0.0.1 port=${direct.port} dbname=${direct.pathname.slice(1)} user=${direct.username}`
  const [folder, port] = [await mkdtemp(join(tmpdir(), 'plaza-pooler-')), await freePort()]
  const settings = guide_settings()
    .replace('host=127.0.0.1 port=5432 dbname=plaza', to)
    .replace('pool_mode = session', `pool_mode = ${pool_mode}`)
  const own = `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n`
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, `${settings}\n${own}`)
  await chmod(folder, 0o755)
  if (is_root) await chown(folder, nobody, nobody)
  const started = startProcess('pgbouncer', [...(is_root ? ['-u', 'nobody'] : []), file], {})
  onTestFinished(async () => {
    started.child.kill('SIGKILL')
    await started.ended
    await rm(folder, { recursive: true, force: true })
  })
  await waitUntil(
    () => isOpen(port),
    () => `pgbouncer (${started.stderr()})`,
    { timeout_ms: 60_000 },
  )
  return `postgres://plaza@127.0.0.1:${port}/plaza`
}

/** A service, and the URL of its database behind a pooler. */
async function poolerForTest(options: { pool_mode?: string } = {}) {
  const direct = await startTestService({ ROLES: 'api' })
  return { ...direct, DATABASE_URL: await startPooler(direct, options) }
}

test.runIf(pgbouncer)(
  'behind PgBouncer in session mode everything works: batched spends, notifications between processes, jobs, transactions',
  async () => {
    const { stopAll, startAnother, DATABASE_URL } = await poolerForTest()
    await stopAll()
    const [plaza, other] = [await startAnother({ DATABASE_URL }), await startAnother({ DATABASE_URL })]
    const { user, tokens } = await world(plaza, { points: 500, scopes: ['points:spend', 'points:read'] })
    // Parallel, so that batches are pipelined.
    const spends = Array.from({ length: 200 }, (_, at) =>
      tokens.api.call(spendPoints, { body: { amount: 1 }, headers: { 'idempotency-key': `pooled-${at}` } }),
    )
    expect(new Set((await Promise.all(spends)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(await tokens.api.result(getPoints)).toEqual({ points: 300, held: 0 })

    const channel_id = await someChannel(user)
    const reader = await openEventReader(other, user, { channels: [channel_id] })
    await sendText(user, channel_id, 'through the pooler')
    expect(messageTexts(await reader.received(1))).toEqual(['through the pooler'])
    await reader.close()

    const person = await someUser(plaza, { verified: false })
    await person.api.result(sendVerification)
    expect(await plaza.mailTo(person.email)).toContain(person.email)
    const admin = await theAdmin(plaza)
    expect(await admin.api.result(checkLedger)).toMatchObject({ balanced: true })
    await stopAll()
  },
  120_000,
)

test.runIf(pgbouncer).each(['transaction', 'statement'])(
  'behind PgBouncer in %s mode the start is refused with the reason',
  async (pool_mode) => {
    const { DATABASE_URL, stopAll, startAnother } = await poolerForTest({ pool_mode })
    await stopAll()
    await expect(startAnother({ DATABASE_URL })).rejects.toThrow(
      'The database of DATABASE_URL is behind a pooler that gives each transaction another connection (PgBouncer: ' +
        'pool_mode = transaction). Notifications, locks and prepared statements need sessions: set pool_mode = session ' +
        'for this database, or let DATABASE_URL name PostgreSQL itself.',
    )
  },
  120_000,
)
