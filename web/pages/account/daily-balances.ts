import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { myPointsHistory, pointsSeries } from '../../../contract/points.ts'
import { callApi } from '../../api/call.ts'
import { queryKeyOf } from '../../api/hooks.ts'

export interface DailyBalance {
  /** Midnight at which the day begins, where the reader is. */
  day: number
  /** The balance when the day ended. */
  balance: number
  earned: number
  spent: number
}

/** `2026-11-22` as the moment at which that day begins here. */
function startOfDay(day: string) {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

async function fetchDays(days: number): Promise<DailyBalance[]> {
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
  const series = await callApi(pointsSeries, { query: { days, time_zone } })
  return series.days.map((row) => ({ ...row, day: startOfDay(row.day) }))
}

/** Earned, spent and the closing balance of each of the last days, where the reader is. Read again with the history. */
export const useDailyBalances = (days: number) =>
  useQuery({
    queryKey: [...queryKeyOf(myPointsHistory), 'days', days],
    queryFn: () => fetchDays(days),
    placeholderData: keepPreviousData,
  })
