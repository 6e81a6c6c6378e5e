import { Badge, Group, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { delivery_statuses } from '../../../../contract/webhook-fields.ts'
import { listDeliveries, redeliverFailed } from '../../../../contract/webhooks.ts'
import { usePagedQuery } from '../../../api/hooks.ts'
import { ConfirmButton } from '../../../ui/confirm-call.tsx'
import { DataTable, numberColumn, timeColumn, type Column } from '../../../ui/data-table.tsx'
import { DayFields } from '../../../ui/day-fields.tsx'
import { spanOf } from '../../../ui/day-range.ts'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { lazyComponent, OnDemand } from '../../../ui/lazy-component.tsx'
import { StateFilter, wordsOf } from '../../../ui/filter.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { PagedListStates } from '../../../ui/paged-list.tsx'
import classes from '../../../ui/table.module.css'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import { answerText, status_colours, type Delivery, type Webhook } from './webhook.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

const DeliveryDrawer = lazyComponent(() => import('./delivery-drawer.tsx'))

/**
 * The deliveries of a webhook, newest first; each opens with its request and responses. The filter and the open one are
 * in the URL.
 */
export function Deliveries({ app, webhook }: { app: MyApp; webhook: Webhook }) {
  const [{ status, from, to, delivery }, change] = useUrlState('/apps/$id')
  const params = { id: app.id, webhook_id: webhook.id }
  const known = delivery_statuses.find((one) => one === status)
  const query = { ...(known && { status: known }), ...spanOf({ from, to }) }
  const list = usePagedQuery(listDeliveries, { params, query })
  return (
    <>
      <Group justify="space-between" align="flex-end" my="sm" gap="sm">
        <StateFilter
          value={known}
          onChange={(value) => change({ status: value })}
          states={wordsOf(delivery_statuses)}
        />
        <DayFields from={from} to={to} onChange={({ from: first, to: last }) => change({ from: first, to: last })} />
        {may(app, redeliverFailed) && <RedeliverFailed app={app} webhook={webhook} />}
      </Group>
      <PagedListStates
        list={list}
        lines={4}
        empty={
          <Text size="sm" c="dimmed">
            {Object.keys(query).length === 0
              ? t('build.deliveries.nothing-was-sent-in-the-last')
              : t('build.deliveries.none')}
          </Text>
        }
      >
        <DataTable
          label={t('build.deliveries.log-of', { url: webhook.url })}
          rows={list.rows}
          columns={columns()}
          onOpen={({ id }) => change({ webhook: webhook.id, delivery: id })}
          highlightOnHover
        />
      </PagedListStates>
      <OnDemand>
        <DeliveryDrawer
          app={app}
          webhook_id={webhook.id}
          delivery_id={delivery}
          onClose={() => change({ delivery: undefined })}
        />
      </OnDemand>
    </>
  )
}

const columns = (): Column<Delivery>[] => [
  {
    head: t('common.event'),
    sortBy: ({ type }) => type,
    cell: ({ type }) => (
      <UnstyledButton className={classes.name} aria-haspopup="dialog">
        {type}
      </UnstyledButton>
    ),
  },
  {
    head: t('common.status'),
    sortBy: ({ status }) => status,
    cell: ({ status }) => (
      <Badge color={status_colours[status]} variant="light">
        {status}
      </Badge>
    ),
  },
  {
    head: t('build.deliveries.last-answer'),
    on_phone: 'line',
    cell: (delivery) => <LastAnswer delivery={delivery} />,
  },
  numberColumn(t('common.attempts'), ({ attempts }) => attempts, { sortable: true, visibleFrom: 'sm' }),
  timeColumn(t('common.when'), ({ timestamp }) => timestamp, { sortable: true }),
]

const LastAnswer = ({ delivery }: { delivery: Delivery }) => (
  <>
    <Text size="sm" className="user-content" lineClamp={2}>
      {answerText(delivery)}
    </Text>
    {delivery.status === 'pending' && delivery.attempts > 0 && (
      <Text size="xs" c="dimmed">
        <RichText k="build.deliveries.again" time={<RelativeTime at={delivery.next_attempt_at} />} />
      </Text>
    )}
  </>
)

const month_ms = 30 * 86_400_000

/** Resends all stored deliveries that have failed permanently. */
function RedeliverFailed({ app, webhook }: { app: MyApp; webhook: Webhook }) {
  const [since] = useState(() => new Date(Date.now() - month_ms).toISOString())
  return (
    <ConfirmButton
      label={t('build.deliveries.send-failed-ones-again')}
      endpoint={redeliverFailed}
      input={{ params: { id: app.id, webhook_id: webhook.id }, body: { since } }}
      invalidates={[listDeliveries]}
      done={({ redelivered, has_more }) =>
        has_more
          ? t('build.deliveries.are-sent-again-there-are-more', { redelivered: formatNumber(redelivered) })
          : t('build.deliveries.are-sent-again', { redelivered: formatNumber(redelivered) })
      }
      title={t('build.deliveries.send-everything-that-failed-again')}
      action={t('common.send-again')}
    >
      <Text size="sm">{t('build.deliveries.each-delivery-of-the-last-30')}</Text>
    </ConfirmButton>
  )
}
