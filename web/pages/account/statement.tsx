import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { me } from '../../../contract/accounts.ts'
import { exportMyHistory, myPointsHistory } from '../../../contract/points.ts'
import { callApi } from '../../api/call.ts'
import { csvName, downloadFile } from '../../api/download-file.ts'
import { queryKeyOf, useApiQuery } from '../../api/hooks.ts'
import { locale, t } from '../../texts.ts'
import { DataTable, numberColumn, type Column } from '../../ui/data-table.tsx'
import { DayFields } from '../../ui/day-fields.tsx'
import { isReversed, spanOf } from '../../ui/day-range.ts'
import { DescriptionList, Statistics } from '../../ui/description-list.tsx'
import { CsvButton } from '../../ui/download-button.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { aboutOf, amountText, signedAmount, type Movement } from './movements.ts'

const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long' })
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })

const page_max = 100

/** Every movement in a range, oldest first, and the balance before it. */
async function readStatement(span: { from?: string; to?: string }) {
  const movements: Movement[] = []
  for (let cursor: string | undefined; ;) {
    const query = { ...span, limit: page_max, ...(cursor !== undefined && { cursor }) }
    const { data, next_cursor } = await callApi(myPointsHistory, { query })
    movements.push(...data)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  movements.reverse()
  const [first] = movements
  if (first)
    return { movements, opening: first.points_after - signedAmount(first), closing: movements.at(-1)!.points_after }
  const before = span.to !== undefined && { to: span.to }
  const [last] = (await callApi(myPointsHistory, { query: { ...before, limit: 1 } })).data
  const balance = last?.points_after ?? 0
  return { movements, opening: balance, closing: balance }
}

/** `2026-11-01` in the browser's time zone. */
const dayOf = (day: Date) =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

const today = () => dayOf(new Date())

/** The first and the last day of a month: 0 is the current one, 1 the previous one. */
function monthBefore(months: number) {
  const now = new Date()
  const day = (month: number, of_month: number) => dayOf(new Date(now.getFullYear(), now.getMonth() + month, of_month))
  return { from: day(-months, 1), to: day(1 - months, 0) }
}

/** The movements of a month or another range, to print or save. */
export default function Statement() {
  const [{ from, to }, change] = useUrlState('/points/statement')
  const days = from === undefined && to === undefined ? monthBefore(0) : { from, to }
  const span = spanOf(days)
  const profile = useApiQuery(me, {})
  const is_reversed = isReversed(days)
  const statement = useQuery({
    queryKey: [...queryKeyOf(myPointsHistory, span), 'statement'],
    queryFn: () => readStatement(span),
    enabled: !is_reversed,
  })
  // Only the holds of today are known.
  const held = days.to === undefined || days.to >= today() ? (profile.data?.user.held ?? 0) : 0
  const dayName = (time: string | undefined, shift_ms = 0) =>
    time === undefined ? '…' : date.format(Date.parse(time) + shift_ms)
  return (
    <>
      <PageHead
        title={t('account.statement.statement-of-points')}
        actions={
          <Group gap="xs" className="screen-only" display={is_reversed ? 'none' : undefined}>
            <Button onClick={() => print()}>{t('account.statement.print')}</Button>
            <CsvButton
              size="sm"
              save={() => downloadFile(exportMyHistory, { query: span }, csvName('points'))}
              done={t('account.export-button.the-movements-are-saved-as-a')}
            />
          </Group>
        }
      />
      <Section>
        <Group gap="xs" mb="lg" align="flex-end" className="screen-only">
          <Button size="xs" variant="default" onClick={() => change(monthBefore(0))}>
            {t('account.statement.this-month')}
          </Button>
          <Button size="xs" variant="default" onClick={() => change(monthBefore(1))}>
            {t('account.statement.last-month')}
          </Button>
          <DayFields {...days} onChange={change} />
        </Group>
        {is_reversed ? null : (
          <QueryResult query={statement} rows={8}>
            {({ movements, opening, closing }) => (
              <Stack>
                <DescriptionList
                  items={[
                    [
                      t('account.statement.holder'),
                      <bdi key="holder">
                        {profile.data && `${profile.data.user.username} · ${profile.data.user.email}`}
                      </bdi>,
                    ],
                    [t('account.statement.period'), `${dayName(span.from)} – ${dayName(span.to, -1)}`],
                  ]}
                />
                <Statistics
                  items={[
                    [t('account.statement.opening-balance'), formatNumber(opening)],
                    [t('account.statement.closing-balance'), formatNumber(closing)],
                    ...(held > 0 ? [[t('account.statement.held-of-these'), formatNumber(held)] as const] : []),
                  ]}
                />
                {movements.length === 0 ? (
                  <Text c="dimmed">{t('account.statement.no-points-moved')}</Text>
                ) : (
                  <DataTable
                    label={t('account.movement-table.movements-of-your-points')}
                    rows={movements}
                    columns={columnsOf()}
                    keyOf={({ id, direction }) => id + direction}
                  />
                )}
              </Stack>
            )}
          </QueryResult>
        )}
      </Section>
    </>
  )
}

const columnsOf = (): Column<Movement>[] => [
  { head: t('common.when'), className: 'number', cell: ({ inserted_at }) => moment.format(new Date(inserted_at)) },
  { head: t('common.what'), className: 'user-content', on_phone: 'line', cell: aboutOf },
  { head: t('account.movement-table.amount'), ta: 'right', className: 'number', cell: amountText },
  numberColumn(t('common.balance-after'), ({ points_after }) => points_after),
]
