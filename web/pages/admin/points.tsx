import { Grid, Table, Text } from '@mantine/core'
import { listAudit } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Link } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { AwardForm } from './award-form.tsx'
import classes from '../../ui/table.module.css'

export default function Points() {
  const awards = useApiQuery(listAudit, { query: { action: 'points.award', limit: 20 } })
  return (
    <>
      <PageHead title="Award points" about="An award creates new points. It cannot be undone." />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="A new award">
            <AwardForm />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Latest awards">
            <QueryResult query={awards}>
              {({ data }) =>
                data.length === 0 ? (
                  <EmptyState icon="coins" title="Nothing has been awarded yet" />
                ) : (
                  <AwardTable awards={data} />
                )
              }
            </QueryResult>
          </Section>
        </Grid.Col>
      </Grid>
    </>
  )
}

type Award = AnswerOf<typeof listAudit>['data'][number]

/** User and amount come first: on a phone the other columns need scrolling. */
const AwardTable = ({ awards }: { awards: readonly Award[] }) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label="Latest awards">
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>To</Table.Th>
          <Table.Th ta="right">Points</Table.Th>
          <Table.Th>By</Table.Th>
          <Table.Th>When</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {awards.map((award) => (
          <AwardRow key={award.id} award={award} />
        ))}
      </Table.Tbody>
    </Table>
  </div>
)

const AwardRow = ({ award: { inserted_at, actor_username, target_id, target_name, details } }: { award: Award }) => (
  <Table.Tr>
    <Table.Td miw={130}>
      {target_id && (
        <Link to="/admin/users/$id" params={{ id: target_id }} size="sm" className="user-content">
          {target_name ?? 'Deleted account'}
        </Link>
      )}
      {typeof details.description === 'string' && (
        <Text size="xs" c="dimmed" className="user-content">
          {details.description}
        </Text>
      )}
    </Table.Td>
    <Table.Td ta="right" className="number">
      {typeof details.amount === 'number' ? formatNumber(details.amount) : ''}
    </Table.Td>
    <Table.Td className={`${classes.nowrap} user-content`}>{actor_username ?? 'the platform'}</Table.Td>
    <Table.Td className={classes.nowrap}>
      <RelativeTime at={inserted_at} />
    </Table.Td>
  </Table.Tr>
)
