import { Table } from '@mantine/core'
import { DescriptionList, Statistics } from '../ui/description-list.tsx'
import { formatPoints, RelativeTime } from '../ui/format.tsx'
import { EmptyState, LoadingSkeleton, LoadMore, PageHead, QueryResult, Section } from '../ui/page-parts.tsx'
import { PagedListStates, type PagedList } from '../ui/paged-list.tsx'
import tables from '../ui/responsive-table.module.css'
import { Row, Rows } from '../ui/rows.tsx'
import { SortHeading, useSorting } from '../ui/sorting.tsx'
import { TierMark } from '../ui/tier-mark.tsx'
import { nothing, refusals, type Parts } from './part.tsx'

const now = Date.now()
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString()

const rows = [
  { what: 'Sticker: an owl', points: 30, at: daysAgo(0) },
  { what: 'Sticker: a whale', points: 1_045, at: daysAgo(1) },
  { what: 'A board of maple, with a description that is long enough to wrap on a phone', points: 80, at: daysAgo(40) },
]

/** A list as `usePagedQuery` gives it. */
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

function Movements() {
  const { rows: shown, headingOf } = useSorting(rows, {
    what: ({ what }) => what,
    points: ({ points }) => points,
    at: ({ at }) => at,
  })
  return (
    <Table className={tables.rows}>
      <Table.Thead>
        <Table.Tr>
          <SortHeading {...headingOf('what')}>For</SortHeading>
          <SortHeading {...headingOf('points')}>Points</SortHeading>
          <SortHeading {...headingOf('at')}>When</SortHeading>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shown.map(({ what, points, at }) => (
          <Table.Tr key={what}>
            <Table.Td data-wide>{what}</Table.Td>
            <Table.Td>{formatPoints(points)}</Table.Td>
            <Table.Td>
              <RelativeTime at={at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

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
  'sorting.tsx': { '': <Movements /> },
  'rows.tsx': {
    '': (
      <Rows>
        <Row lead="screen" action="Action">
          Firefox on Linux
        </Row>
        <Row lead={{ element: <TierMark sign="🥇" /> }} top>
          A row with an element in place of the icon
        </Row>
      </Rows>
    ),
  },
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
