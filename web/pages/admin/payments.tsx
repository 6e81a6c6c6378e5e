import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { adminGetTransfer, adminListHolds, adminListWebhooks } from '../../../contract/admin-payments.ts'
import { isId } from '../../../contract/schema.ts'
import { hold_statuses } from '../../../contract/states.ts'
import type { AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiQuery, usePagedQuery } from '../../api/hooks.ts'
import { transfer_labels } from '../../kinds.tsx'
import { numberColumn, textColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { DescriptionList, type Items } from '../../ui/description-list.tsx'
import { DayFields } from '../../ui/day-fields.tsx'
import { spanOf } from '../../ui/day-range.ts'
import { formatNumber, formatPoints, RelativeTime } from '../../ui/format.tsx'
import { Link } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import { AppLink } from './app-link.tsx'
import { TableCard } from './list-card.tsx'
import { PersonLink } from './person-link.tsx'
import { idError, knownValue } from './search.ts'
import { StatusBadge } from './status-badge.tsx'
import { Account, TransferSearch } from './transfers.tsx'
import { StateFilter, wordsOf } from '../../ui/filter.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { t } from '../../texts.ts'

/** Any movement of points by its id, the holds of all apps, and failing webhooks. */
export default function Payments() {
  const [{ view }] = useUrlState('/admin/payments')
  return (
    <>
      <PageHead title={t('common.payments')} about={t('admin.payments.movements-of-points-holds-and-webhooks')} />
      <PageTabs
        label={t('admin.payments.what-to-show')}
        title={t('common.payments')}
        param="view"
        tab={view}
        tabs={{
          transfer: [t('common.movements'), () => <Movements />],
          holds: [t('common.holds'), () => <Holds />],
          webhooks: [t('admin.payments.failing-webhooks'), () => <FailingWebhooks />],
        }}
      />
    </>
  )
}

function Movements() {
  const [{ id = '' }, change] = useUrlState('/admin/payments')
  const [typed, setTyped] = useState(id)
  return (
    <Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isId(typed.trim())) change({ view: 'transfer', id: typed.trim() })
        }}
      >
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('admin.payments.id-of-the-movement')}
            description={t('admin.payments.the-app-the-person-and-every')}
            value={typed}
            error={idError(typed)}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            maw={420}
            flex={1}
            autoComplete="off"
            spellCheck={false}
          />
          <Button type="submit">{t('admin.payments.find')}</Button>
          {isId(id) && (
            <Button variant="default" onClick={() => change({ id: undefined })}>
              {t('admin.payments.all-movements')}
            </Button>
          )}
        </Group>
      </form>
      {isId(id) ? <Transfer key={id} id={id} /> : <TransferSearch />}
    </Stack>
  )
}

type Found = AnswerOf<typeof adminGetTransfer>

function Transfer({ id }: { id: string }) {
  const query = useApiQuery(adminGetTransfer, { params: { id } })
  if (isApiError(query.error, 'not_found'))
    return (
      <Section>
        <EmptyState icon="search" title={t('admin.payments.no-movement-has-this-id')}>
          {t('admin.payments.holds-have-ids-of-their-own')}
        </EmptyState>
      </Section>
    )
  return (
    <Section>
      <QueryResult query={query} rows={5}>
        {({ transfer, refunds, refunded_amount }) => (
          <Stack>
            <DescriptionList items={factsOf(transfer)} />
            {refunds.length > 0 && (
              <div>
                <Text fw={600}>
                  {t('admin.payments.of-it-were-returned', { refunded_amount: formatPoints(refunded_amount) })}
                </Text>
                <ul>
                  {refunds.map((refund) => (
                    <li key={refund.id}>
                      <Link to="/admin/payments" search={{ view: 'transfer', id: refund.id }}>
                        {formatPoints(refund.amount)}
                      </Link>
                      , <RelativeTime at={refund.inserted_at} />
                      {refund.description !== null && <span className="user-content">: {refund.description}</span>}
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}

function factsOf(transfer: Found['transfer']): Items {
  const { kind, amount, from, to, app_id, app_name, description, reference, refunded_transfer_id, inserted_at } =
    transfer
  const text = (name: string, value: string | null) =>
    value !== null && ([name, <bdi key={name}>{value}</bdi>] as const)
  return [
    [t('common.kind'), t(transfer_labels[kind])],
    [t('common.points'), formatNumber(amount)],
    [t('common.from'), <Account key="from" account={from} />],
    [t('common.to'), <Account key="to" account={to} />],
    [t('common.when'), <RelativeTime key="when" at={inserted_at} />],
    app_id !== null && [t('common.app'), <AppLink key="app" id={app_id} name={app_name} />],
    text(t('common.description'), description),
    text(t('common.reference'), reference),
    refunded_transfer_id !== null && [
      t('admin.payments.returns'),
      <Link key="returns" to="/admin/payments" search={{ view: 'transfer', id: refunded_transfer_id }}>
        {t('admin.payments.the-spend')}
      </Link>,
    ],
  ]
}

function Holds() {
  const [{ status, from, to }, change] = useUrlState('/admin/payments')
  const known = knownValue(hold_statuses, status)
  const query = { ...(known && { status: known }), ...spanOf({ from, to }) }
  const list = usePagedQuery(adminListHolds, { query })
  return (
    <>
      <Group gap="sm">
        <StateFilter value={known} onChange={(value) => change({ status: value })} states={wordsOf(hold_statuses)} />
        <DayFields from={from} to={to} onChange={(days) => change({ from: days.from, to: days.to })} />
      </Group>
      <TableCard
        list={list}
        label={t('common.holds')}
        columns={hold_columns()}
        empty={
          <EmptyState icon="coins" title={t('admin.payments.no-holds')}>
            {Object.keys(query).length === 0
              ? t('admin.payments.an-app-makes-one-when-it')
              : t('admin.payments.none-fits-the-filter')}
          </EmptyState>
        }
      />
    </>
  )
}

type Hold = AnswerOf<typeof adminListHolds>['data'][number]

const hold_columns = (): Column<Hold>[] => [
  {
    head: t('common.app'),
    sortBy: ({ app_name }) => app_name,
    cell: ({ app_id, app_name }) => <AppLink id={app_id} name={app_name} />,
  },
  {
    head: t('common.person'),
    sortBy: ({ username }) => username,
    cell: ({ user_id, username }) => <PersonLink id={user_id} name={username} />,
  },
  textColumn(t('common.reference'), ({ reference }) => reference),
  numberColumn(t('common.points'), ({ amount }) => amount, { sortable: true }),
  { head: t('common.status'), cell: (hold) => <StatusBadge status={hold.release_reason ?? hold.status} /> },
  timeColumn(t('common.made'), ({ inserted_at }) => inserted_at, { sortable: true }),
  timeColumn(t('common.expires'), ({ expires_at }) => expires_at, { sortable: true }),
]

function FailingWebhooks() {
  const list = usePagedQuery(adminListWebhooks, {})
  return (
    <TableCard
      list={list}
      label={t('admin.payments.failing-webhooks')}
      columns={webhook_columns()}
      empty={
        <EmptyState icon="check" title={t('admin.payments.no-webhook-fails')}>
          {t('admin.payments.one-that-fails-for-five-days')}
        </EmptyState>
      }
    />
  )
}

const webhook_columns = (): Column<AnswerOf<typeof adminListWebhooks>['data'][number]>[] => [
  textColumn(t('common.address'), ({ url }) => url),
  { head: t('common.app'), cell: ({ app_id, app_name }) => <AppLink id={app_id} name={app_name} /> },
  {
    head: t('common.owner'),
    cell: ({ owner_id, owner_username }) => <PersonLink id={owner_id} name={owner_username} />,
  },
  timeColumn(t('admin.payments.failing-since'), ({ failing_since }) => failing_since),
  {
    head: t('admin.payments.switched-off'),
    cell: ({ disabled_at }) => <RelativeTime at={disabled_at} never={t('admin.payments.not-yet')} />,
  },
]
