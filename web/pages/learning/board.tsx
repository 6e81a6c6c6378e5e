import { Group, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { getBoard, getStreak, setListing, type boards } from '../../../contract/boards.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { DataTable, numberColumn, type Column } from '../../ui/data-table.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { QueryResult, Section } from '../../ui/page-parts.tsx'
import { Link } from '../../ui/link.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import { t } from '../../texts.ts'

type Place = AnswerOf<typeof getBoard>['places'][number]

/** The streak of days, and what to do today. */
export function Streak() {
  const { data } = useApiQuery(getStreak, {})
  if (!data || data.longest === 0) return null
  const { current, longest, completed_today, time_zone } = data
  return (
    <Text size="sm" c="dimmed">
      {t('learning.board.streak', { current, longest })}
      {!completed_today && ` ${t('learning.board.complete-a-step-today', { has_streak: current > 0 })}`}
      {!isBrowserZone(time_zone) && (
        <>
          {' '}
          <RichText
            k="learning.board.days-begin"
            time_zone={time_zone}
            link={(part) => <Link to="/account/details">{part}</Link>}
          />
        </>
      )}
    </Text>
  )
}

/** True for the time zone of the browser, by any of its names: Asia/Calcutta is Asia/Kolkata. */
function isBrowserZone(time_zone: string) {
  const [saved, own] = [Intl.DateTimeFormat('en', { timeZone: time_zone }), Intl.DateTimeFormat('en')]
  return saved.resolvedOptions().timeZone === own.resolvedOptions().timeZone
}

/** The board of a learning path, with friends or with everyone who agreed to be listed. */
export default function Board({ path }: { path: string }) {
  const [of, setOf] = useState<(typeof boards)[number]>('friends')
  const query = useApiQuery(getBoard, { params: { path }, query: { of } })
  const listing = useApiMutation(setListing, { invalidates: [getBoard] })
  return (
    <Section
      title={t('learning.board.board')}
      about={t('learning.board.steps-ever-completed')}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t('learning.board.board')}
          value={of}
          onChange={setOf}
          data={[
            { value: 'friends', label: t('common.friends') },
            { value: 'all', label: t('people.chat.everybody') },
          ]}
        />
      }
    >
      <QueryResult query={query}>
        {({ places, is_listed }) => (
          <Stack gap="md">
            {places.length === 0 ? (
              <Text size="sm" c="dimmed">
                {t('learning.board.nobody', { of })}
              </Text>
            ) : (
              <DataTable
                label={t('learning.board.board')}
                rows={places}
                columns={columns()}
                keyOf={(row) => row.user_id}
                fits
              />
            )}
            <FailureNote error={listing.error} />
            <Switch
              checked={is_listed}
              disabled={listing.isPending}
              onChange={({ currentTarget }) => listing.mutate({ body: { is_listed: currentTarget.checked } })}
              label={t('learning.board.list-me')}
              description={t('learning.board.friends-see-you-anyway')}
            />
          </Stack>
        )}
      </QueryResult>
    </Section>
  )
}

const columns = (): Column<Place>[] => [
  {
    head: t('learning.board.place'),
    cell: ({ rank }) => (rank === null ? '…' : formatNumber(rank)),
    className: 'number',
  },
  {
    head: t('common.person'),
    cell: ({ username, display_name }) => (
      <Group gap={6} className="user-content">
        {display_name ?? username}
        {display_name !== null && (
          <Text span size="sm" c="dimmed">
            {username}
          </Text>
        )}
      </Group>
    ),
  },
  numberColumn(t('learning.module.steps'), ({ steps }) => steps),
]
