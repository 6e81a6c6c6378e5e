import { fieldErrors, invalidField, refuseFieldErrors } from '../platform/failure.ts'

const day_ms = 86_400_000
/** Maximum periods in one response. */
const periods_max = 366
const default_days = 30
const default_months = 12

export type SeriesUnit = 'day' | 'month'

export interface SeriesQuery {
  unit?: SeriesUnit
  from?: string
  to?: string
}

export interface SeriesSpan {
  unit: SeriesUnit
  /** The first day, `YYYY-MM-DD`. */
  from: string
  /** The first day after the range. */
  to: string
  /** The first days of all periods, oldest first. */
  starts: string[]
}

const textOf = (day: Date) => day.toISOString().slice(0, 10)

/** The first day of the period of a day. */
const startOf = (unit: SeriesUnit, day: string) => (unit === 'day' ? day : `${day.slice(0, 7)}-01`)

function nextStart(unit: SeriesUnit, start: string) {
  const day = new Date(`${start}T00:00:00Z`)
  if (unit === 'day') return textOf(new Date(day.getTime() + day_ms))
  return textOf(new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)))
}

/** PostgreSQL's first day: it has no year 0. */
const first_day = '0001-01-01'

function isDay(text: string) {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && textOf(day) === text && text >= first_day
}

/** The requested days and periods: by default the last 30 days or 12 months. Fails with `validation_failed`. */
export function readSeries({ unit = 'day', from, to }: SeriesQuery, now: Date): SeriesSpan {
  const faults = Object.entries({ from, to })
    .filter(([, day]) => day !== undefined && !isDay(day))
    .flatMap(([path]) => fieldErrors(path, 'day'))
  refuseFieldErrors(faults)
  const until = to ?? textOf(new Date(now.getTime() + day_ms))
  const since = from ?? defaultFrom(unit, until)
  if (until <= since) throw invalidField('to', 'after_from')
  const starts: string[] = []
  for (let start = startOf(unit, since); start < until; start = nextStart(unit, start)) {
    if (starts.push(start) > periods_max) throw invalidField('from', [`${unit}s_max`, { max: periods_max }])
  }
  return { unit, from: since, to: until, starts }
}

function defaultFrom(unit: SeriesUnit, until: string) {
  const last = new Date(new Date(`${until}T00:00:00Z`).getTime() - day_ms)
  const day =
    unit === 'day'
      ? textOf(new Date(last.getTime() - (default_days - 1) * day_ms))
      : textOf(new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - (default_months - 1), 1)))
  return day < first_day ? first_day : day
}

export interface PeriodRow {
  starts_on: string
  earned: number
  spent: number
  transfers: number
  /** At the end of the period; null without movements. */
  balance: number | null
  /** Before the first period. */
  opening_balance: number
}

/** The periods with the balance at the end of each; a period without movements keeps the previous balance. */
export function closingBalances(rows: readonly PeriodRow[]) {
  let balance = rows[0]?.opening_balance ?? 0
  return rows.map(({ opening_balance: _, ...row }) => {
    balance = row.balance ?? balance
    return { ...row, balance }
  })
}
