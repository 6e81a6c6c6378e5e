import { Grid, Table, Text } from '@mantine/core'
import { listAudit } from '../../../contract/admin.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { Link } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { AwardForm } from './award-form.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'

export default function Points() {
  const awards = useApiQuery(listAudit, { query: { action: 'points.award', limit: 20 } })
  return (
    <>
      <PageHead title={t('common.award-points')} about={t('admin.points.an-award-creates-new-points-it')} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={t('admin.points.a-new-award')}>
            <AwardForm />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title={t('admin.points.latest-awards')}>
            <QueryResult query={awards}>
              {({ data }) =>
                data.length === 0 ? (
                  <EmptyState icon="coins" title={t('admin.points.nothing-has-been-awarded-yet')} />
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
  <div className="scroll-x" tabIndex={0} role="region" aria-label={t('admin.points.latest-awards')}>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('common.to')}</Table.Th>
          <Table.Th ta="right">{t('common.points')}</Table.Th>
          <Table.Th>{t('common.by')}</Table.Th>
          <Table.Th>{t('common.when')}</Table.Th>
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
          {target_name ?? t('common.deleted-account')}
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
    <Table.Td className={`${classes.nowrap} user-content`}>{actor_username ?? t('common.the-platform')}</Table.Td>
    <Table.Td className={classes.nowrap}>
      <RelativeTime at={inserted_at} />
    </Table.Td>
  </Table.Tr>
)
