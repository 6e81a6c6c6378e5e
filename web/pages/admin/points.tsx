import { Grid, Text } from '@mantine/core'
import { listAudit } from '../../../contract/admin-audit.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { useMay } from '../../session/rights.tsx'
import { DataTable, textColumn, timeColumn, type Column } from '../../ui/data-table.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { formatNumber } from '../../ui/format.tsx'
import { AwardForm } from './award-form.tsx'
import { PersonLink } from './person-link.tsx'
import classes from '../../ui/table.module.css'
import { t } from '../../texts.ts'

export default function Points() {
  const may_read = useMay(listAudit)
  const awards = useApiQuery(listAudit, { query: { action: 'points.award', limit: 20 } }, { enabled: may_read })
  return (
    <>
      <PageHead title={t('common.award-points')} about={t('admin.points.an-award-creates-new-points-it')} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={t('admin.points.a-new-award')}>
            <AwardForm />
          </Section>
        </Grid.Col>
        {may_read && (
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Section title={t('admin.points.latest-awards')}>
              <QueryResult
                query={awards}
                empty={<EmptyState icon="coins" title={t('admin.points.nothing-has-been-awarded-yet')} />}
              >
                {({ data }) => <DataTable label={t('admin.points.latest-awards')} rows={data} columns={columns()} />}
              </QueryResult>
            </Section>
          </Grid.Col>
        )}
      </Grid>
    </>
  )
}

type Award = AnswerOf<typeof listAudit>['data'][number]

/** User and amount come first: on a phone the other columns need scrolling. */
const columns = (): Column<Award>[] => [
  {
    head: t('common.to'),
    td: { minWidth: 130 },
    cell: ({ target_id, target_name, details }) => (
      <>
        {target_id && <PersonLink id={target_id} name={target_name} />}
        {typeof details.description === 'string' && (
          <Text size="xs" c="dimmed" className="user-content">
            {details.description}
          </Text>
        )}
      </>
    ),
  },
  {
    head: t('common.points'),
    ta: 'right',
    className: 'number',
    cell: ({ details }) => (typeof details.amount === 'number' ? formatNumber(details.amount) : ''),
  },
  textColumn(t('common.by'), ({ actor_username }) => actor_username, {
    absent: t('common.the-platform'),
    className: `${classes.nowrap} user-content`,
  }),
  timeColumn(t('common.when'), ({ inserted_at }) => inserted_at),
]
