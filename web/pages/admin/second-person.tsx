import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { countPending } from '../../../contract/admin.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { adminListReviews, approveReview, rejectReview } from '../../../contract/admin-reviews.ts'
import { review_statuses } from '../../../contract/review-fields.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { mayNow } from '../../session/rights.tsx'
import { useSession } from '../../session/session.ts'
import type { Column } from '../../ui/data-table.tsx'
import { formatNumber, formatPoints, RelativeTime } from '../../ui/format.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { AppLink } from './app-link.tsx'
import { ApproveDialog, ReasonDialog } from './decision-dialogs.tsx'
import { TableCard } from './list-card.tsx'
import { PersonLink } from './person-link.tsx'
import { knownValue } from './search.ts'
import { StateFilter } from '../../ui/filter.tsx'
import { StatusBadge } from './status-badge.tsx'
import { t } from '../../texts.ts'

type Review = AnswerOf<typeof adminListReviews>['data'][number]
interface Chosen {
  review: Review
  action: 'approve' | 'reject'
}

const polling_ms = 10_000
const invalidates = [adminListReviews, countPending, listAudit]

/** Awards and payout limits that wait for a second person (D-136). */
export default function SecondPerson() {
  const [search, change] = useUrlState('/admin/second-person')
  const status = knownValue(review_statuses, search.status)
  const list = usePagedQuery(adminListReviews, { query: status ? { status } : {} }, { refetchInterval: polling_ms })
  const [chosen, setChosen] = useState<Chosen>()
  return (
    <>
      <PageHead title={t('admin.second-person.title')} about={t('admin.second-person.about')} />
      <Stack>
        <StateFilter
          value={status}
          onChange={(word) => change({ status: word })}
          states={{
            open: t('common.open'),
            approved: t('common.approved'),
            rejected: t('common.rejected'),
            void: t('admin.second-person.void'),
          }}
        />
        <TableCard
          list={list}
          label={t('admin.second-person.title')}
          columns={columnsOf((review, action) => setChosen({ review, action }))}
          empty={<EmptyState icon="check" title={t('common.nothing-here')} />}
        />
      </Stack>
      {chosen && <Dialog {...chosen} onClose={() => setChosen(undefined)} />}
    </>
  )
}

const columnsOf = (onChoose: (review: Review, action: Chosen['action']) => void): Column<Review>[] => [
  { head: t('common.what'), cell: (review) => <Act review={review} /> },
  {
    head: t('common.points'),
    ta: 'right',
    className: 'number',
    cell: ({ amount }) => (amount === null ? '—' : formatNumber(amount)),
  },
  {
    head: t('admin.second-person.asked-by'),
    cell: ({ asked_by, asked_by_username }) => <PersonLink id={asked_by} name={asked_by_username} />,
  },
  { head: t('common.status'), cell: ({ status }) => <StatusBadge status={status} /> },
  {
    head: t('admin.second-person.decision'),
    cell: ({ status, expires_at, decided_at, decided_by, decided_by_username }) => {
      if (decided_at === null) {
        const time = <RelativeTime at={expires_at} />
        return status === 'open' ? <RichText k="admin.second-person.due" time={time} /> : time
      }
      return (
        <>
          <PersonLink id={decided_by} name={decided_by_username} /> <RelativeTime at={decided_at} />
        </>
      )
    },
  },
  {
    head: t('common.actions'),
    head_hidden: true,
    ta: 'right',
    cell: (review) => <Actions review={review} onChoose={onChoose} />,
  },
]

const Act = ({ review }: { review: Review }) => {
  const { kind, user_id, username, app_id, app_name, description, reason } = review
  const words = {
    [t('common.description')]: description,
    [t('common.reason')]: reason,
    [t('admin.second-person.decision')]: review.decision_reason,
  }
  return (
    <>
      {kind === 'award' ? t('admin.second-person.award') : t('admin.second-person.payout-limit')}{' '}
      {kind === 'award' ? (
        <PersonLink id={user_id} name={username} />
      ) : (
        app_id && <AppLink id={app_id} name={app_name} />
      )}
      {Object.entries(words).map(
        ([label, text]) =>
          text && (
            <Text key={label} size="xs" c="dimmed">
              {label}: <span className="user-content">{text}</span>
            </Text>
          ),
      )}
    </>
  )
}

function Actions({
  review,
  onChoose,
}: {
  review: Review
  onChoose: (review: Review, action: Chosen['action']) => void
}) {
  const is_own = useSession().session?.user.id === review.asked_by
  if (review.status !== 'open' || !mayNow(approveReview)) return null
  if (is_own) return <Text size="xs">{t('admin.second-person.another-person-decides')}</Text>
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button size="compact-xs" onClick={() => onChoose(review, 'approve')}>
        {t('admin.second-person.approve')}
      </Button>
      <Button size="compact-xs" variant="default" c="red" onClick={() => onChoose(review, 'reject')}>
        {t('common.reject')}
      </Button>
    </Group>
  )
}

function Dialog({ review, action, onClose }: Chosen & { onClose: () => void }) {
  const { id, kind, amount } = review
  const shared = { invalidates, onClose }
  const subject = (
    <Box mb="sm">
      <Act review={review} />
      {amount === null ? t('admin.app.limit-of-the-installation') : formatPoints(amount)}
    </Box>
  )
  if (action === 'reject')
    return (
      <ReasonDialog
        {...shared}
        endpoint={rejectReview}
        id={id}
        title={t('admin.second-person.reject-it')}
        action={t('common.reject')}
        done={t('admin.second-person.rejected')}
        danger
      >
        {subject}
        {t('admin.second-person.nothing-is-done')}
      </ReasonDialog>
    )
  return (
    <ApproveDialog
      {...shared}
      approve={() => callApi(approveReview, { params: { id } })}
      title={t('admin.second-person.approve-it')}
      action={t('admin.second-person.approve')}
      done={t('admin.second-person.approved')}
    >
      {subject}
      {kind === 'award' ? t('admin.second-person.points-are-awarded') : t('admin.second-person.the-limit-is-set')}
    </ApproveDialog>
  )
}
