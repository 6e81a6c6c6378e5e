import { Badge, Box, Button, Group, Text } from '@mantine/core'
import {
  cancelPointRequest,
  declinePointRequest,
  listPointRequests,
  payPointRequest,
} from '../../../contract/sending.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, usePagedQuery } from '../../api/hooks.ts'
import { t, type PlainTextKey } from '../../texts.ts'
import { ConfirmButton } from '../../ui/confirm-call.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatPoints, RelativeTime } from '../../ui/format.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { PagedListStates } from '../../ui/paged-list.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { points_reads } from '../people/points-reads.ts'

type Request = AnswerOf<typeof listPointRequests>['data'][number]

/** Requests for points, to and by the person. Renders nothing if there are none. */
export function PointRequests() {
  const list = usePagedQuery(listPointRequests, { query: { limit: 10 } })
  if (list.data && list.rows.length === 0) return null
  return (
    <Section title={t('account.point-requests.requests-for-points')}>
      <PagedListStates list={list} lines={3} empty={null}>
        <div role="list" aria-label={t('account.point-requests.requests-for-points')}>
          {list.rows.map((request) => (
            <RequestRow key={request.id} request={request} />
          ))}
        </div>
      </PagedListStates>
    </Section>
  )
}

const status_labels: Record<Exclude<Request['status'], 'open'>, PlainTextKey> = {
  paid: 'account.point-requests.paid',
  declined: 'account.point-requests.declined',
  cancelled: 'account.point-requests.cancelled',
  expired: 'account.point-requests.expired',
}

function RequestRow({ request }: { request: Request }) {
  const { direction, status, amount, description, other_username, inserted_at } = request
  const name = other_username ?? t('common.somebody-who-left')
  const values = { points: formatPoints(amount), name: <bdi>{name}</bdi> }
  return (
    <Group role="listitem" justify="space-between" gap="sm" py="xs">
      <Box miw={0} flex="1 1 240px">
        <Text size="sm" fw={550}>
          <RichText
            k={direction === 'in' ? 'account.point-requests.asks-you' : 'account.point-requests.you-asked'}
            {...values}
          />
        </Text>
        {description && (
          <Text size="sm" c="dimmed" className="user-content">
            {description}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          <RelativeTime at={inserted_at} />
        </Text>
      </Box>
      {status === 'open' ? (
        <Actions request={request} name={name} />
      ) : (
        <Badge variant="light" color={status === 'paid' ? 'plaza' : 'gray'}>
          {t(status_labels[status])}
        </Badge>
      )}
    </Group>
  )
}

function Actions({ request: { id, direction, amount }, name }: { request: Request; name: string }) {
  const input = { params: { id } }
  const close = useApiMutation(direction === 'in' ? declinePointRequest : cancelPointRequest, {
    invalidates: [listPointRequests],
  })
  const values = { points: formatPoints(amount), name }
  return (
    <Group gap="xs">
      {direction === 'in' && (
        <ConfirmButton
          endpoint={payPointRequest}
          input={input}
          invalidates={points_reads}
          label={t('account.point-requests.pay')}
          button={{ variant: 'filled', 'aria-label': t('account.point-requests.pay-2', values) }}
          title={t('account.point-requests.pay-2', values)}
          action={t('account.point-requests.pay')}
          color="plaza"
          done={() => t('people.send-form.sent', values)}
        >
          {t('account.point-requests.they-get-the-points-at-once')}
        </ConfirmButton>
      )}
      <Button size="compact-sm" variant="default" loading={close.isPending} onClick={() => close.mutate(input)}>
        {direction === 'in' ? t('account.point-requests.decline') : t('account.point-requests.take-back')}
      </Button>
      {close.error && <FailureNote error={close.error} />}
    </Group>
  )
}
