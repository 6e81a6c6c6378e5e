import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { myPointsHistory, pointsSeries } from '../../../contract/points.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf } from '../../api/hooks.ts'

export interface DailyBalance {
  /** The start of the day in the browser's time zone, in milliseconds. */
  day: number
  /** The balance at the end of the day. */
  balance: number
  earned: number
  spent: number
}

/** Parses `2026-11-22` as midnight in the browser's time zone. */
function startOfDay(day: string) {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

async function fetchDays(days: number): Promise<DailyBalance[]> {
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
  const series = await callApi(pointsSeries, { query: { days, time_zone } })
  return series.days.map((row) => ({ ...row, day: startOfDay(row.day) }))
}

/** Earned, spent and closing balance of each of the last `days`, in the browser's time zone. Invalidated with the history. */
export const useDailyBalances = (days: number) =>
  useQuery({
    queryKey: [...queryKeyOf(myPointsHistory), 'days', days],
    queryFn: () => fetchDays(days),
    placeholderData: keepPreviousData,
  })
