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
import { Copyable } from '../copyable.tsx'
import { status_colours } from './webhook.ts'

interface DeliveryDrawerProps {
  app: MyApp
  webhook_id: string
  delivery_id: string | undefined
  onClose: () => void
}

/** One delivery: what was sent, and every answer. */
export default function DeliveryDrawer({ app, webhook_id, delivery_id, onClose }: DeliveryDrawerProps) {
  // The content stays while the drawer closes.
  const [shown, setShown] = useState(delivery_id)
  if (delivery_id !== undefined && delivery_id !== shown) setShown(delivery_id)
  return (
    <Drawer opened={delivery_id !== undefined} onClose={onClose} position="right" size="lg" title="Delivery">
      {shown !== undefined && <Detail app={app} webhook_id={webhook_id} delivery_id={shown} />}
    </Drawer>
  )
}

function Detail({ app, webhook_id, delivery_id }: { app: MyApp; webhook_id: string; delivery_id: string }) {
  const params = { id: app.id, webhook_id, delivery_id }
  const query = useApiQuery(getDelivery, { params })
  const again = useApiMutation(redeliver, {
    invalidates: [getDelivery, listDeliveries],
    onDone: () => notify('It is sent again.'),
  })
  return (
    <QueryResult query={query} rows={6}>
      {({ delivery }) => (
        <Stack>
          <DescriptionList
            items={[
              ['Event', delivery.type],
              [
                'Status',
                <Badge key="status" color={status_colours[delivery.status]} variant="light">
                  {delivery.status}
                </Badge>,
              ],
              ['Happened', <RelativeTime key="when" at={delivery.timestamp} />],
              [
                'To',
                <span key="to" className="user-content">
                  {delivery.request.url}
                </span>,
              ],
              ['webhook-id', <Copyable key="id" value={delivery.event_id} what="the id of the event" />],
            ]}
          />
          <FailureNote error={again.error} />
          <Group>
            <Button
              size="xs"
              onClick={() => again.mutate({ params })}
              loading={again.isPending}
              disabled={delivery.status === 'pending'}
            >
              Send again
            </Button>
            <Button size="xs" variant="default" onClick={() => void query.refetch()} loading={query.isRefetching}>
              Refresh
            </Button>
          </Group>
          <Section title="Request" p="md">
            <Body text={pretty(delivery.request.body)} label="Body of the request" />
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
  <Section title="Attempts" p="md">
    {attempts.length === 0 ? (
      <Text size="sm" c="dimmed">
        None yet.
      </Text>
    ) : (
      <Stack gap="md">
        {attempts.map(({ number, started_at, duration_ms, status_code, error, answer }) => (
          <div key={number}>
            <Group gap="xs" mb={4}>
              <Text size="sm" fw={600}>
                {status_code === null ? (error ?? 'no answer') : `Answered ${status_code}`}
              </Text>
              <Text size="sm" c="dimmed">
                <RelativeTime at={started_at} />, in {formatNumber(duration_ms)} ms
              </Text>
            </Group>
            {answer !== null && answer !== '' && <Body text={answer} label={`Answer to attempt ${number}`} />}
          </div>
        ))}
      </Stack>
    )}
  </Section>
)
