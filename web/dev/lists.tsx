import { DataTable, timeColumn, type Column } from '../ui/data-table.tsx'
import { DescriptionList, Statistics } from '../ui/description-list.tsx'
import { formatPoints, RelativeTime } from '../ui/format.tsx'
import { EmptyState, LoadingSkeleton, LoadMore, PageHead, QueryResult, Section } from '../ui/page-parts.tsx'
import { SearchField } from '../ui/debounced-field.tsx'
import { Filter, StateFilter } from '../ui/filter.tsx'
import { PageTabs } from '../ui/page-tabs.tsx'
import { PagedListStates, type PagedList } from '../ui/paged-list.tsx'
import { Row, Rows } from '../ui/rows.tsx'
import { TierMark } from '../ui/tier-mark.tsx'
import { nothing, refusals, type Parts } from './part.tsx'

const now = Date.now()
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()

const rows = [
  { what: 'Sticker: an owl', points: 30, at: daysAgo(0) },
  { what: 'Sticker: a whale', points: 1_045, at: daysAgo(1) },
  { what: 'A board of maple, with a description that is long enough to wrap on a phone', points: 80, at: daysAgo(40) },
]

/** A list as `usePagedQuery` returns it. */
const listOf = (state: Partial<PagedList>) =>
  ({
    rows,
    data: { pages: [], pageParams: [] },
    error: null,
    isPending: false,
    hasNextPage: false,
    isFetchingNextPage: false,
    isFetchNextPageError: false,
    refetch: nothing,
    fetchNextPage: nothing,
    ...state,
  }) as unknown as PagedList

const list_states: [string, Partial<PagedList>][] = [
  ['loading', { isPending: true, data: undefined, rows: [] }],
  ['failed', { error: refusals.failed, data: undefined, rows: [] }],
  ['empty', { rows: [] }],
  ['full', {}],
  ['with more', { hasNextPage: true }],
  ['loading more', { hasNextPage: true, isFetchingNextPage: true }],
  ['more has failed', { hasNextPage: true, isFetchNextPageError: true, error: refusals.failed }],
]

const columns: Column<(typeof rows)[number]>[] = [
  { head: 'For', cell: ({ what }) => what, sortBy: ({ what }) => what, on_phone: 'line' },
  { head: 'Points', cell: ({ points }) => formatPoints(points), sortBy: ({ points }) => points },
  timeColumn('When', ({ at }) => at, { sortable: true }),
]

const Movements = () => <DataTable label="Movements" rows={rows} columns={columns} keyOf={({ what }) => what} fits />

const result = (query: { data: string | undefined; error: Error | null }) => (
  <QueryResult query={{ refetch: nothing, ...query } as never}>{(answer: string) => answer}</QueryResult>
)

const listIn = (state: Partial<PagedList>) => (
  <PagedListStates
    list={listOf(state)}
    lines={3}
    counted
    empty={
      <EmptyState icon="coins" title="No movement yet">
        Received and spent points appear here.
      </EmptyState>
    }
  >
    <Movements />
  </PagedListStates>
)

export const lists: Parts = {
  'paged-list.tsx': Object.fromEntries(list_states.map(([name, state]) => [name, listIn(state)])),
  'data-table.tsx': <Movements />,
  'page-tabs.tsx': (
    <PageTabs
      label="Parts of the app"
      title="Lantern"
      tab={undefined}
      tabs={{ overview: ['Overview', () => 'The overview'], payments: ['Payments', () => 'The payments'] }}
    />
  ),
  'filter.tsx': {
    'a sheet on a phone': (
      <Filter label="Filter" used={1} onClear={nothing}>
        <SearchField label="Reference" w={170} value="order-7" onSearch={nothing} />
      </Filter>
    ),
    'by state': <StateFilter value={undefined} onChange={nothing} states={{ open: 'Open', decided: 'Decided' }} />,
  },
  'debounced-field.tsx': {
    'while the list is read': <SearchField label="Name" value="" onSearch={nothing} is_reading maw={280} />,
  },
  'rows.tsx': (
    <Rows>
      <Row lead="screen" action="Action">
        Firefox on Linux
      </Row>
      <Row lead={{ element: <TierMark sign="🥇" /> }} top>
        A row with an element in place of the icon
      </Row>
    </Rows>
  ),
  'page-parts.tsx': {
    'head of a page': <PageHead title="Deployments" about="Containers of your apps." actions="Actions" />,
    'card with a title, an explanation and actions': (
      <Section title="Secrets" about="Each is shown once." actions="Actions">
        Content
      </Section>
    ),
    empty: (
      <EmptyState icon="box" title="No deployment">
        Deploy a container of your app.
      </EmptyState>
    ),
    loading: <LoadingSkeleton />,
    'a read that waits': result({ data: undefined, error: null }),
    'a read that failed': result({ data: undefined, error: refusals.failed }),
    'a read with its answer': result({ data: 'The answer', error: null }),
    more: <LoadMore query={listOf({ hasNextPage: true }) as never} />,
  },
  'description-list.tsx': {
    facts: (
      <DescriptionList
        items={[
          ['Name', 'Sticker Shop'],
          ['Tier', <TierMark key="tier" sign="🥇" />],
          ['Seen', <RelativeTime key="seen" at={daysAgo(2)} />],
        ]}
      />
    ),
    figures: (
      <Statistics
        items={[
          ['Points', '1,234'],
          ['Held', '25'],
          ['People', '7'],
        ]}
      />
    ),
  },
}
