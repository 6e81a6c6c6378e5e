import { Badge, Button, Group, SegmentedControl, Table, Text, UnstyledButton } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { delivery_statuses } from '../../../../contract/webhook-fields.ts'
import { listDeliveries, redeliverFailed } from '../../../../contract/webhooks.ts'
import type { AnswerOf } from '../../../api/call.ts'
import { useApiMutation, usePagedQuery } from '../../../api/hooks.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import { DayFields } from '../../../ui/day-fields.tsx'
import { spanOf } from '../../../ui/day-range.ts'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { lazyComponent, OnDemand } from '../../../ui/lazy-component.tsx'
import { notify } from '../../../ui/notify.tsx'
import { PagedListStates } from '../../../ui/paged-list.tsx'
import { SortHeading, useSorting } from '../../../ui/sorting.tsx'
import classes from '../../../ui/table.module.css'
import type { MyApp } from '../access.ts'
import { status_colours, type Webhook } from './webhook.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

const DeliveryDrawer = lazyComponent(() => import('./delivery-drawer.tsx'))

type Delivery = AnswerOf<typeof listDeliveries>['data'][number]

/** The deliveries of a webhook, newest first: each opens with its request and answers. The filter and the open one are in the address. */
export function Deliveries({ app, webhook }: { app: MyApp; webhook: Webhook }) {
  const { status, from, to, delivery } = useSearch({ from: '/apps/$id' })
  const router = useRouter()
  const filter = { status, from, to }
  const show = (search: typeof filter & { delivery?: string }) =>
    void router.navigate({
      to: '/apps/$id',
      params: { id: app.id },
      search: { tab: 'webhooks', webhook: webhook.id, ...search },
      replace: true,
      resetScroll: false,
      ignoreBlocker: true,
    })
  const params = { id: app.id, webhook_id: webhook.id }
  const known = delivery_statuses.find((one) => one === status)
  const query = { ...(known && { status: known }), ...spanOf(filter) }
  const list = usePagedQuery(listDeliveries, { params, query })
  return (
    <>
      <Group justify="space-between" my="sm" gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('common.status')}
          value={known ?? 'all'}
          onChange={(value) => show({ ...filter, status: value === 'all' ? undefined : value })}
          data={[
            { value: 'all', label: t('common.all') },
            ...delivery_statuses.map((value) => ({ value, label: value })),
          ]}
        />
        <DayFields from={from} to={to} onChange={(days) => show({ ...filter, ...days })} />
        <Group gap={6}>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => void list.refetch()}
            loading={list.isRefetching && !list.isFetchingNextPage}
          >
            {t('common.refresh')}
          </Button>
          <RedeliverFailed app={app} webhook={webhook} />
        </Group>
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
        <DeliveryTable url={webhook.url} deliveries={list.rows} onOpen={(id) => show({ ...filter, delivery: id })} />
      </PagedListStates>
      <OnDemand>
        <DeliveryDrawer app={app} webhook_id={webhook.id} delivery_id={delivery} onClose={() => show(filter)} />
      </OnDemand>
    </>
  )
}

interface DeliveryTableProps {
  url: string
  deliveries: readonly Delivery[]
  onOpen: (id: string) => void
}

const columns = {
  event: ({ type }: Delivery) => type,
  status: ({ status }: Delivery) => status,
  attempts: ({ attempts }: Delivery) => attempts,
  when: ({ timestamp }: Delivery) => timestamp,
}

function DeliveryTable({ url, deliveries, onOpen }: DeliveryTableProps) {
  const { rows, headingOf } = useSorting(deliveries, columns)
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('build.deliveries.log-of', { url })}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <SortHeading {...headingOf('event')}>{t('common.event')}</SortHeading>
            <SortHeading {...headingOf('status')}>{t('common.status')}</SortHeading>
            <Table.Th visibleFrom="sm">{t('build.deliveries.last-answer')}</Table.Th>
            <SortHeading {...headingOf('attempts')} ta="right" visibleFrom="sm">
              {t('common.attempts')}
            </SortHeading>
            <SortHeading {...headingOf('when')}>{t('common.when')}</SortHeading>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, type, status, attempts, last_attempt, next_attempt_at, timestamp }) => (
            <Table.Tr key={id} className={classes.clickable} onClick={() => onOpen(id)}>
              <Table.Td>
                <UnstyledButton className={classes.name} onClick={() => onOpen(id)} aria-haspopup="dialog">
                  {type}
                </UnstyledButton>
              </Table.Td>
              <Table.Td>
                <Badge color={status_colours[status]} variant="light">
                  {status}
                </Badge>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                {last_attempt?.status_code ?? last_attempt?.error ?? ''}
                {status === 'pending' && attempts > 0 && (
                  <Text size="xs" c="dimmed">
                    <RichText k="build.deliveries.again" time={<RelativeTime at={next_attempt_at} />} />
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right" className="number" visibleFrom="sm">
                {formatNumber(attempts)}
              </Table.Td>
              <Table.Td className={classes.nowrap}>
                <RelativeTime at={timestamp} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

const month_ms = 30 * 86_400_000

/** Everything that failed for good and is still kept. */
function RedeliverFailed({ app, webhook }: { app: MyApp; webhook: Webhook }) {
  const [asking, setAsking] = useState(false)
  const redeliver = useApiMutation(redeliverFailed, {
    invalidates: [listDeliveries],
    onDone: ({ redelivered, has_more }) => {
      setAsking(false)
      notify(
        has_more
          ? t('build.deliveries.are-sent-again-there-are-more', { redelivered: formatNumber(redelivered) })
          : t('build.deliveries.are-sent-again', { redelivered: formatNumber(redelivered) }),
      )
    },
  })
  const params = { id: app.id, webhook_id: webhook.id }
  const since = () => new Date(Date.now() - month_ms).toISOString()
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
        {t('build.deliveries.send-failed-ones-again')}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('build.deliveries.send-everything-that-failed-again')}
        action={t('common.send-again')}
        onConfirm={() => redeliver.mutate({ params, body: { since: since() } })}
        busy={redeliver.isPending}
        error={redeliver.error}
      >
        <Text size="sm">{t('build.deliveries.each-delivery-of-the-last-30')}</Text>
      </Confirm>
    </>
  )
}
