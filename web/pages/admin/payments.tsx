import { Button, Group, SegmentedControl, Stack, Table, Text, TextInput } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { adminGetTransfer, adminListHolds, adminListWebhooks } from '../../../contract/admin-payments.ts'
import { isId } from '../../../contract/schema.ts'
import { hold_statuses } from '../../../contract/states.ts'
import type { AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiQuery, usePagedQuery } from '../../api/hooks.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { DayFields, type Days } from '../../ui/day-fields.tsx'
import { spanOf } from '../../ui/day-range.ts'
import { formatNumber, formatPoints, RelativeTime } from '../../ui/format.tsx'
import { Link } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import classes from '../../ui/table.module.css'
import { ListCard } from './list-card.tsx'
import { idError, knownValue } from './search.ts'
import { StatusBadge } from './status-badge.tsx'
import { SortHeading, useSorting } from '../../ui/sorting.tsx'
import { t } from '../../texts.ts'

const views = () =>
  [
    { value: 'transfer', label: t('admin.payments.one-movement') },
    { value: 'holds', label: t('common.holds') },
    { value: 'webhooks', label: t('admin.payments.failing-webhooks') },
  ] as const

/** Any movement of points by its id, the holds of all apps, and webhooks that fail. */
export default function Payments() {
  const { view = 'transfer' } = useSearch({ from: '/admin/payments' })
  const router = useRouter()
  return (
    <>
      <PageHead title={t('common.payments')} about={t('admin.payments.movements-of-points-holds-and-webhooks')} />
      <Stack>
        <SegmentedControl
          aria-label={t('admin.payments.what-to-show')}
          data={[...views()]}
          value={view}
          onChange={(chosen) =>
            void router.navigate({
              to: '/admin/payments',
              search: { view: views().find(({ value }) => value === chosen)?.value },
              replace: true,
            })
          }
        />
        {view === 'transfer' && <TransferSearch />}
        {view === 'holds' && <Holds />}
        {view === 'webhooks' && <FailingWebhooks />}
      </Stack>
    </>
  )
}

function TransferSearch() {
  const { id = '' } = useSearch({ from: '/admin/payments' })
  const router = useRouter()
  const [typed, setTyped] = useState(id)
  const show = (found: string) =>
    void router.navigate({ to: '/admin/payments', search: { view: 'transfer', id: found }, replace: true })
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isId(typed.trim())) show(typed.trim())
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
        </Group>
      </form>
      {isId(id) && <Transfer key={id} id={id} />}
    </>
  )
}

type Found = AnswerOf<typeof adminGetTransfer>
type Account = Found['transfer']['from']

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

function factsOf(transfer: Found['transfer']): [string, ReactNode][] {
  const { kind, amount, from, to, app_name, description, reference, refunded_transfer_id, inserted_at } = transfer
  const text = (name: string, value: string | null): [string, ReactNode][] =>
    value === null ? [] : [[name, <bdi key={name}>{value}</bdi>]]
  return [
    [t('common.kind'), kind],
    [t('common.points'), formatNumber(amount)],
    [t('common.from'), <Owner key="from" account={from} />],
    [t('common.to'), <Owner key="to" account={to} />],
    [t('common.when'), <RelativeTime key="when" at={inserted_at} />],
    ...text(t('common.app'), app_name),
    ...text(t('common.description'), description),
    ...text(t('common.reference'), reference),
    ...(refunded_transfer_id === null
      ? []
      : [
          [
            t('admin.payments.returns'),
            <Link key="returns" to="/admin/payments" search={{ view: 'transfer', id: refunded_transfer_id }}>
              {t('admin.payments.the-spend')}
            </Link>,
          ] satisfies [string, ReactNode],
        ]),
  ]
}

const Owner = ({ account: { id, kind, name } }: { account: Account }) =>
  kind === 'user' ? (
    <Link to="/admin/users/$id" params={{ id }}>
      {name ?? t('common.somebody-who-is-gone')}
    </Link>
  ) : (
    <>{kind === 'app' ? <bdi>{name ?? t('common.an-app-that-is-gone')}</bdi> : 'Plaza'}</>
  )

function Holds() {
  const { status, from, to } = useSearch({ from: '/admin/payments' })
  const router = useRouter()
  const known = knownValue(hold_statuses, status)
  const query = { ...(known && { status: known }), ...spanOf({ from, to }) }
  const list = usePagedQuery(adminListHolds, { query })
  const show = (search: Days & { status: string | undefined }) =>
    void router.navigate({
      to: '/admin/payments',
      search: { view: 'holds', ...search },
      replace: true,
      resetScroll: false,
    })
  return (
    <>
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('common.status')}
          value={known ?? 'all'}
          data={[{ value: 'all', label: t('common.all') }, ...hold_statuses.map((value) => ({ value, label: value }))]}
          onChange={(value) => show({ status: value === 'all' ? undefined : value, from, to })}
        />
        <DayFields from={from} to={to} onChange={(days) => show({ status: known, ...days })} />
      </Group>
      <ListCard
        list={list}
        lines={5}
        empty={
          <EmptyState icon="coins" title={t('admin.payments.no-holds')}>
            {Object.keys(query).length === 0
              ? t('admin.payments.an-app-makes-one-when-it')
              : t('admin.payments.none-fits-the-filter')}
          </EmptyState>
        }
      >
        <HoldTable holds={list.rows} />
      </ListCard>
    </>
  )
}

type Hold = AnswerOf<typeof adminListHolds>['data'][number]

const hold_columns = {
  app: ({ app_name }: Hold) => app_name,
  person: ({ username }: Hold) => username,
  points: ({ amount }: Hold) => amount,
  made: ({ inserted_at }: Hold) => inserted_at,
  expires: ({ expires_at }: Hold) => expires_at,
}

function HoldTable({ holds }: { holds: readonly Hold[] }) {
  const { rows, headingOf } = useSorting(holds, hold_columns)
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('common.holds')}>
      <Table miw={640}>
        <Table.Thead>
          <Table.Tr>
            <SortHeading {...headingOf('app')}>{t('common.app')}</SortHeading>
            <SortHeading {...headingOf('person')}>{t('common.person')}</SortHeading>
            <Table.Th>{t('common.reference')}</Table.Th>
            <SortHeading {...headingOf('points')} ta="right">
              {t('common.points')}
            </SortHeading>
            <Table.Th>{t('common.status')}</Table.Th>
            <SortHeading {...headingOf('made')}>{t('common.made')}</SortHeading>
            <SortHeading {...headingOf('expires')}>{t('common.expires')}</SortHeading>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((hold) => (
            <Table.Tr key={hold.id}>
              <Table.Td className="user-content">{hold.app_name ?? t('admin.payments.gone')}</Table.Td>
              <Table.Td>
                <Link to="/admin/users/$id" params={{ id: hold.user_id }}>
                  {hold.username ?? t('admin.payments.gone')}
                </Link>
              </Table.Td>
              <Table.Td className="user-content">{hold.reference ?? ''}</Table.Td>
              <Table.Td ta="right" className="number">
                {formatNumber(hold.amount)}
              </Table.Td>
              <Table.Td>
                <StatusBadge status={hold.release_reason ?? hold.status} />
              </Table.Td>
              <Table.Td className={classes.nowrap}>
                <RelativeTime at={hold.inserted_at} />
              </Table.Td>
              <Table.Td className={classes.nowrap}>
                <RelativeTime at={hold.expires_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function FailingWebhooks() {
  const list = usePagedQuery(adminListWebhooks, {})
  return (
    <ListCard
      list={list}
      lines={4}
      empty={
        <EmptyState icon="check" title={t('admin.payments.no-webhook-fails')}>
          {t('admin.payments.one-that-fails-for-five-days')}
        </EmptyState>
      }
    >
      <div className="scroll-x" tabIndex={0} role="region" aria-label={t('admin.payments.failing-webhooks')}>
        <Table miw={640}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('common.address')}</Table.Th>
              <Table.Th>{t('common.app')}</Table.Th>
              <Table.Th>{t('common.owner')}</Table.Th>
              <Table.Th>{t('admin.payments.failing-since')}</Table.Th>
              <Table.Th>{t('admin.payments.switched-off')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.rows.map(({ id, url, app_name, owner_id, owner_username, failing_since, disabled_at }) => (
              <Table.Tr key={id}>
                <Table.Td className="user-content">{url}</Table.Td>
                <Table.Td className="user-content">{app_name}</Table.Td>
                <Table.Td>
                  <Link to="/admin/users/$id" params={{ id: owner_id }}>
                    {owner_username}
                  </Link>
                </Table.Td>
                <Table.Td className={classes.nowrap}>
                  <RelativeTime at={failing_since} />
                </Table.Td>
                <Table.Td className={classes.nowrap}>
                  <RelativeTime at={disabled_at} never={t('admin.payments.not-yet')} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </ListCard>
  )
}
