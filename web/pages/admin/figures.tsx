import { Paper, SimpleGrid, Text } from '@mantine/core'
import { getFigures } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Chart } from '../../ui/chart.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { QueryResult } from '../../ui/page-parts.tsx'
import { locale, t } from '../../texts.ts'

type Figures = AnswerOf<typeof getFigures>
type Day = Figures['days'][number]
type Figure = Exclude<keyof Day, 'day'>

const day_text = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })

/** People, points and open work of the last 30 days, with a chart each. */
export function FigureTiles() {
  const query = useApiQuery(getFigures, {}, { refetchInterval: 60_000 })
  return (
    <QueryResult query={query} rows={3}>
      {({ days, in_circulation }) => {
        const today = days.at(-1)
        return (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Tile name={t('admin.figures.sign-ups')} days={days} figure="signups" value={sumOf(days, 'signups')} />
            <Tile
              name={t('admin.figures.active-people')}
              days={days}
              figure="active_people"
              value={today?.active_people}
            />
            <Tile name={t('admin.figures.points-issued')} days={days} figure="issued" value={sumOf(days, 'issued')} />
            <Tile name={t('admin.figures.points-spent')} days={days} figure="spent" value={sumOf(days, 'spent')} />
            <Tile name={t('common.failed-jobs')} days={days} figure="failed_jobs" value={today?.failed_jobs} />
            <Tile
              name={t('admin.figures.open-decisions')}
              days={days}
              figure="open_decisions"
              value={today?.open_decisions}
            />
            <Tile
              name={t('admin.figures.in-circulation')}
              days={days}
              figure="in_circulation"
              value={in_circulation}
              wide
            />
          </SimpleGrid>
        )
      }}
    </QueryResult>
  )
}

const sumOf = (days: readonly Day[], figure: 'signups' | 'issued' | 'spent') =>
  days.reduce((sum, day) => sum + day[figure], 0)

/** Figures at the end of a day are drawn as a line, others as bars. */
const states: readonly Figure[] = ['in_circulation', 'failed_jobs', 'open_decisions']

const numberOf = (value: number | null | undefined) => (typeof value === 'number' ? formatNumber(value) : '–')

interface TileProps {
  name: string
  days: readonly Day[]
  figure: Figure
  /** Null or undefined until counted. */
  value: number | null | undefined
  /** Takes a whole row. */
  wide?: boolean
}

const Tile = ({ name, days, figure, value, wide }: TileProps) => (
  <Paper
    withBorder
    p="md"
    bg="var(--plaza-card)"
    component="section"
    aria-label={name}
    {...(wide && { style: { gridColumn: '1 / -1' } })}
  >
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text fz="xl" fw={650} className="number" mb="xs">
      {numberOf(value)}
    </Text>
    <Chart
      kind={states.includes(figure) ? 'lines' : 'bars'}
      height={90}
      rows={days}
      lines={[{ name, color: 'plaza.5', valueOf: (day) => day[figure] }]}
      label={t('admin.figures.in-30-days', { name })}
      tick={({ day }) => day_text.format(new Date(day))}
      mark={(amount) => compact.format(amount)}
      whole
      detail={(day) => (
        <Text size="xs">
          {day_text.format(new Date(day.day))}: {numberOf(day[figure])}
        </Text>
      )}
    />
  </Paper>
)
