import { Text } from '@mantine/core'
import { myPointsHistory } from '../../../contract/points.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { QueryResult } from '../../ui/page-parts.tsx'
import { t } from '../../texts.ts'
import { MovementTable } from './movement-table.tsx'

const shown_movements = 20

/** The last points that an app moved as an agent: time, amount and recipient (D-156). */
export default function AgentMovements({ app_id }: { app_id: string }) {
  const query = useApiQuery(myPointsHistory, { query: { app_id, by_agent: true, limit: shown_movements } })
  return (
    <QueryResult
      query={query}
      rows={2}
      empty={
        <Text size="sm" c="dimmed" mt="xs">
          {t('account.agent-movements.nothing-yet')}
        </Text>
      }
    >
      {({ data }) => <MovementTable movements={data} />}
    </QueryResult>
  )
}
