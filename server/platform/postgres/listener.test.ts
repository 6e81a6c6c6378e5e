import { expect, onTestFinished, test, vi } from 'vitest'
import { openFaultProxy } from '../../test/fault-proxy.ts'
import { sharedService } from '../../test/harness.ts'
import { openLog } from '../log.ts'
import { openListener } from './listener.ts'

const plaza = await sharedService()

/** A listener with a clock of the test, whose pings are sent when the test says so. */
async function listen() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const proxy = await openFaultProxy(plaza)
  const state = { now: 0, connected: 0 }
  const heard: string[] = []
  const listener = await openListener({
    connection: { connectionString: proxy.database_url },
    log: openLog('silent'),
    name: 'test',
    channel: 'test_listener',
    now: () => state.now,
    onNotification: (payload) => heard.push(payload),
    onConnected: () => void state.connected++,
  })
  onTestFinished(() => listener.close())
  return { proxy, state, heard, listener, ping: () => vi.advanceTimersByTime(1_000) }
}

test('a listener that was paused counts as listening again only after an answer; the connection stays, and with it what was notified', async () => {
  const { state, heard, listener, ping } = await listen()
  expect(listener.isListening()).toBe(true)
  await plaza.db.sql`select pg_notify('test_listener', 'meanwhile')`
  // No timer has run, as in the first turn after a pause.
  state.now = 2_001
  expect(listener.isListening()).toBe(false)
  ping()
  await expect.poll(() => listener.isListening(), { interval: 5 }).toBe(true)
  expect([heard, state.connected]).toEqual([['meanwhile'], 1])
})

test('a connection that the network lost silently counts as lost two seconds after its last answer, and is replaced', async () => {
  const { proxy, state, heard, listener, ping } = await listen()
  proxy.freezeOpen()
  state.now = 1_000
  ping()
  expect(listener.isListening()).toBe(true)
  state.now = 2_001
  expect(listener.isListening()).toBe(false)
  await plaza.db.sql`select pg_notify('test_listener', 'lost')`
  await new Promise(setImmediate)
  ping()
  await expect.poll(() => listener.isListening(), { interval: 5 }).toBe(true)
  await plaza.db.sql`select pg_notify('test_listener', 'later')`
  await expect.poll(() => heard, { interval: 5 }).toEqual(['later'])
  expect(state.connected).toBe(2)
})
