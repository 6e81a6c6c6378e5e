import { useRouter, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listMyHolds } from '../../../contract/payments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { spanOf, type Days } from '../../ui/day-range.ts'
import { DataTable, numberColumn, textColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { HoldDays, NoHolds } from '../../ui/hold-days.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PagedListStates } from '../../ui/paged-list.tsx'
import { t } from '../../texts.ts'

type Hold = AnswerOf<typeof listMyHolds>['data'][number]

/** Points of the person that apps hold. The filter by day is in the URL. */
export function OpenHolds() {
  const { held_from, held_to, ...others } = useSearch({ from: '/points' })
  const router = useRouter()
  const days = { from: held_from, to: held_to }
  const list = usePagedQuery(listMyHolds, { query: { status: 'open', ...spanOf(days) } })
  const show = ({ from, to }: Days) =>
    void router.navigate({
      to: '/points',
      search: { ...others, held_from: from, held_to: to },
      replace: true,
      resetScroll: false,
    })
  const all = (part: ReactNode) => (
    <Link to="/points" search={others} resetScroll={false}>
      {part}
    </Link>
  )
  return (
    <Section title={t('common.held-by-apps')} about={t('account.open-holds.set-aside-for-a-purchase-that')}>
      <HoldDays {...days} onChange={show} />
      <PagedListStates list={list} lines={3} empty={<NoHolds {...days} all={all} />}>
        <DataTable label={t('common.held-by-apps')} rows={list.rows} columns={columns()} fits />
      </PagedListStates>
    </Section>
  )
}

const columns = (): Column<Hold>[] => [
  textColumn(t('common.app'), ({ app_name }) => app_name, {
    absent: t('common.an-app-that-is-gone'),
    sortable: true,
  }),
  textColumn(t('common.reference'), ({ reference }) => reference, { visibleFrom: 'sm' }),
  numberColumn(t('common.points'), ({ amount }) => amount, { sortable: true }),
  timeColumn(t('common.expires'), ({ expires_at }) => expires_at, { sortable: true }),
]
