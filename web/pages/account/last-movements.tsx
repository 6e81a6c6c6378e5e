import { myPointsHistory } from '../../../contract/points.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { QueryResult, Section } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'
import { MovementTable } from './movement-table.tsx'
import { PointsChart } from './points-chart.tsx'

const shown_movements = 5

/** The balance over time and the last movements; renders nothing before the first one. */
export default function LastMovements() {
  const query = useApiQuery(myPointsHistory, { query: { limit: shown_movements } })
  return (
    <QueryResult query={query}>
      {({ data }) =>
        data.length > 0 && (
          <>
            <PointsChart />
            <Section
              title={t('account.last-movements.latest-movements')}
              actions={
                <LinkButton to="/points" size="xs" variant="default">
                  {t('common.see-every-movement')}
                </LinkButton>
              }
            >
              <MovementTable movements={data} />
            </Section>
          </>
        )
      }
    </QueryResult>
  )
}
