import { Alert, Badge, Code, Group, List, Stack, Text } from '@mantine/core'
import { listContainerHosts } from '../../../contract/admin-deployments.ts'
import { engines, isEngineKind } from '../../../contract/kinds/engines.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { formatNumber, RelativeTime } from '../../ui/format.tsx'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { cores, memory } from '../deployments/labels.ts'
import { t } from '../../texts.ts'

type Host = AnswerOf<typeof listContainerHosts>['hosts'][number]
type Machine = Host['isolation'][number]

const engineName = (kind: string) => (isEngineKind(kind) ? engines[kind].label : kind)

export default function Hosts() {
  const query = useApiQuery(listContainerHosts, {}, { refetchInterval: 15_000 })
  return (
    <>
      <PageHead
        title={t('common.container-hosts')}
        about={t('admin.hosts.where-apps-run-as-the-workers')}
        actions={
          <LinkButton to="/admin/deployments" size="sm" variant="default">
            {t('common.all-deployments')}
          </LinkButton>
        }
      />
      <QueryResult
        query={query}
        rows={6}
        empty={
          <Section>
            <EmptyState icon="box" title={t('admin.hosts.no-container-host')}>
              {t('admin.hosts.name-one-in-container-hosts-of')}
            </EmptyState>
          </Section>
        }
      >
        {({ hosts }) => (
          <Stack>
            {hosts.map((host) => (
              <HostCard key={host.name} host={host} />
            ))}
          </Stack>
        )}
      </QueryResult>
    </>
  )
}

const HostCard = ({ host }: { host: Host }) => (
  <Section title={host.name}>
    <Stack>
      {!host.reachable && (
        <Alert color="red" title={t('admin.hosts.no-worker-reaches-it')}>
          {t('admin.hosts.its-apps-go-on-as-they')}
        </Alert>
      )}
      {host.isolation.some(({ state }) => state === 'reachable') && (
        <Alert color="red" title={t('admin.hosts.nothing-new-starts-here')}>
          {t('admin.hosts.containers-of-apps-reach-what-they')}
        </Alert>
      )}
      {host.advice.map((text) => (
        <Alert key={text} color="yellow">
          {text}
        </Alert>
      ))}
      <DescriptionList
        items={[
          [t('admin.hosts.engine'), `${engineName(host.kind)} ${host.version ?? ''}`],
          [t('admin.hosts.last-seen'), <RelativeTime key="seen" at={host.seen_at} />],
          [
            t('admin.hosts.machines'),
            host.machines === null ? t('admin.hosts.not-known-yet') : formatNumber(host.machines),
          ],
          [t('common.memory'), host.memory_mb === null ? t('admin.hosts.not-known-yet') : memory(host.memory_mb)],
          [t('common.processor'), host.millicores === null ? t('admin.hosts.not-known-yet') : cores(host.millicores)],
          [t('common.deployments'), formatNumber(host.deployments)],
        ]}
      />
      <div>
        <Text fw={600} mb="xs">
          {t('admin.hosts.isolation-of-apps')}
        </Text>
        {host.isolation.length === 0 && <Text c="dimmed">{t('admin.hosts.it-has-not-been-tried-yet')}</Text>}
        <Stack gap="sm">
          {host.isolation.map((machine) => (
            <MachineIsolation key={machine.node ?? ''} machine={machine} />
          ))}
        </Stack>
      </div>
      {host.limits.length > 0 && (
        <div>
          <Text fw={600} mb="xs">
            {t('admin.hosts.what-it-cannot-do')}
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
const meanings = (): Record<Machine['state'], string> => ({
  isolated: t('admin.hosts.containers-reach-nothing-that-they'),
  reachable: t('admin.hosts.containers-reach-what-they-should-not'),
  unchecked: t('admin.hosts.it-could-not-be-tried'),
  trusted: t('admin.hosts.it-is-not-tried-isolation-says'),
})
const things = (): Record<Machine['found'][number]['what'], string> => ({
  app: t('admin.hosts.another-app'),
  host: t('admin.hosts.the-host'),
  engine: t('admin.hosts.the-engines-api'),
  metadata: t('admin.hosts.the-metadata-address-of-the-cloud'),
  registry: t('admin.hosts.the-private-registry'),
  database: t('admin.hosts.the-database'),
})

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
    <Text size="sm">{machine.reason ?? meanings()[machine.state]}</Text>
    {machine.found.length > 0 && (
      <List size="sm" mt={4}>
        {machine.found.map(({ what, address, port, answer }) => (
          <List.Item key={`${what} ${address} ${port}`}>
            {things()[what]}: <Code>{`${address}:${port}`}</Code>{' '}
            {answer === 'connected'
              ? t('admin.hosts.accepts-connections')
              : t('admin.hosts.is-not-blocked-though-nothing-listens')}
          </List.Item>
        ))}
      </List>
    )}
  </div>
)
