import { Button, Stack } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { me } from '../../../contract/accounts.ts'
import { exportMyHistory, myPointsHistory } from '../../../contract/points.ts'
import { downloadFile } from '../../api/download-file.ts'
import { usePagedQuery, useApiQuery } from '../../api/hooks.ts'
import { Statistics } from '../../ui/description-list.tsx'
import { CsvButton } from '../../ui/download-button.tsx'
import { useSession } from '../../session/session.ts'
import { settings } from '../../settings.ts'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PagedListStates } from '../../ui/paged-list.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { WaitingRewards } from '../../ui/waiting-rewards.tsx'
import { filterOf, queryOf, type Filter } from './movements.ts'
import { MovementFilter } from './movement-filter.tsx'
import { MovementTable } from './movement-table.tsx'
import { PointRequests } from './point-requests.tsx'
import { PointsDialog } from '../people/points-dialog.ts'
import { Icon } from '../../ui/icon.tsx'
import { OpenHolds } from './open-holds.tsx'
import { PointsChart } from './points-chart.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function Points() {
  return (
    <>
      <PageHead
        title={t('common.points')}
        about={t('account.points.your-balance-and-its-full-history')}
        actions={<Actions />}
      />
      <Stack gap="lg">
        <WaitingRewards />
        <Balance />
        <PointRequests />
        <Held />
        <PointsChart />
        <History />
      </Stack>
    </>
  )
}

// Components, because the balance changes with each event, and the lists below it do not.
const Balance = () => (
  <Section>
    <QueryResult query={useApiQuery(me, {})} rows={2}>
      {({ user: { points, held, stats } }) => (
        <Statistics
          items={[
            [t('common.balance'), formatNumber(points)],
            ...(held > 0 ? [[t('common.held-by-apps'), formatNumber(held)] as const] : []),
            [t('common.earned-in-all'), formatNumber(stats.total_earned)],
            [t('common.spent-in-all'), formatNumber(stats.total_spent)],
          ]}
        />
      )}
    </QueryResult>
  </Section>
)

const Held = () => (useApiQuery(me, {}).data?.user.held ?? 0) > 0 && <OpenHolds />

function Actions() {
  const [dialog, setDialog] = useState<'send' | 'ask'>()
  const { user } = useSession().session ?? {}
  return (
    <>
      <Button leftSection={<Icon name="send" size={16} />} onClick={() => setDialog('send')}>
        {t('common.send')}
      </Button>
      <Button variant="default" onClick={() => setDialog('ask')}>
        {t('people.send-form.ask')}
      </Button>
      {user && (
        <LinkButton variant="default" to="/u/$username" params={{ username: user.username }}>
          {t('account.points.your-qr-code')}
        </LinkButton>
      )}
      {settings.is_sandbox && (
        <LinkButton variant="default" to="/sandbox/points">
          {t('common.give-me-points')}
        </LinkButton>
      )}
      {dialog && <PointsDialog opened kind={dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

const fileName = ({ kind, direction }: Filter) =>
  ['points', kind, direction, new Date().toISOString().slice(0, 10)].filter(Boolean).join('-') + '.csv'

function History() {
  const filter = filterOf(useSearch({ from: '/points' }))
  const list = usePagedQuery(myPointsHistory, { query: queryOf(filter) })
  const is_filtered = Object.keys(filter).length > 0
  return (
    <Section
      title={t('account.points.history')}
      actions={
        <>
          <LinkButton to="/points/statement" size="xs" variant="default">
            {t('account.statement.statement')}
          </LinkButton>
          <CsvButton
            save={() => downloadFile(exportMyHistory, { query: queryOf(filter) }, fileName(filter))}
            done={t('account.export-button.the-movements-are-saved-as-a')}
            disabled={list.rows.length === 0}
          />
        </>
      }
    >
      <MovementFilter
        filter={filter}
        app_name={list.rows.find(({ app_id }) => app_id === filter.app)?.app_name ?? undefined}
      />
      <PagedListStates list={list} lines={6} counted empty={<Empty is_filtered={is_filtered} />}>
        <MovementTable movements={list.rows} />
      </PagedListStates>
    </Section>
  )
}

const Empty = ({ is_filtered }: { is_filtered: boolean }) =>
  is_filtered ? (
    <EmptyState icon="coins" title={t('account.points.nothing-matches-the-filter')}>
      <Link to="/points">{t('account.points.show-every-movement')}</Link>
    </EmptyState>
  ) : (
    <EmptyState icon="coins" title={t('account.points.no-points-have-moved-yet')}>
      <RichText
        k="account.points.earn-your-first-ones-by-learning"
        link={(part) => <Link to="/learning">{part}</Link>}
      />
    </EmptyState>
  )
