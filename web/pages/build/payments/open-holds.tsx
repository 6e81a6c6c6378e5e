import { Anchor, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { getBalanceOfMyApp, listHoldsOfMyApp, voidHoldOfMyApp } from '../../../../contract/app-payments.ts'
import { useApiQuery, usePagedQuery } from '../../../api/hooks.ts'
import { newIdempotencyKey } from '../../../api/idempotency-key.ts'
import { ConfirmButton } from '../../../ui/confirm-call.tsx'
import { DataTable, numberColumn, textColumn, timeColumn, type Column } from '../../../ui/data-table.tsx'
import { spanOf, type Days } from '../../../ui/day-range.ts'
import { formatPoints } from '../../../ui/format.tsx'
import { HoldDays, NoHolds } from '../../../ui/hold-days.tsx'
import { Section } from '../../../ui/page-parts.tsx'
import { PagedListStates } from '../../../ui/paged-list.tsx'
import type { MyApp } from '../access.ts'
import { may } from '../may.tsx'
import type { Hold } from './payments.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

interface OpenHoldsProps {
  app: MyApp
  /** The days on which the holds were made. */
  days: Days
  onDays: (days: Days) => void
}

/** The points that the app holds now. Renders nothing if there are none. */
export function OpenHolds({ app, days, onDays }: OpenHoldsProps) {
  const { data: balance } = useApiQuery(getBalanceOfMyApp, { params: { id: app.id } })
  const query = { status: 'open', ...spanOf(days) } as const
  const list = usePagedQuery(listHoldsOfMyApp, { params: { id: app.id }, query })
  if ((balance?.held_for_app ?? 0) === 0) return null
  const all = (part: ReactNode) => (
    <Anchor component="button" type="button" inherit onClick={() => onDays({})}>
      {part}
    </Anchor>
  )
  return (
    <Section title={t('build.open-holds.open-holds')} about={t('build.open-holds.set-aside-for-the-app-and')}>
      <HoldDays {...days} onChange={onDays} />
      <PagedListStates list={list} lines={3} empty={<NoHolds {...days} all={all} />}>
        <DataTable label={t('build.open-holds.open-holds')} rows={list.rows} columns={columnsOf(app)} />
      </PagedListStates>
    </Section>
  )
}

const columnsOf = (app: MyApp): Column<Hold>[] => [
  textColumn(t('common.person'), ({ username }) => username, { absent: t('common.nobody-any-more'), sortable: true }),
  textColumn(t('common.reference'), ({ reference }) => reference),
  numberColumn(t('common.points'), ({ amount }) => amount, { sortable: true }),
  timeColumn(t('common.made'), ({ inserted_at }) => inserted_at, { sortable: true }),
  timeColumn(t('common.expires'), ({ expires_at }) => expires_at, { sortable: true }),
  ...(may(app, voidHoldOfMyApp)
    ? [
        {
          head: t('common.actions'),
          head_hidden: true,
          ta: 'right' as const,
          cell: (hold: Hold) => <Release app={app} hold={hold} />,
        },
      ]
    : []),
]

function Release({ app, hold }: { app: MyApp; hold: Hold }) {
  // The same key after a lost response: a repetition is the same call.
  const [key] = useState(newIdempotencyKey)
  const amount = formatPoints(hold.amount)
  return (
    <ConfirmButton
      label={t('build.open-holds.release')}
      button={{
        size: 'compact-xs',
        'aria-label': t('build.open-holds.release-of', {
          amount,
          username: hold.username ?? t('build.open-holds.nobody'),
        }),
      }}
      endpoint={voidHoldOfMyApp}
      input={{ params: { id: app.id, hold_id: hold.id }, headers: { 'idempotency-key': key } }}
      invalidates={[listHoldsOfMyApp, getBalanceOfMyApp]}
      done={() => t('build.open-holds.are-released', { amount })}
      title={t('build.open-holds.release-2', { amount })}
      action={t('common.release')}
    >
      <Text size="sm">
        <RichText
          k="build.open-holds.they-are-available-to-again-at"
          bdi={<bdi>{hold.username ?? t('build.open-holds.the-person')}</bdi>}
        />
      </Text>
    </ConfirmButton>
  )
}
