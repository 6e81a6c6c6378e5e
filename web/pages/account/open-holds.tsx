import { Table } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listMyHolds } from '../../../contract/payments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import type { Days } from '../../ui/day-fields.tsx'
import { spanOf } from '../../ui/day-range.ts'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { HoldDays, NoHolds } from '../../ui/hold-days.tsx'
import { Link } from '../../ui/link.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PagedListStates } from '../../ui/paged-list.tsx'
import { SortHeading, useSorting } from '../../ui/sorting.tsx'
import { t } from '../../texts.ts'

type Hold = AnswerOf<typeof listMyHolds>['data'][number]

const columns = {
  app: ({ app_name }: Hold) => app_name,
  points: ({ amount }: Hold) => amount,
  expires: ({ expires_at }: Hold) => expires_at,
}

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
        <HoldTable holds={list.rows} />
      </PagedListStates>
    </Section>
  )
}

function HoldTable({ holds }: { holds: readonly Hold[] }) {
  const { rows, headingOf } = useSorting(holds, columns)
  return (
    <Table aria-label={t('common.held-by-apps')}>
      <Table.Thead>
        <Table.Tr>
          <SortHeading {...headingOf('app')}>{t('common.app')}</SortHeading>
          <Table.Th visibleFrom="sm">{t('common.reference')}</Table.Th>
          <SortHeading {...headingOf('points')} ta="right">
            {t('common.points')}
          </SortHeading>
          <SortHeading {...headingOf('expires')}>{t('common.expires')}</SortHeading>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ id, app_name, amount, reference, expires_at }) => (
          <Table.Tr key={id}>
            <Table.Td className="user-content">{app_name ?? t('common.an-app-that-is-gone')}</Table.Td>
            <Table.Td className="user-content" visibleFrom="sm">
              {reference ?? ''}
            </Table.Td>
            <Table.Td ta="right" className="number">
              {formatNumber(amount)}
            </Table.Td>
            <Table.Td>
              <RelativeTime at={expires_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
