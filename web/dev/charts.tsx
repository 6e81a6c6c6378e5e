import { Chart, RowDetail, type ChartProps } from '../ui/chart.tsx'
import { formatNumber } from '../ui/format.tsx'
import { HowFarBack } from '../ui/how-far-back.tsx'
import { nothing, type Parts } from './part.tsx'

interface Row {
  hour: number
  answered: number
  /** Null if nothing ran. */
  failed: number | null
}

const rows = Array.from({ length: 24 }, (_, hour): Row => {
  const answered = Math.round(400 + 300 * Math.sin(hour / 3))
  return { hour, answered, failed: hour > 9 && hour < 13 ? null : (hour * 37) % 190 }
})

const lines = [
  { name: 'Answered', color: 'teal.6', valueOf: ({ answered }: Row) => answered },
  { name: 'Failed', color: 'yellow.6', valueOf: ({ failed }: Row) => failed },
]

const shared: Omit<ChartProps<Row>, 'kind'> = {
  height: 180,
  rows,
  lines,
  label: 'Requests of a day',
  tick: ({ hour }) => `${hour}:00`,
  mark: formatNumber,
  detail: ({ hour, answered, failed }) => (
    <RowDetail
      title={`${hour}:00`}
      values={[
        ['Answered', formatNumber(answered)],
        ['Failed', failed === null ? '–' : formatNumber(failed)],
      ]}
    />
  ),
}

export const charts: Parts = {
  'chart.tsx': {
    steps: <Chart {...shared} kind="steps" lines={lines.slice(0, 1)} whole />,
    'lines, one of them broken, on a scale with an end': <Chart {...shared} kind="lines" limit={1_000} />,
    stack: <Chart {...shared} kind="stack" />,
    bars: <Chart {...shared} kind="bars" rows={rows.slice(0, 7)} whole />,
    'only zeros': (
      <Chart {...shared} kind="bars" rows={rows.map(({ hour }) => ({ hour, answered: 0, failed: 0 }))} whole />
    ),
  },
  'how-far-back.tsx': (
    <HowFarBack
      spans={[
        { value: '30', label: '30 days' },
        { value: '90', label: '90 days' },
      ]}
      value="30"
      onChange={nothing}
    />
  ),
}
