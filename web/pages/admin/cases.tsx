import { Badge, Box, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { adminGetCase, adminListCases, decideCase } from '../../../contract/admin-moderation.ts'
import { case_statuses, type CaseAction } from '../../../contract/moderation-fields.ts'
import { readAhead, usePagedQuery } from '../../api/hooks.ts'
import { RelativeTime } from '../../ui/format.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { reason_names } from '../../ui/report-reasons.ts'
import { CaseDetail } from './case-detail.tsx'
import { CaseDialog } from './case-dialog.tsx'
import { decisionText, kindText, personName, removalsOf, reportCount, type Case } from './case-texts.ts'
import { Queue, type Decision } from './queue.tsx'
import type { PagedList } from './list-card.tsx'
import { knownValue } from './search.ts'
import { t } from '../../texts.ts'

const polling_ms = 30_000
/** The number of cases at the head of the queue that are read in advance. */
const read_ahead = 3

/** The queue of reports. */
export default function Cases() {
  const [{ status, user_id, reporter_id }, change] = useUrlState('/admin/reports')
  const of_person = user_id !== undefined || reporter_id !== undefined
  const known = knownValue(case_statuses, status)
  const shown = status === 'all' ? undefined : (known ?? (of_person ? undefined : 'open'))
  const query = {
    ...(shown && { status: shown }),
    ...(user_id !== undefined && { user_id }),
    ...(reporter_id !== undefined && { reporter_id }),
  }
  const list = usePagedQuery(adminListCases, { query }, { refetchInterval: polling_ms })
  useReadAhead(list.rows)
  return (
    <>
      <PageHead
        title={t('common.reports')}
        about={
          of_person
            ? t('admin.cases.what-was-reported-about-one-person')
            : t('admin.cases.what-people-reported-the-oldest-that')
        }
      />
      <Stack gap="sm">
        <Group justify="flex-end">
          <SegmentedControl
            size="xs"
            aria-label={t('common.status')}
            value={shown ?? 'all'}
            onChange={(word) =>
              change({ status: word === 'open' ? undefined : word, user_id: undefined, reporter_id: undefined })
            }
            data={[
              { value: 'open', label: t('common.open') },
              { value: 'decided', label: t('common.decided') },
              { value: 'all', label: t('common.all') },
            ]}
          />
        </Group>
        <CaseQueue list={list} is_open={shown === 'open'} />
      </Stack>
    </>
  )
}

function CaseQueue({ list, is_open }: { list: PagedList<Case>; is_open: boolean }) {
  const [dialog, setDialog] = useState<{ found: Case; preset: CaseAction[] }>()
  const [decided, setDecided] = useState<string>()
  const isOpen = ({ status }: Case) => status === 'open'
  const open = (action: CaseAction) => (found: Case) => setDialog({ found, preset: [action] })
  const reportedRemovals = (found: Case) =>
    removalsOf(found).flatMap(({ action, is_reported }) => (is_reported ? [action] : []))
  const decisions: Decision<Case>[] = [
    { key: 'd', label: t('admin.cases.dismiss'), call: decideCase, allowed: isOpen, run: open('dismiss') },
    {
      key: 'r',
      label: t('admin.cases.remove'),
      tone: 'primary',
      call: decideCase,
      allowed: (found) => isOpen(found) && reportedRemovals(found).length > 0,
      run: (found) => setDialog({ found, preset: reportedRemovals(found) }),
    },
    { key: 'm', label: t('admin.cases.mute'), call: decideCase, allowed: isOpen, run: open('mute') },
    { key: 's', label: t('common.suspend'), tone: 'danger', call: decideCase, allowed: isOpen, run: open('suspend') },
  ]
  return (
    <>
      <Queue
        name={t('common.reports')}
        list={list}
        empty={
          <EmptyState icon="check" title={is_open ? t('admin.cases.no-report-waits') : t('common.there-are-none')}>
            {is_open && t('admin.cases.all-reports-are-decided-new-ones')}
          </EmptyState>
        }
        summary={(found) => <Summary found={found} />}
        detail={(found) => <CaseDetail key={found.id} found={found} />}
        decisions={decisions}
        busy={dialog !== undefined}
        decided={decided}
      />
      {dialog && (
        <CaseDialog {...dialog} onDecided={() => setDecided(dialog.found.id)} onClose={() => setDialog(undefined)} />
      )}
    </>
  )
}

const Summary = ({ found }: { found: Case }) => (
  <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={600} truncate className="user-content">
        {personName(found)}
      </Text>
      {found.text !== null && (
        <Text size="sm" truncate className="user-content">
          {found.text}
        </Text>
      )}
      <Text size="xs" c="dimmed" truncate>
        {found.kind === 'person' && `${kindText(found)} · `}
        {found.reasons.map((reason) => reason_names()[reason]).join(', ')} · <RelativeTime at={found.inserted_at} />
      </Text>
    </Stack>
    <Box flex="none">
      {found.status === 'open' ? (
        <Badge variant="light" color={found.reports - found.doubted_reports > 2 ? 'red' : 'yellow'}>
          {reportCount(found.reports)}
        </Badge>
      ) : (
        <Badge variant="light" color="gray">
          {decisionText(found.actions)}
        </Badge>
      )}
    </Box>
  </Group>
)

/** Reads the first cases of the queue in advance, so that the next one appears immediately after a decision. */
function useReadAhead(rows: readonly Case[]) {
  const key = rows
    .slice(0, read_ahead)
    .map(({ id }) => id)
    .join()
  useEffect(() => {
    for (const id of key === '' ? [] : key.split(','))
      // Opening the case reads it again and shows the error.
      void readAhead(adminGetCase, { params: { id } }).catch(() => {})
  }, [key])
}
