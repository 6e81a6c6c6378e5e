import { expect, test } from 'vitest'
import { look, type Watch, type WatchedState } from './watch.rules.ts'

const begin = new Date('2026-01-01T00:00:00Z').getTime()
const at = (minutes: number) => new Date(begin + minutes * 60_000)
const fresh: Watch = { unwell_since: null, down_since: null, cause: null, told: false, mailed_at: [] }
const running: WatchedState = {
  status: 'running',
  desired: 'running',
  suspended_by: null,
  health_status: 'healthy',
  serving_generation: 1,
}
const unhealthy = { ...running, health_status: 'unhealthy' }
const failed: WatchedState = { ...running, status: 'stopped', health_status: 'crash_loop', serving_generation: null }
const crash = (watch: Watch, minutes: number): Watch => ({
  ...watch,
  down_since: watch.down_since ?? at(minutes),
  cause: 'crash_loop',
  told: false,
  unwell_since: null,
})

/** Checks once for each state, a minute apart; returns the notices by minute. */
function looks(states: readonly (WatchedState | 'crash')[], begin_with = fresh) {
  let watch = begin_with
  const notices: string[] = []
  for (const [minute, state] of states.entries()) {
    if (state === 'crash') watch = crash(watch, minute)
    const outcome = look(watch, state === 'crash' ? failed : state, at(minute))
    ;({ watch } = outcome)
    if (outcome.notice) notices.push(`${minute} ${outcome.notice.what}${outcome.notice.is_last ? ' last' : ''}`)
  }
  return { watch, notices }
}
const times = (count: number, state: WatchedState) => Array.from({ length: count }, () => state)

test('D-104: a port that does not answer for five minutes is an outage with one mail; a shorter gap is not', () => {
  expect(looks([...times(4, unhealthy), running]).notices).toEqual([])
  expect(looks([...times(20, unhealthy), ...times(3, running)]).notices).toEqual(['5 down', '20 back'])
  const { watch } = looks(times(6, unhealthy))
  expect(watch).toMatchObject({ down_since: at(0), cause: 'unreachable', told: true })
})

test('D-104: a final failure is mailed immediately, and again if another one follows', () => {
  expect(looks(['crash', failed, failed, running]).notices).toEqual(['0 down', '3 back'])
  expect(looks(['crash', failed, 'crash', failed, running]).notices).toEqual(['0 down', '2 down', '4 back'])
})

test('D-104: a failure with a recovery before the next check is one mail', () => {
  expect(looks([running, running], crash(fresh, 0)).notices).toEqual(['0 recovered'])
})

test('D-104: an owner’s stop, a suspension and a destruction are not mailed; an unreachable host changes nothing', () => {
  for (const change of [{ desired: 'stopped' }, { suspended_by: 'billing' }, { status: 'destroyed' }]) {
    expect(looks([{ ...failed, ...change }, running], crash(fresh, 0)).notices).toEqual([])
    expect(looks([...times(4, unhealthy), ...times(9, { ...unhealthy, ...change })]).notices).toEqual([])
  }
  expect(looks(times(60, { ...running, health_status: 'unknown' })).notices).toEqual([])
  // The outage continues while the deployment cannot be checked.
  expect(looks([...times(6, unhealthy), { ...running, health_status: 'unknown' }, unhealthy, running]).notices).toEqual(
    ['5 down', '8 back'],
  )
})

test('D-104: a flapping deployment causes at most four mails an hour, then one with its state when the hour is over', () => {
  const flaps = Array.from({ length: 50 }, (_, minute) => (minute % 2 === 0 ? ('crash' as const) : running))
  expect(looks(flaps).notices).toEqual(['0 down', '1 back', '2 down', '3 back last'])
  const ends_down = looks([...flaps, 'crash', ...times(15, failed)])
  expect(ends_down.notices.slice(4)).toEqual(['60 down last'])
  const odd = ['crash' as const, 'crash' as const, running, 'crash' as const, running, running]
  expect(looks(odd).notices).toEqual(['0 down', '1 down', '2 back', '3 down last'])
  expect(looks([...odd, ...times(60, running)]).notices.slice(4)).toEqual(['60 back last'])
})
