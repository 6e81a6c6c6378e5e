import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { getDelivery, listDeliveries, redeliver } from '../../../../contract/webhooks.ts'
import type { AnswerOf } from '../../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../../api/hooks.ts'
import { DescriptionList } from '../../../ui/description-list.tsx'
import { Drawer } from '../../../ui/dialog.tsx'
import { FailureNote } from '../../../ui/failure-note.tsx'
import { formatNumber, RelativeTime } from '../../../ui/format.tsx'
import { notify } from '../../../ui/notify.tsx'
import { QueryResult, Section } from '../../../ui/page-parts.tsx'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import { Copyable } from '../copyable.tsx'
import { status_colours } from './webhook.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

interface DeliveryDrawerProps {
  app: MyApp
  webhook_id: string
  delivery_id: string | undefined
  onClose: () => void
}

/** One delivery: its request and every response. */
export default function DeliveryDrawer({ app, webhook_id, delivery_id, onClose }: DeliveryDrawerProps) {
  // The content stays while the drawer closes.
  const [shown, setShown] = useState(delivery_id)
  if (delivery_id !== undefined && delivery_id !== shown) setShown(delivery_id)
  return (
    <Drawer
      opened={delivery_id !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title={t('build.delivery-drawer.delivery')}
    >
      {shown !== undefined && <Detail app={app} webhook_id={webhook_id} delivery_id={shown} />}
    </Drawer>
  )
}

function Detail({ app, webhook_id, delivery_id }: { app: MyApp; webhook_id: string; delivery_id: string }) {
  const params = { id: app.id, webhook_id, delivery_id }
  const query = useApiQuery(getDelivery, { params })
  const again = useApiMutation(redeliver, {
    invalidates: [getDelivery, listDeliveries],
    onDone: () => notify(t('build.delivery-drawer.it-is-sent-again')),
  })
  return (
    <QueryResult query={query} rows={6}>
      {({ delivery }) => (
        <Stack>
          <DescriptionList
            items={[
              [t('common.event'), delivery.type],
              [
                t('common.status'),
                <Badge key="status" color={status_colours[delivery.status]} variant="light">
                  {delivery.status}
                </Badge>,
              ],
              [t('build.delivery-drawer.happened'), <RelativeTime key="when" at={delivery.timestamp} />],
              [
                t('common.to'),
                <span key="to" className="user-content">
                  {delivery.request.url}
                </span>,
              ],
              [
                'webhook-id',
                <Copyable key="id" value={delivery.event_id} what={t('build.delivery-drawer.the-id-of-the-event')} />,
              ],
            ]}
          />
          <FailureNote error={again.error} />
          {may(app, redeliver) && (
            <Group>
              <Button
                size="xs"
                onClick={() => again.mutate({ params })}
                loading={again.isPending}
                disabled={delivery.status === 'pending'}
              >
                {t('common.send-again')}
              </Button>
              {delivery.status === 'pending' && (
                <Text size="sm" c="dimmed" flex={1}>
                  {t('build.delivery-drawer.plaza-still-sends-it')}
                </Text>
              )}
            </Group>
          )}
          <Section title={t('build.delivery-drawer.request')} p="md">
            <Body text={pretty(delivery.request.body)} label={t('build.delivery-drawer.body-of-the-request')} />
          </Section>
          <Attempts attempts={delivery.attempt_log} />
        </Stack>
      )}
    </QueryResult>
  )
}

const pretty = (body: string) => JSON.stringify(JSON.parse(body), null, 2)

const Body = ({ text, label }: { text: string; label: string }) => (
  <Code block tabIndex={0} role="region" aria-label={label} mah={320} style={{ overflow: 'auto' }}>
    {text}
  </Code>
)

type Attempt = AnswerOf<typeof getDelivery>['delivery']['attempt_log'][number]

const Attempts = ({ attempts }: { attempts: readonly Attempt[] }) => (
  <Section title={t('common.attempts')} p="md">
    {attempts.length === 0 ? (
      <Text size="sm" c="dimmed">
        {t('build.delivery-drawer.none-yet')}
      </Text>
    ) : (
      <Stack gap="md">
        {attempts.map(({ number, started_at, duration_ms, status_code, error, answer }) => (
          <div key={number}>
            <Group gap="xs" mb={4}>
              <Text size="sm" fw={600}>
                {status_code === null
                  ? (error ?? t('common.no-answer'))
                  : t('build.delivery-drawer.answered', { status_code })}
              </Text>
              <Text size="sm" c="dimmed">
                <RichText
                  k="build.delivery-drawer.in-ms"
                  time={<RelativeTime at={started_at} />}
                  duration_ms={formatNumber(duration_ms)}
                />
              </Text>
            </Group>
            {answer !== null && answer !== '' && (
              <Body text={answer} label={t('build.delivery-drawer.answer-to-attempt', { number })} />
            )}
          </div>
        ))}
      </Stack>
    )}
  </Section>
)
