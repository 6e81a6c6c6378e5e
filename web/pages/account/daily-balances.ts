import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { myPointsHistory, pointsSeries } from '../../../contract/points.ts'
import { callApi } from '../../api/call.ts'
import { keyOf } from '../../api/hooks.ts'

export interface BalanceDay {
  /** Midnight at which the day begins, where the reader is. */
  day: number
  /** The balance when the day ended. */
  balance: number
  earned: number
  spent: number
}

/** `2026-11-22` as the moment at which that day begins here. */
function midnightOf(day: string) {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date).getTime()
}

async function readDays(days: number): Promise<BalanceDay[]> {
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
  const series = await callApi(pointsSeries, { query: { days, time_zone } })
  return series.days.map((row) => ({ ...row, day: midnightOf(row.day) }))
}

/** Earned, spent and the closing balance of each of the last days, where the reader is. Read again with the history. */
export const useBalanceDays = (days: number) =>
  useQuery({
    queryKey: [...keyOf(myPointsHistory), 'days', days],
    queryFn: () => readDays(days),
    placeholderData: keepPreviousData,
  })
