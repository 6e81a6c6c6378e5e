import { Grid, Table, Text } from '@mantine/core'
import { listAudit } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useQueryOf } from '../../api/hooks.ts'
import { Link } from '../../ui/link.tsx'
import { Nothing, PageHead, Read, Section } from '../../ui/page-parts.tsx'
import { number, When } from '../../ui/when.tsx'
import { AwardForm } from './award-form.tsx'

export default function Points() {
  const awards = useQueryOf(listAudit, { query: { action: 'points.award', limit: 20 } })
  return (
    <>
      <PageHead title="Award points" about="Awards create points. They cannot be taken back here." />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="A new award">
            <AwardForm />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Latest awards">
            <Read query={awards}>
              {({ data }) =>
                data.length === 0 ? (
                  <Nothing icon="coins" title="Nothing has been awarded yet" />
                ) : (
                  <AwardTable awards={data} />
                )
              }
            </Read>
          </Section>
        </Grid.Col>
      </Grid>
    </>
  )
}

const AwardTable = ({ awards }: { awards: AnswerOf<typeof listAudit>['data'] }) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label="Latest awards">
    <Table miw={440}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>When</Table.Th>
          <Table.Th>By</Table.Th>
          <Table.Th>To</Table.Th>
          <Table.Th ta="right">Points</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {awards.map(({ id, inserted_at, actor_username, target_id, details }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <When at={inserted_at} />
            </Table.Td>
            <Table.Td className="foreign">{actor_username ?? 'the platform'}</Table.Td>
            <Table.Td>
              {target_id && (
                <Link to="/admin/users" search={{ q: target_id } as never} size="sm">
                  See the user
                </Link>
              )}
              {typeof details.description === 'string' && (
                <Text size="xs" c="dimmed" className="foreign">
                  {details.description}
                </Text>
              )}
            </Table.Td>
            <Table.Td ta="right" className="number">
              {typeof details.amount === 'number' ? number(details.amount) : ''}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </div>
)
