import pg from 'pg'
import { expect, test } from 'vitest'
import { sharedService } from '../test/harness.ts'
import { lenientPool } from './lenient-pool.ts'

const { db } = await sharedService()

const connect = (pool: pg.Pool) =>
  new Promise<{ client: pg.PoolClient; release: () => void }>((resolve, reject) => {
    pool.connect((error, client, release) => (client ? resolve({ client, release }) : reject(error)))
  })

test('a client of the lenient pool may be released twice, and is returned once', async () => {
  const pool = lenientPool(db.pool)
  const { client, release } = await connect(pool)
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  release()
  const idle = db.pool.idleCount
  expect(release).not.toThrow()
  expect(db.pool.idleCount).toBe(idle)
  expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }])
})

test('pg itself refuses a second release', async () => {
  const { release } = await connect(db.pool)
  release()
  expect(release).toThrow('already been released')
})

test('a pool that has ended refuses with an error, and the release that comes with it does nothing', async () => {
  const ended = lenientPool(new pg.Pool())
  await ended.end()
  const [error, release] = await new Promise<[Error | undefined, () => void]>((resolve) =>
    ended.connect((error, _client, release) => resolve([error, release])),
  )
  expect(error?.message).toMatch(/after calling end/)
  expect(release).not.toThrow()
})
