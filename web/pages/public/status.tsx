import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PageHead, Section } from '../../ui/page-parts.tsx'
import { service_state_query, summaryOf } from './service-state.ts'

export default function Status() {
  const { data, dataUpdatedAt } = useQuery(service_state_query)
  return (
    <>
      <PageHead
        title="Service status"
        about="The state of Plaza as seen from this browser, checked every ten seconds."
      />
      <Section maw={560}>
        <Stack gap="md" role="status" aria-live="polite">
          <Text fw={600} fz="lg">
            {summaryOf(data)}
          </Text>
          <StatusRow name="Service" good={data?.is_up} word={data?.is_up ? 'answers' : 'does not answer'} />
          <StatusRow
            name="Database"
            good={data?.is_up ? data.database : undefined}
            word={data?.database ? 'reachable' : 'not reachable'}
          />
          <Group justify="space-between">
            <Text>Response time</Text>
            <Text className="number">{data?.is_up ? `${data.took_ms} ms` : '…'}</Text>
          </Group>
          <Group justify="space-between">
            <Text>Version</Text>
            <Text className="number">{data?.version ?? '…'}</Text>
          </Group>
        </Stack>
      </Section>
      <Text size="sm" c="dimmed" mt="md">
        {dataUpdatedAt > 0 && `Checked at ${new Date(dataUpdatedAt).toLocaleTimeString('en')}. `}
        For machines: <a href="/health">/health</a>
      </Text>
    </>
  )
}

const StatusRow = ({ name, good, word }: { name: string; good: boolean | undefined; word: string }) => (
  <Group justify="space-between">
    <Text>{name}</Text>
    {good === undefined ? <Text>…</Text> : <Badge color={good ? 'plaza' : 'red'}>{word}</Badge>}
  </Group>
)
