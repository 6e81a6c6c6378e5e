import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startTestService } from '../test/harness.ts'
import { someChannel } from '../test/social-world.ts'
import { someUser } from '../test/world.ts'

// Its movements have no accounts, so that the books of this database do not balance.
const plaza = await startTestService()

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** The used heap in MB, after garbage collection. */
function heap() {
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

test('D-106: 40,000 long movements and messages are exported in constant memory', async () => {
  const user = await someUser(plaza)
  const channel_id = await someChannel(user)
  await plaza.db.sql`
    insert into transfers (id, kind, from_account, to_account, amount, from_after, to_after, description, inserted_at)
    select gen_random_uuid(), 'award', '00000000-0000-7000-8000-000000000001', ${user.id}, 1, -n, n, repeat('movement ', 50), now()
      from generate_series(1, 24000) n`
  await plaza.db.sql`
    insert into messages (id, channel_id, sent_at, sender_id, body, filtered_body)
    select gen_random_uuid(), ${channel_id}, now() + n * interval '1 millisecond', ${user.id}, repeat('message ', 100), 'message'
      from generate_series(1, 16000) n`
  const reply = await fetch(`${plaza.url}/api/auth/account/export`, {
    headers: { authorization: `Bearer ${user.token}` },
  })
  expect(reply.status).toBe(200)
  const before = heap()
  let [bytes, measured_at, highest, rows] = [0, 0, 0, 0]
  const decoder = new TextDecoder()
  for await (const chunk of reply.body!) {
    bytes += chunk.length
    rows += decoder.decode(chunk, { stream: true }).split('"inserted_at":').length - 1
    if (bytes - measured_at < 6_000_000) continue
    measured_at = bytes
    highest = Math.max(highest, heap() - before)
  }
  process.stderr.write(`export: ${Math.round(bytes / 2 ** 20)} MB, the heap grew by at most ${highest.toFixed(1)} MB\n`)
  expect(bytes).toBeGreaterThan(25_000_000)
  expect(rows).toBeGreaterThan(20_000)
  expect(highest).toBeLessThan(12)
})
