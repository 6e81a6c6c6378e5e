import { afterEach, expect, test, vi } from 'vitest'
import type { UserCaller } from '../../../contract/caller.ts'
import { openLog } from '../../platform/log.ts'
import { StateMachine } from '../../platform/state-machine.ts'
import { sharedService } from '../../test/harness.ts'
import { sendText, someChannel } from '../../test/social-world.ts'
import { someUser, type SomeUser } from '../../test/world.ts'
import { openEvents } from './dispatcher.ts'
import type { EventStream } from '../../platform/event-stream.ts'

const plaza = await sharedService()
afterEach(() => {
  vi.restoreAllMocks()
})

/** The states that machines of this name enter from now on. */
function recordStates(name: string) {
  const entered: string[] = []
  const enter = StateMachine.prototype.enter
  vi.spyOn(StateMachine.prototype, 'enter').mockImplementation(function (this: StateMachine<string>, next) {
    if (this.name === name) entered.push(next)
    enter.call(this, next)
  })
  return entered
}

/** A sink in memory. */
function openSink() {
  const frames: string[] = []
  const effects: (() => void)[] = []
  let is_closed = false
  const close = () => {
    is_closed = true
    for (const effect of effects.splice(0)) effect()
  }
  const sink: EventStream = {
    send: (more) => void frames.push(...more),
    drained: async () => {},
    stalledMs: () => 0,
    end(more = []) {
      frames.push(...more)
      close()
    },
    isClosed: () => is_closed,
    onClose: (effect) => void effects.push(effect),
  }
  return { sink, close, text: () => frames.join('') }
}

const callerOf = ({ id }: SomeUser): UserCaller => ({ user_id: id, session_id: id, is_admin: false, admin_roles: [] })
const illegal: string[] = []
const log = openLog('error', { write: (line) => void illegal.push(line) })
const eventsOf = (db = plaza.db) =>
  openEvents({
    db,
    clock: () => new Date(),
    log,
    heartbeat_seconds: 300,
    isSignedIn: async () => true,
    filter: (text) => text,
    invalidationVersion: () => 0,
  })

test('the dispatcher starts with the first reader, polls when it is woken, and is idle when the last reader is gone', async () => {
  const [entered, readers] = [recordStates('event dispatcher'), openSink()]
  const anna = await someUser(plaza)
  const channel_id = await someChannel(anna)
  const events = eventsOf()
  events.wake()
  expect(entered).toEqual([])

  const fill = await events.subscribe(callerOf(anna), {
    channel_ids: [channel_id],
    last_event_id: undefined,
    notices: false,
    balances: false,
  })
  expect(entered).toEqual(['starting', 'waiting'])
  fill(readers.sink)
  await expect.poll(() => entered.slice(0, 4)).toEqual(['starting', 'waiting', 'polling', 'waiting'])

  await sendText(anna, channel_id, 'hello')
  events.wake()
  events.wake()
  expect(entered.slice(-2)).toEqual(['polling', 'polling_again'])
  await expect.poll(readers.text).toContain('hello')
  await events.drain()
  readers.close()
  expect(entered.at(-1)).toBe('idle')
  expect(entered.join(' ')).toMatch(/^starting waiting (polling (polling_again polling )*waiting )+idle$/)
  events.wake()
  expect([entered.at(-1), illegal]).toEqual(['idle', []])
})

test('the dispatcher is idle again when the last reader is gone during a read, and when it could not start', async () => {
  const anna = await someUser(plaza)
  const entered = recordStates('event dispatcher')
  const [events, reader] = [eventsOf(), openSink()]
  const subscription = { channel_ids: [], last_event_id: undefined, notices: false, balances: false }
  const fill = await events.subscribe(callerOf(anna), subscription)
  fill(reader.sink)
  await expect.poll(() => entered.slice(0, 4)).toEqual(['starting', 'waiting', 'polling', 'waiting'])
  events.wake()
  reader.close()
  expect(entered.at(-1)).toMatch(/^polling/)
  await events.drain()
  expect(entered.slice(-2)).toEqual(['waiting', 'idle'])

  const stopped = await plaza.startAnother()
  await stopped.service.stop()
  entered.length = 0
  await expect(eventsOf(stopped.db).subscribe(callerOf(anna), subscription)).rejects.toThrow(
    'the connection was closed',
  )
  expect([entered, illegal]).toEqual([['starting', 'idle'], []])
})
