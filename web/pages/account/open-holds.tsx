import { Table } from '@mantine/core'
import { listMyHolds } from '../../../contract/payments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { LoadMore, QueryResult, Section } from '../../ui/page-parts.tsx'
import { SortHeading, useSorting } from '../../ui/sorting.tsx'
import { t } from '../../texts.ts'

type Hold = AnswerOf<typeof listMyHolds>['data'][number]

const columns = {
  app: ({ app_name }: Hold) => app_name,
  points: ({ amount }: Hold) => amount,
  expires: ({ expires_at }: Hold) => expires_at,
}

/** Points of the person that apps hold at the moment. */
export default function OpenHolds() {
  const list = usePagedQuery(listMyHolds, { query: { status: 'open' } })
  const { rows, headingOf } = useSorting(list.rows, columns)
  return (
    <Section title={t('account.open-holds.held-by-apps')} about={t('account.open-holds.set-aside-for-a-purchase-that')}>
      <QueryResult query={list}>
        {() => (
          <Table aria-label={t('account.open-holds.held-by-apps')}>
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
                  <Table.Td className="user-content">
                    {app_name ?? t('account.open-holds.an-app-that-is-gone')}
                  </Table.Td>
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
        )}
      </QueryResult>
      <LoadMore query={list} />
    </Section>
  )
}
