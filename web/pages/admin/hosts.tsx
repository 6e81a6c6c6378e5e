import { Alert, Badge, Code, Group, List, Stack, Text } from '@mantine/core'
import { listContainerHosts } from '../../../contract/admin-deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { FailureNote } from '../../ui/failure-note.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { EmptyState, LoadingSkeleton, PageHead, Section } from '../../ui/page-parts.tsx'
import { cores, memory } from '../deployments/labels.ts'

type Host = AnswerOf<typeof listContainerHosts>['hosts'][number]
type Machine = Host['isolation'][number]

export default function Hosts() {
  const { data, error, refetch } = useApiQuery(listContainerHosts, {}, { refetchInterval: 15_000 })
  return (
    <>
      <PageHead
        title="Container hosts"
        about="Where apps run, as the workers last saw it, and what containers there reach that they should not."
      />
      {error && !data && <FailureNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingSkeleton rows={6} />}
      {data?.hosts.length === 0 && (
        <Section>
          <EmptyState icon="box" title="No container host">
            Name one in CONTAINER_HOSTS of a worker, and it appears here.
          </EmptyState>
        </Section>
      )}
      <Stack>
        {data?.hosts.map((host) => (
          <HostCard key={host.name} host={host} />
        ))}
      </Stack>
    </>
  )
}

const HostCard = ({ host }: { host: Host }) => (
  <Section title={host.name}>
    <Stack>
      {!host.reachable && (
        <Alert color="red" title="No worker reaches it">
          Its apps go on as they are, and nothing changes there until it answers. Look at its engine and its socket.
        </Alert>
      )}
      {host.isolation.some(({ state }) => state === 'reachable') && (
        <Alert color="red" title="Nothing new starts here">
          Containers of apps reach what they should not. Run docs/hosting/firewall.sh on each machine below, at every
          start after the engine; what waits then starts by itself.
        </Alert>
      )}
      {host.advice.map((text) => (
        <Alert key={text} color="yellow">
          {text}
        </Alert>
      ))}
      <DescriptionList
        items={[
          ['Engine', `${host.kind === 'swarm' ? 'Docker Swarm' : 'Docker'} ${host.version ?? ''}`],
          ['Last seen', <RelativeTime key="seen" at={host.seen_at} />],
          ['Machines', host.machines === null ? 'not known yet' : formatNumber(host.machines)],
          ['Memory', host.memory_mb === null ? 'not known yet' : memory(host.memory_mb)],
          ['Processor', host.millicores === null ? 'not known yet' : cores(host.millicores)],
          ['Deployments', formatNumber(host.deployments)],
        ]}
      />
      <div>
        <Text fw={600} mb="xs">
          Isolation of apps
        </Text>
        {host.isolation.length === 0 && <Text c="dimmed">It has not been tried yet.</Text>}
        <Stack gap="sm">
          {host.isolation.map((machine) => (
            <MachineIsolation key={machine.node ?? ''} machine={machine} />
          ))}
        </Stack>
      </div>
      {host.limits.length > 0 && (
        <div>
          <Text fw={600} mb="xs">
            What it cannot do
          </Text>
          <List size="sm">
            {host.limits.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  </Section>
)

const tones: Record<Machine['state'], string> = {
  isolated: 'plaza',
  reachable: 'red',
  unchecked: 'yellow',
  trusted: 'gray',
}
const meanings: Record<Machine['state'], string> = {
  isolated: 'Containers reach nothing that they should not.',
  reachable: 'Containers reach what they should not:',
  unchecked: 'It could not be tried.',
  trusted: 'It is not tried: ISOLATION says that all apps are trusted.',
}
const things: Record<Machine['found'][number]['what'], string> = {
  app: 'another app',
  host: 'the host',
  engine: 'the engine’s API',
  metadata: 'the metadata address of the cloud',
  registry: 'the private registry',
  database: 'the database',
}

const MachineIsolation = ({ machine }: { machine: Machine }) => (
  <div>
    <Group gap="xs">
      {machine.node !== null && <Text fw={500}>{machine.node}</Text>}
      <Badge color={tones[machine.state]} variant="light">
        {machine.state}
      </Badge>
      <Text size="sm" c="dimmed">
        <RelativeTime at={machine.checked_at} />
      </Text>
    </Group>
    <Text size="sm">{machine.reason ?? meanings[machine.state]}</Text>
    {machine.found.length > 0 && (
      <List size="sm" mt={4}>
        {machine.found.map(({ what, address, port, answer }) => (
          <List.Item key={`${what} ${address} ${port}`}>
            {things[what]}: <Code>{`${address}:${port}`}</Code>{' '}
            {answer === 'connected' ? 'accepts connections' : 'is not blocked, though nothing listens'}
          </List.Item>
        ))}
      </List>
    )}
  </div>
)
