import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PageHead, Section } from '../../ui/page-parts.tsx'
import { service_state_query, summaryOf } from './service-state.ts'
import { locale, t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

export default function Status() {
  const { data, dataUpdatedAt } = useQuery(service_state_query)
  return (
    <>
      <PageHead title={t('common.service-status')} about={t('public.status.the-state-of-plaza-as-seen')} />
      <Section maw={560}>
        <Stack gap="md" role="status" aria-live="polite">
          <Text fw={600} fz="lg">
            {summaryOf(data)}
          </Text>
          <StatusRow
            name={t('public.status.service')}
            good={data?.is_up}
            word={data?.is_up ? t('public.status.answers') : t('public.status.does-not-answer')}
          />
          <StatusRow
            name={t('public.status.database')}
            good={data?.is_up ? data.database : undefined}
            word={data?.database ? t('public.status.reachable') : t('public.status.not-reachable')}
          />
          <Group justify="space-between">
            <Text>{t('public.status.response-time')}</Text>
            <Text className="number">{data?.is_up ? t('public.status.ms', { took_ms: data.took_ms }) : '…'}</Text>
          </Group>
          <Group justify="space-between">
            <Text>{t('public.status.version')}</Text>
            <Text className="number">{data?.version ?? '…'}</Text>
          </Group>
        </Stack>
      </Section>
      <Text size="sm" c="dimmed" mt="md">
        <RichText
          k="public.status.for-machines-health"
          checked={dataUpdatedAt > 0}
          time={new Date(dataUpdatedAt).toLocaleTimeString(locale)}
          link={(part) => <a href="/health">{part}</a>}
        />
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
