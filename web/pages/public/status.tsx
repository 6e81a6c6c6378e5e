import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PlazaClient } from '../../../contract/client.ts'
import { health } from '../../../contract/system.ts'
import { PageHead, Section } from '../../ui/page-parts.tsx'

interface ServiceState {
  is_up: boolean
  database: boolean
  version?: string
  took_ms: number
}

/** Calls the health endpoint. Never rejects: an unreachable service is `is_up: false`. */
async function checkService(): Promise<ServiceState> {
  const started_at = performance.now()
  const reply = await new PlazaClient(location.origin).call(health).catch(() => undefined)
  const took_ms = Math.round(performance.now() - started_at)
  if (!reply) return { is_up: false, database: false, took_ms }
  const { version } = reply.body as { version?: string }
  return { is_up: true, database: reply.ok, took_ms, ...(version !== undefined && { version }) }
}

export default function Status() {
  const { data, dataUpdatedAt } = useQuery({ queryKey: ['status'], queryFn: checkService, refetchInterval: 10_000 })
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

function summaryOf(data: ServiceState | undefined) {
  if (!data) return 'Checking…'
  if (data.is_up) return data.database ? 'Everything works.' : 'Plaza has a problem. You need not do anything.'
  return navigator.onLine ? 'Plaza does not answer. The service or the network may be down.' : 'This device is offline.'
}

const StatusRow = ({ name, good, word }: { name: string; good: boolean | undefined; word: string }) => (
  <Group justify="space-between">
    <Text>{name}</Text>
    {good === undefined ? <Text>…</Text> : <Badge color={good ? 'plaza' : 'red'}>{word}</Badge>}
  </Group>
)
