import { Badge, Code, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { getTransferOfMyApp, refundOfMyApp } from '../../../../contract/app-payments.ts'
import { transfers } from '../../../../contract/kinds/transfers.ts'
import { useApiQuery } from '../../../api/hooks.ts'
import { DescriptionList, type Items } from '../../../ui/description-list.tsx'
import { Drawer } from '../../../ui/dialog.tsx'
import { formatNumber, formatPoints, RelativeTime } from '../../../ui/format.tsx'
import { QueryResult, Section } from '../../../ui/page-parts.tsx'
import classes from '../../../ui/table.module.css'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import { Copyable } from '../copyable.tsx'
import { status_colours } from '../webhooks/webhook.ts'
import { kindName, signedPoints, type PaymentDetail } from './payments.ts'
import { RefundForm } from './refund-form.tsx'
import { t } from '../../../texts.ts'

interface PaymentDrawerProps {
  app: MyApp
  payment_id: string | undefined
  onClose: () => void
}

/** One payment with its hold, refunds and deliveries, and the refund form. */
export default function PaymentDrawer({ app, payment_id, onClose }: PaymentDrawerProps) {
  // The content stays while the drawer closes.
  const [shown, setShown] = useState(payment_id)
  if (payment_id !== undefined && payment_id !== shown) setShown(payment_id)
  return (
    <Drawer opened={payment_id !== undefined} onClose={onClose} position="right" size="lg" title={t('common.payment')}>
      {shown !== undefined && <Detail key={shown} app={app} payment_id={shown} />}
    </Drawer>
  )
}

function Detail({ app, payment_id }: { app: MyApp; payment_id: string }) {
  const query = useApiQuery(getTransferOfMyApp, { params: { id: app.id, transfer_id: payment_id } })
  return (
    <QueryResult query={query} rows={6}>
      {(payment) => (
        <Stack>
          <Facts payment={payment} />
          {payment.transfer.kind === 'spend' && <Refunds app={app} payment={payment} />}
          {/* Transfers between people and withdrawals cause no event. */}
          {transfers[payment.transfer.kind].event !== null && <Deliveries payment={payment} />}
        </Stack>
      )}
    </QueryResult>
  )
}

function Facts({ payment: { transfer, hold } }: { payment: PaymentDetail }) {
  const { id, reference, description, metadata, inserted_at, points_after } = transfer
  const content = (text: string) => <span className="user-content">{text}</span>
  return (
    <DescriptionList
      items={[
        [t('common.what'), kindName(transfer)],
        [t('common.points'), signedPoints(transfer)],
        ...peopleOf(transfer),
        [t('common.when'), <RelativeTime key="when" at={inserted_at} />],
        reference !== null && [t('common.reference'), content(reference)],
        description !== null && [t('common.description'), content(description)],
        hold !== null && [
          t('build.payment-drawer.hold'),
          t('build.payment-drawer.were-held-captured', {
            amount: formatPoints(hold.amount),
            formatPoints: formatPoints(hold.captured_amount ?? 0),
          }),
        ],
        ...Object.entries(metadata ?? {}).map(
          ([name, value]) =>
            [
              name,
              <Code key={name} className="user-content">
                {value}
              </Code>,
            ] as const,
        ),
        points_after !== null && [t('common.balance-after'), formatNumber(points_after)],
        ['Id', <Copyable key="id" value={id} what={t('build.payment-drawer.the-id-of-the-payment')} />],
      ]}
    />
  )
}

function peopleOf({ kind, direction, username, to_username }: PaymentDetail['transfer']): Items {
  const name = (known: string | null) => <bdi key="person">{known ?? t('common.somebody-who-is-gone')}</bdi>
  switch (direction) {
    case 'in':
      return [[t('build.payment-drawer.paid-by'), name(username)]]
    case 'out':
      return [
        [t(kind === 'refund' ? 'build.payment-drawer.returned-to' : 'build.payment-drawer.paid-to'), name(username)],
      ]
    case 'between':
      return [
        [t('common.sent-by'), name(username)],
        [t('build.payment-drawer.received-by'), name(to_username)],
      ]
  }
}

const Refunds = ({ app, payment }: { app: MyApp; payment: PaymentDetail }) => (
  <Section title={t('common.refunds')} p="md">
    <Stack gap="sm">
      {payment.refunds.length > 0 && (
        <table className={classes.table} aria-label={t('common.refunds')}>
          <tbody>
            {payment.refunds.map(({ id, amount, description, inserted_at }) => (
              <tr key={id}>
                <td className="number">{formatPoints(amount)}</td>
                <td className="user-content">{description ?? ''}</td>
                <td className={classes.right}>
                  <RelativeTime at={inserted_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {payment.refundable_amount === 0 ? (
        <Text size="sm" c="dimmed">
          {t('build.payment-drawer.all-of-it-is-returned')}
        </Text>
      ) : (
        may(app, refundOfMyApp) && <RefundForm key={payment.refundable_amount} app={app} payment={payment} />
      )}
    </Stack>
  </Section>
)

const Deliveries = ({ payment: { deliveries } }: { payment: PaymentDetail }) => (
  <Section title={t('common.webhooks')} p="md">
    {deliveries.length === 0 ? (
      <Text size="sm" c="dimmed">
        {t('build.payment-drawer.nothing-was-sent-the-app-had')}
      </Text>
    ) : (
      <table className={classes.table} aria-label={t('common.deliveries')}>
        <tbody>
          {deliveries.map(({ id, type, url, status, status_code }) => (
            <tr key={id}>
              <td>
                <Text size="sm">{type}</Text>
                <Text size="xs" c="dimmed" className="user-content">
                  {url}
                </Text>
              </td>
              <td className={classes.right}>
                <Badge color={status_colours[status]} variant="light">
                  {status}
                  {status_code !== null && ` ${status_code}`}
                </Badge>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Section>
)
