import { Stack, Text, UnstyledButton } from '@mantine/core'
import { useCallbackRef } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useRef, useState } from 'react'
import { exportAudit, listAudit } from '../../../contract/admin-audit.ts'
import { csvName, downloadFile } from '../../api/download-file.ts'
import { usePagedQuery } from '../../api/hooks.ts'
import { Filter } from '../../ui/filter.tsx'
import { DayField } from '../../ui/day-fields.tsx'
import { CsvButton } from '../../ui/download-button.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, PageHead } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { AuditDetails } from './audit-details.tsx'
import { ListCard } from './list-card.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { VirtualRows } from '../../ui/virtual-rows.tsx'
import { SearchField } from '../../ui/debounced-field.tsx'
import { actionOptions, AuditSentence, remarkOf, type AuditEntry } from './audit-sentence.tsx'
import { auditQuery, no_filter, type AuditFilter } from './audit-filter.ts'
import classes from './audit.module.css'
import { Select } from '../../ui/select.tsx'
import { t } from '../../texts.ts'

export default function Audit() {
  const [filter, change] = useUrlState('/admin/audit')
  const wanted = auditQuery(filter)
  const query = { limit: 100, ...wanted }
  const log = usePagedQuery(listAudit, { query })
  const filtered = Object.values(filter).some((value) => value !== undefined)
  return (
    <>
      <PageHead
        title={t('common.audit-log')}
        about={t('admin.audit.who-changed-what-newest-first-entries')}
        actions={
          <CsvButton
            save={() => downloadFile(exportAudit, { query: wanted }, csvName('audit'))}
            done={t('admin.audit-export.the-entries-are-saved-as-a')}
            disabled={log.rows.length === 0}
          />
        }
      />
      <Stack>
        <Filters filter={filter} change={change} />
        <ListCard
          list={log}
          lines={8}
          endless
          empty={
            <EmptyState
              icon="scroll"
              title={filtered ? t('admin.audit.no-entry-matches-the-filter') : t('common.nothing-has-been-changed-yet')}
            >
              {filtered && t('admin.audit.the-action-and-the-names-must')}
            </EmptyState>
          }
        >
          <Log log={log} change={change} key={JSON.stringify(query)} />
        </ListCard>
        {log.rows.length > 0 && (
          <Text size="sm" c="dimmed" role="status">
            {t('admin.audit.count-2-read-hasnextpage', {
              count: formatNumber(log.rows.length),
              count_2: log.rows.length,
              hasNextPage: Boolean(log.hasNextPage),
            })}
          </Text>
        )}
      </Stack>
    </>
  )
}

interface FiltersProps {
  filter: AuditFilter
  change: (changes: AuditFilter) => void
}

function Filters({ filter, change }: FiltersProps) {
  const used = Object.values(filter).filter((value) => value !== undefined).length
  return (
    <Filter label={t('admin.audit.filter-the-log')} used={used} onClear={() => change(no_filter)}>
      {(filter.actor_id !== undefined || filter.target_id !== undefined) && (
        <Text size="sm" w="100%">
          {t('admin.audit.only-entries-actor-id-the-one', { actor_id: filter.actor_id === undefined })}
        </Text>
      )}
      <Select
        label={t('common.action')}
        value={filter.action ?? null}
        onChange={(action) => change({ action: action ?? undefined })}
        data={actionOptions()}
        searchable
        clearable
        placeholder={t('common.any')}
        className={classes.filter}
      />
      <SearchField
        label={t('common.done-by')}
        value={filter.actor}
        onSearch={(actor) => change({ actor })}
        placeholder={t('admin.audit.anybody-by-name')}
        maxLength={100}
        className={classes.filter}
      />
      <SearchField
        label={t('common.done-to')}
        value={filter.target}
        onSearch={(target) => change({ target })}
        placeholder={t('admin.audit.a-person-or-app-by-name')}
        maxLength={100}
        className={classes.filter}
      />
      <DayField label={t('common.from')} day={filter.from} onDay={(from) => change({ from })} />
      <DayField label={t('common.until')} day={filter.to} onDay={(to) => change({ to })} />
    </Filter>
  )
}

/** A virtualized list of entries. The next page is fetched near its end. */
function Log({
  log,
  change,
}: {
  log: ReturnType<typeof usePagedQuery<typeof listAudit>>
  change: (changes: AuditFilter) => void
}) {
  const { rows, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage, error } = log
  const [opened, setOpened] = useState<string>()
  const toggle = useCallback((id: string) => setOpened((open) => (open === id ? undefined : id)), [])
  const changeFilter = useCallbackRef(change)
  const box = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: (at) => rows[at]?.id ?? at,
    estimateSize: () => 45,
    overscan: 10,
  })
  const last = list.getVirtualItems().at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - 20 && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [last, rows.length, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  return (
    <>
      <div className={`${classes.line} ${classes.head}`} aria-hidden>
        <span>{t('common.when')}</span>
        <span>{t('common.event')}</span>
      </div>
      <div ref={box} className={classes.scroll} tabIndex={0} role="region" aria-label={t('admin.audit.entries')}>
        <div role="list" className={classes.rows} style={{ height: list.getTotalSize() }}>
          <VirtualRows
            list={list}
            rows={rows}
            className={classes.row}
            role="listitem"
            set_size={hasNextPage ? -1 : rows.length}
          >
            {(entry) => <Entry entry={entry} opened={opened === entry.id} onToggle={toggle} change={changeFilter} />}
          </VirtualRows>
        </div>
      </div>
      {isFetchNextPageError && <FailureNote error={error} onRetry={() => void fetchNextPage()} />}
    </>
  )
}

interface EntryProps {
  entry: AuditEntry
  opened: boolean
  onToggle: (id: string) => void
  change: (changes: AuditFilter) => void
}

// While the log is scrolled, only entries that come into view are rendered.
const Entry = memo(function Entry({ entry, opened, onToggle, change }: EntryProps) {
  return (
    <>
      <div className={`${classes.line} ${classes.entry}`}>
        <RelativeTime at={entry.inserted_at} />
        <span>
          <AuditSentence entry={entry} />
          <span className={`${classes.remark} user-content`}>{remarkOf(entry)}</span>
        </span>
        <UnstyledButton
          className={classes.toggle}
          onClick={() => onToggle(entry.id)}
          aria-expanded={opened}
          aria-label={t('admin.audit.details')}
        >
          <Icon name="right" size={14} />
        </UnstyledButton>
      </div>
      {opened && <AuditDetails entry={entry} onFilter={change} />}
    </>
  )
})
