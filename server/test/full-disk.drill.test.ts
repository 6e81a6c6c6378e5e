import { execFileSync } from 'node:child_process'
import { chown, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkLedger } from '../../contract/admin.ts'
import { failures } from '../../contract/errors.ts'
import { startTestService, type TestService } from './harness.ts'
import { databaseUrlOf, PostgresNode } from './postgres-node.ts'
import { pointsOf, raw, theAdmin, world } from './world.ts'

const funds = 100_000
/** Only root may mount a file system. */
const can_mount = process.getuid?.() === 0 && process.platform === 'linux'

/** A database on a small file system, which can be filled and emptied. */
async function smallDisk() {
  const node = await PostgresNode.primary()
  const folder = join(node.location.data_dir, 'small')
  await mkdir(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const tables = join(folder, 'tables')
  await mkdir(tables)
  if (node.location.run_as) await chown(tables, node.location.run_as.uid, node.location.run_as.gid)
  await node.query(`create tablespace small location '${tables}'`)
  await node.query('create database plaza tablespace small')
  const filler = join(folder, 'filler')
  return {
    node,
    async fill() {
      const file = await open(filler, 'a')
      for (const bytes of [1_048_576, 4_096, 1]) {
        const block = Buffer.alloc(bytes)
        while (
          await file
            .write(block)
            .then(({ bytesWritten }) => bytesWritten === bytes)
            .catch(() => false)
        );
      }
      await file.close()
    },
    empty: () => rm(filler),
  }
}

const readyz = async (plaza: TestService) => {
  const { status, body } = await raw(plaza, 'GET', '/readyz')
  return [status, (body as { checks: { name: string }[] }).checks.find(({ name }) => name === 'database')]
}

test.runIf(can_mount)(
  'a full disk (53100): writes are 503, reads work, readyz says so; after space is freed everything works by itself, and the ledger is exact',
  async () => {
    const disk = await smallDisk()
    const plaza = await startTestService({ ROLES: 'api', DATABASE_URL: databaseUrlOf('plaza', [disk.node], 'any') })
    const { user, tokens } = await world(plaza, { points: funds, scopes: ['points:spend', 'points:read'] })
    const headers = { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' }
    const spend = async (key: string) => {
      const reply = await raw(plaza, 'POST', '/api/external/points/spend', {
        headers: { ...headers, 'idempotency-key': key },
        body: JSON.stringify({ amount: 1 }),
      })
      return { key, status: reply.status, body: reply.body, retry_after: reply.headers.get('retry-after') }
    }
    const spendMany = (name: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => spend(`${name}-${at}`)))
    const all = await spendMany('before', 20)
    expect(all.every(({ status }) => status === 200)).toBe(true)

    await disk.fill()
    for (let round = 0; round < 60 && !all.some(({ status }) => status === 503); round++)
      all.push(...(await spendMany(`full-${round}`, 50)))
    const refused = all.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body, retry_after } of refused)
      expect([status, body, retry_after]).toEqual([
        503,
        { error: 'overloaded', message: failures.overloaded.message },
        '1',
      ])
    expect(await readyz(plaza)).toEqual([503, { name: 'database', status: 'failed', reason: null }])
    expect((await raw(plaza, 'GET', '/livez')).status).toBe(200)
    expect((await raw(plaza, 'GET', '/api/external/points', { headers })).status).toBe(200)

    await disk.empty()
    await expect.poll(async () => (await spend('after')).status).toBe(200)
    await expect.poll(async () => (await readyz(plaza))[0]).toBe(200)
    // Refused spends are booked now, once; the others are replayed.
    for (const { key } of all) expect((await spend(key)).status).toBe(200)
    expect(await pointsOf(user)).toBe(funds - all.length - 1)
    expect(await (await theAdmin(plaza)).api.result(checkLedger)).toMatchObject({ balanced: true })
  },
)
