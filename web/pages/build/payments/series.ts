import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getSeriesOfMyApp } from '../../../../contract/app-payments.ts'
import { callApi, type AnswerOf } from '../../../api/call.ts'
import { queryKeyOf } from '../../../api/hooks.ts'
import { locale } from '../../../texts.ts'
import type { MyApp } from '../access.ts'

export type Period = AnswerOf<typeof getSeriesOfMyApp>['periods'][number]
export type Unit = 'day' | 'month'

const day_ms = 86_400_000
const short = {
  day: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }),
}

/** The API's days and months are in UTC. */
const daysAgo = (days: number) => new Date(Date.now() - days * day_ms).toISOString().slice(0, 10)

/** An app's earned and refunded points, and its balance, for each of the last days or the last 12 months. */
export function useSeries({ id }: MyApp, unit: Unit, days: number) {
  const query = { unit, ...(unit === 'day' && { from: daysAgo(days - 1), to: daysAgo(-1) }) }
  const params = { id }
  return useQuery({
    queryKey: queryKeyOf(getSeriesOfMyApp, { params, unit, days }),
    queryFn: () => callApi(getSeriesOfMyApp, { params, query }),
    placeholderData: keepPreviousData,
  })
}

export const nameOfPeriod = (unit: Unit, { starts_on }: Period) =>
  short[unit].format(new Date(`${starts_on}T00:00:00Z`))

export const earnedIn = (periods: readonly Period[]) => periods.reduce((sum, { earned }) => sum + earned, 0)
