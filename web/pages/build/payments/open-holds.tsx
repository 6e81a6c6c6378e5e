import { Anchor, Button, Table, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { getBalanceOfMyApp, listHoldsOfMyApp, voidHoldOfMyApp } from '../../../../contract/app-payments.ts'
import { useApiMutation, useApiQuery, usePagedQuery } from '../../../api/hooks.ts'
import { newIdempotencyKey } from '../../../api/idempotency-key.ts'
import { Confirm } from '../../../ui/confirm.tsx'
import type { Days } from '../../../ui/day-fields.tsx'
import { spanOf } from '../../../ui/day-range.ts'
import { formatNumber, formatPoints, RelativeTime } from '../../../ui/format.tsx'
import { HoldDays, NoHolds } from '../../../ui/hold-days.tsx'
import { notify } from '../../../ui/notify.tsx'
import { Section } from '../../../ui/page-parts.tsx'
import { PagedListStates } from '../../../ui/paged-list.tsx'
import { SortHeading, useSorting } from '../../../ui/sorting.tsx'
import type { MyApp } from '../access.ts'
import type { Hold } from './payments.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../../ui/rich-text.tsx'

const columns = {
  person: ({ username }: Hold) => username,
  points: ({ amount }: Hold) => amount,
  made: ({ inserted_at }: Hold) => inserted_at,
  expires: ({ expires_at }: Hold) => expires_at,
}

interface OpenHoldsProps {
  app: MyApp
  /** The days on which they were made. */
  days: Days
  onDays: (days: Days) => void
}

/** Points that the app holds at the moment. Nothing is shown where it holds none. */
export function OpenHolds({ app, days, onDays }: OpenHoldsProps) {
  const { data: balance } = useApiQuery(getBalanceOfMyApp, { params: { id: app.id } })
  const query = { status: 'open', ...spanOf(days) } as const
  const list = usePagedQuery(listHoldsOfMyApp, { params: { id: app.id }, query })
  const [freeing, setFreeing] = useState<Hold>()
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
        <HoldTable holds={list.rows} onFree={setFreeing} />
      </PagedListStates>
      {freeing && <Release app={app} hold={freeing} onClose={() => setFreeing(undefined)} />}
    </Section>
  )
}

function HoldTable({ holds, onFree }: { holds: readonly Hold[]; onFree: (hold: Hold) => void }) {
  const { rows, headingOf } = useSorting(holds, columns)
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label={t('build.open-holds.open-holds')}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <SortHeading {...headingOf('person')}>{t('common.person')}</SortHeading>
            <Table.Th>{t('common.reference')}</Table.Th>
            <SortHeading {...headingOf('points')} ta="right">
              {t('common.points')}
            </SortHeading>
            <SortHeading {...headingOf('made')}>{t('common.made')}</SortHeading>
            <SortHeading {...headingOf('expires')}>{t('common.expires')}</SortHeading>
            <Table.Th aria-label={t('common.actions')} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((hold) => (
            <HoldRow key={hold.id} hold={hold} onFree={() => onFree(hold)} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

const HoldRow = ({ hold, onFree }: { hold: Hold; onFree: () => void }) => (
  <Table.Tr>
    <Table.Td className="user-content">{hold.username ?? t('common.nobody-any-more')}</Table.Td>
    <Table.Td className="user-content">{hold.reference ?? ''}</Table.Td>
    <Table.Td ta="right" className="number">
      {formatNumber(hold.amount)}
    </Table.Td>
    <Table.Td>
      <RelativeTime at={hold.inserted_at} />
    </Table.Td>
    <Table.Td>
      <RelativeTime at={hold.expires_at} />
    </Table.Td>
    <Table.Td ta="right">
      <Button
        size="compact-xs"
        variant="default"
        onClick={onFree}
        aria-label={t('build.open-holds.release-of', {
          amount: formatPoints(hold.amount),
          username: hold.username ?? t('build.open-holds.nobody'),
        })}
      >
        {t('build.open-holds.release')}
      </Button>
    </Table.Td>
  </Table.Tr>
)

function Release({ app, hold, onClose }: { app: MyApp; hold: Hold; onClose: () => void }) {
  // Kept for this dialog: a repetition after a lost answer is the same call.
  const [key] = useState(newIdempotencyKey)
  const release = useApiMutation(voidHoldOfMyApp, {
    invalidates: [listHoldsOfMyApp, getBalanceOfMyApp],
    onDone: () => {
      onClose()
      notify(t('build.open-holds.are-released', { amount: formatPoints(hold.amount) }))
    },
  })
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t('build.open-holds.release-2', { amount: formatPoints(hold.amount) })}
      action={t('common.release')}
      onConfirm={() =>
        release.mutate({ params: { id: app.id, hold_id: hold.id }, headers: { 'idempotency-key': key } })
      }
      busy={release.isPending}
      error={release.error}
    >
      <Text size="sm">
        <RichText
          k="build.open-holds.they-are-available-to-again-at"
          bdi={<bdi>{hold.username ?? t('build.open-holds.the-person')}</bdi>}
        />
      </Text>
    </Confirm>
  )
}
