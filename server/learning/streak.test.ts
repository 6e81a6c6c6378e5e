import { expect, test } from 'vitest'
import { dayIn, streakOf } from './streak.rules.ts'

const at = (moment: string) => new Date(moment)

test.each([
  ['midnight ends a day', 'Europe/Berlin', '2026-01-15T22:59:59.999Z', '2026-01-15'],
  ['and begins the next', 'Europe/Berlin', '2026-01-15T23:00:00Z', '2026-01-16'],
  ['the day on which summer time begins has 23 hours', 'Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
  ['and ends an hour earlier', 'Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
  ['the day on which it ends has 25', 'Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
  ['so that both of its hours from 2 to 3 are that day', 'Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25'],
  ['in the south', 'America/Santiago', '2026-09-06T04:30:00Z', '2026-09-06'],
  ['half an hour of summer time', 'Australia/Lord_Howe', '2026-04-04T12:59:59Z', '2026-04-04'],
  ['the day on which it ends', 'Australia/Lord_Howe', '2026-04-05T13:29:59Z', '2026-04-05'],
  ['and the next', 'Australia/Lord_Howe', '2026-04-05T13:30:00Z', '2026-04-06'],
  ['14 hours ahead', 'Pacific/Kiritimati', '2026-01-14T10:00:00Z', '2026-01-15'],
  ['11 hours behind', 'Pacific/Pago_Pago', '2026-01-16T10:59:59Z', '2026-01-15'],
  ['with minutes', 'Asia/Kathmandu', '2026-01-15T18:15:00Z', '2026-01-16'],
])('D-163: a day in a time zone: %s', (_, zone, moment, day) => {
  expect(dayIn(zone, at(moment))).toBe(day)
})

test.each([
  ['none', [], '2026-03-10', [0, 0, false]],
  ['today', ['2026-03-10'], '2026-03-10', [1, 1, true]],
  ['until yesterday', ['2026-03-08', '2026-03-09'], '2026-03-10', [2, 2, false]],
  ['a day was missed', ['2026-03-07', '2026-03-08'], '2026-03-10', [0, 2, false]],
  ['after a gap', ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-09', '2026-03-10'], '2026-03-10', [2, 3, true]],
  ['over the beginning of summer time', ['2026-03-28', '2026-03-29', '2026-03-30'], '2026-03-30', [3, 3, true]],
  ['over its end', ['2026-10-24', '2026-10-25', '2026-10-26'], '2026-10-26', [3, 3, true]],
  ['over a leap day and a year', ['2027-12-31', '2028-01-01'], '2028-01-01', [2, 2, true]],
  ['over February 29', ['2028-02-28', '2028-02-29', '2028-03-01'], '2028-03-02', [3, 3, false]],
  ['after a flight from Kiritimati to Pago Pago', ['2026-03-11', '2026-03-12'], '2026-03-10', [2, 2, true]],
] as const)('D-163: a streak: %s', (_, days, today, [current, longest, completed_today]) => {
  expect(streakOf(days, today)).toEqual({ current, longest, completed_today })
})
