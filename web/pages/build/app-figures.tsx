import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Group, Paper, SegmentedControl, SimpleGrid, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAnalytics } from '../../../contract/operators.ts'
import { getAppBalance, myPointsHistory } from '../../../contract/points.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { EmptyState, QueryResult, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
import { formatNumber, formatPoints, RelativeTime } from '../../ui/format.tsx'
import { callAsApp, useAppQuery, type MyApp } from './access.ts'
import { AccessGate, AccessNote } from './access-gate.tsx'
import { barsOf, ranges, windowsOf } from './activity-windows.ts'

export default function AppFigures({ app }: { app: MyApp }) {
  return (
    <AccessGate app={app} scope="app:balance:read" what="see its figures">
      <Stack>
        <AccessNote app_id={app.id} />
        <Tiles app={app} />
        <Activity app_id={app.id} />
        <OwnMovements app_id={app.id} />
      </Stack>
    </AccessGate>
  )
}

const Tile = ({ label, value, about }: { label: string; value: string; about: string }) => (
  <Paper withBorder p="md" bg="var(--plaza-card)">
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text fz="1.5rem" fw={650} className="number" lh={1.3}>
      {value}
    </Text>
    <Text size="xs" c="dimmed">
      {about}
    </Text>
  </Paper>
)

/**
 * The API counts every user who ever connected (D-49). The owner is one of them: this page reads the figures with a grant
 * of the owner.
 */
const otherUsers = (total: number | undefined) => (total === undefined ? undefined : Math.max(0, total - 1))

function Tiles({ app }: { app: MyApp }) {
  const balance = useAppQuery(app.id, getAppBalance, {})
  const analytics = useAppQuery(app.id, getAnalytics, {})
  const { total_users, total_spends, total_awards, window_days } = analytics.data?.analytics ?? {}
  const last = window_days === undefined ? 'reading…' : `in the last ${window_days} days`
  const shown = (amount: number | undefined) => (amount === undefined ? '…' : formatNumber(amount))
  return (
    <Stack>
      <FailureNote error={balance.error ?? analytics.error} onRetry={() => void balance.refetch()} />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Tile label="Balance" value={shown(balance.data?.points)} about="points that people spent in the app" />
        <Tile label="Users" value={shown(otherUsers(total_users))} about="besides you; ever connected, left or not" />
        <Tile label="Spends" value={shown(total_spends)} about={last} />
        <Tile label="Awards" value={shown(total_awards)} about={last} />
      </SimpleGrid>
    </Stack>
  )
}

/** Reads the totals of growing windows; a bar is the difference between two consecutive windows. */
function useActivity(app_id: string, days: number) {
  return useQuery({
    queryKey: ['as app', app_id, 'activity', days],
    queryFn: async () => {
      const fetchTotals = async (window_days: number) => {
        const { analytics } = await callAsApp(app_id, getAnalytics, { query: { window_days } })
        return analytics
      }
      return barsOf(await Promise.all(windowsOf(days).map(fetchTotals)))
    },
    staleTime: 60_000,
  })
}

function Activity({ app_id }: { app_id: string }) {
  const [days, setDays] = useState(30)
  const query = useActivity(app_id, days)
  return (
    <Section
      title="Spends and awards"
      about="The number of transfers, not their amounts. Each bar ends at the current time of day."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          data={ranges.map((range) => ({ value: String(range), label: range === 365 ? '1 year' : `${range} days` }))}
        />
      }
    >
      {query.error && <FailureNote error={query.error} onRetry={() => void query.refetch()} />}
      {query.data ? <Chart bars={query.data} days={days} /> : !query.error && <LoadingSkeleton rows={6} />}
    </Section>
  )
}

type Bar = ReturnType<typeof barsOf>[number]

function Chart({ bars, days }: { bars: Bar[]; days: number }) {
  if (bars.every(({ Spends, Awards }) => Spends + Awards === 0))
    return (
      <EmptyState icon="chart" title={`Nothing moved in the last ${days} days`}>
        A spend shows here as soon as somebody spends points in the app; an award, when an admin awards points in its
        name.
      </EmptyState>
    )
  return (
    <>
      <div aria-hidden="true">
        <BarChart
          h={240}
          data={bars}
          dataKey="until"
          type="stacked"
          withLegend
          series={[
            { name: 'Spends', color: 'plaza.6' },
            { name: 'Awards', color: 'yellow.6' },
          ]}
          yAxisProps={{ allowDecimals: false, width: 36 }}
          maxBarWidth={48}
          barProps={{ isAnimationActive: false }}
          barChartProps={{ accessibilityLayer: false, tabIndex: -1 }}
        />
      </div>
      <VisuallyHidden>
        <table>
          <caption>Spends and awards in the last {days} days</caption>
          <thead>
            <tr>
              <th>Until</th>
              <th>Spends</th>
              <th>Awards</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ until, Spends, Awards }) => (
              <tr key={until}>
                <th>{until}</th>
                <td>{Spends}</td>
                <td>{Awards}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </>
  )
}

const history_limit = 100

/** The API lists single transfers only in the user's own history; this filters them by app. */
function OwnMovements({ app_id }: { app_id: string }) {
  const query = useApiQuery(myPointsHistory, { query: { limit: history_limit } })
  return (
    <Section
      title="Your own transfers with this app"
      about="Plaza lists single transfers only to the person whose points moved, so these are yours alone. The totals of all users are above."
    >
      <QueryResult query={query}>
        {({ data }) => {
          const mine = data.filter((entry) => entry.app_id === app_id)
          return mine.length === 0 ? (
            <Group gap="xs">
              <Text size="sm" c="dimmed">
                None among your own last {history_limit} transfers. Spend a point in the playground to see one.
              </Text>
            </Group>
          ) : (
            <Movements entries={mine} />
          )
        }}
      </QueryResult>
    </Section>
  )
}

interface Entry {
  id: string
  kind: string
  direction: 'in' | 'out'
  amount: number
  description: string | null
  inserted_at: string
}

const Movements = ({ entries }: { entries: Entry[] }) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label="Your own transfers with this app">
    <Table miw={420}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>What</Table.Th>
          <Table.Th ta="right">Points</Table.Th>
          <Table.Th>When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map(({ id, kind, direction, amount, description, inserted_at }) => (
          <Table.Tr key={id}>
            <Table.Td className="user-content">{description || kind}</Table.Td>
            <Table.Td
              ta="right"
              className="number"
              aria-label={`${direction === 'in' ? 'got' : 'gave'} ${formatPoints(amount)}`}
            >
              {direction === 'in' ? '+' : '−'}
              {formatNumber(amount)}
            </Table.Td>
            <Table.Td>
              <RelativeTime at={inserted_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </div>
)
