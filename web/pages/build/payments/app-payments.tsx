import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import {
  exportTransfersOfMyApp,
  getBalanceOfMyApp,
  listTransfersOfMyApp,
  withdrawFromMyApp,
} from '../../../../contract/app-payments.ts'
import { csvName, downloadFile } from '../../../api/download-file.ts'
import { useApiQuery, usePagedQuery } from '../../../api/hooks.ts'
import { CsvButton } from '../../../ui/download-button.tsx'
import { Statistics } from '../../../ui/description-list.tsx'
import { formatNumber } from '../../../ui/format.tsx'
import { lazyComponent, OnDemand } from '../../../ui/lazy-component.tsx'
import { Link } from '../../../ui/link.tsx'
import { EmptyState, QueryResult, Section } from '../../../ui/page-parts.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { PagedListStates } from '../../../ui/paged-list.tsx'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import { AppBalance } from './app-balance.tsx'
import { OpenHolds } from './open-holds.tsx'
import { PaymentFilter } from './payment-filter.tsx'
import { PaymentTable } from './payment-table.tsx'
import { queryOf, type Filter } from './payments.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

const no_filter = { kind: undefined, reference: undefined, username: undefined, from: undefined, to: undefined }

const WithdrawDialog = lazyComponent(() => import('./withdraw-dialog.tsx'))
const PaymentDrawer = lazyComponent(() => import('./payment-drawer.tsx'))

/** The payments in an app. The filter and the open payment are in the URL. */
export default function AppPayments({ app }: { app: MyApp }) {
  const [{ kind, reference, username, from, to, held_from, held_to, payment }, change] = useUrlState('/apps/$id')
  const filter: Filter = {
    ...(kind && { kind }),
    ...(reference && { reference }),
    ...(username && { username }),
    ...(from && { from }),
    ...(to && { to }),
  }
  const query = { params: { id: app.id }, query: queryOf(filter) }
  const list = usePagedQuery(listTransfersOfMyApp, query)
  const is_filtered = Object.keys(filter).length > 0
  return (
    <Stack>
      <Balance app={app} />
      <OpenHolds
        app={app}
        days={{ from: held_from, to: held_to }}
        onDays={(days) => change({ held_from: days.from, held_to: days.to })}
      />
      <Section
        title={t('common.payments')}
        actions={<Export app={app} filter={filter} disabled={list.rows.length === 0} />}
      >
        <PaymentFilter filter={filter} onChange={(chosen) => change({ ...no_filter, ...chosen })} />
        <PagedListStates list={list} lines={6} counted empty={<Empty app={app} is_filtered={is_filtered} />}>
          <PaymentTable payments={list.rows} onOpen={(id) => change({ payment: id })} />
        </PagedListStates>
      </Section>
      <AppBalance app={app} />
      <OnDemand>
        <PaymentDrawer app={app} payment_id={payment} onClose={() => change({ payment: undefined })} />
      </OnDemand>
    </Stack>
  )
}

function Balance({ app }: { app: MyApp }) {
  const query = useApiQuery(getBalanceOfMyApp, { params: { id: app.id } })
  const [withdraws, setWithdraws] = useState(false)
  const available = query.data ? query.data.points - query.data.held_earnings : 0
  return (
    <Section
      title={t('common.balance')}
      actions={
        available > 0 &&
        may(app, withdrawFromMyApp) && (
          <Button size="sm" variant="default" onClick={() => setWithdraws(true)}>
            {t('build.withdrawal.withdraw-points')}
          </Button>
        )
      }
    >
      <QueryResult query={query} rows={2}>
        {({ points, total_earned, total_spent, held_for_app, held_earnings }) => (
          <>
            <Statistics
              items={[
                [t('common.balance'), formatNumber(points)],
                [t('build.app-payments.paid-by-people'), formatNumber(total_earned)],
                [t('common.returned'), formatNumber(total_spent)],
                [t('build.app-payments.held-for-the-app'), formatNumber(held_for_app)],
                held_earnings > 0 && [t('build.app-payments.held-earnings'), formatNumber(held_earnings)],
              ]}
            />
            <OnDemand>
              {withdraws && (
                <WithdrawDialog
                  app={app}
                  available={available}
                  held={held_earnings}
                  onClose={() => setWithdraws(false)}
                />
              )}
            </OnDemand>
          </>
        )}
      </QueryResult>
    </Section>
  )
}

const Empty = ({ app, is_filtered }: { app: MyApp; is_filtered: boolean }) =>
  is_filtered ? (
    <EmptyState icon="coins" title={t('build.app-payments.no-payment-matches-the-filter')}>
      <Link to="/apps/$id" params={{ id: app.id }} search={{ tab: 'payments' }}>
        {t('build.app-payments.show-every-payment')}
      </Link>
    </EmptyState>
  ) : (
    <EmptyState icon="coins" title={t('build.app-payments.nobody-has-paid-in-the-app')}>
      <RichText
        k="build.app-payments.a-payment-shows-here-as-soon"
        link={(part) => (
          <Link to="/playground" search={{ app: app.id }}>
            {part}
          </Link>
        )}
      />
    </EmptyState>
  )

const Export = ({ app, filter, disabled }: { app: MyApp; filter: Filter; disabled: boolean }) => (
  <CsvButton
    save={() =>
      downloadFile(exportTransfersOfMyApp, { params: { id: app.id }, query: queryOf(filter) }, csvName('payments'))
    }
    done={t('build.app-payments.the-payments-are-saved-as-a')}
    disabled={disabled}
  />
)
