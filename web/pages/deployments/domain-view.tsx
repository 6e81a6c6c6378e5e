import { Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { decisions } from '../../../contract/decisions.ts'
import { getDeploymentDomain, verifyDeploymentDomain } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { useApiMutation, useApiQuery } from '../../api/hooks.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { asApp, type MyApp } from '../build/access.ts'
import { may } from '../build/may.tsx'
import { Copyable } from '../build/copyable.tsx'
import { Address } from './parts.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const { unproved_minutes } = decisions.custom_domains

/** The custom domain of a deployment and its verification record. */
export function DomainView({ app, deployment_id }: { app: MyApp; deployment_id: string }) {
  const query = useApiQuery(getDeploymentDomain, { params: { id: deployment_id } }, { as: asApp(app.id) })
  return (
    <Section title={t('common.custom-domain')}>
      <QueryResult query={query}>
        {(domain) => <DomainStatus app={app} deployment_id={deployment_id} domain={domain} />}
      </QueryResult>
    </Section>
  )
}

/** The values are long: each gets the full width, below its name. */
const Record = ({ domain: { record_name, record_value } }: Pick<DomainStatusProps, 'domain'>) => (
  <Stack component="dl" gap="xs" m={0}>
    {[
      [t('deployments.domain-view.type'), 'TXT'] as const,
      [
        t('common.name'),
        <Copyable key="name" value={record_name} what={t('deployments.domain-view.the-name-of-the-record')} />,
      ] as const,
      [
        t('deployments.domain-view.value'),
        <Copyable key="value" value={record_value} what={t('deployments.domain-view.the-value-of-the-record')} />,
      ] as const,
    ].map(([name, value]) => (
      <div key={name}>
        <Text component="dt" size="sm" c="dimmed">
          {name}
        </Text>
        <Text component="dd" size="sm" m={0}>
          {value}
        </Text>
      </div>
    ))}
  </Stack>
)

interface DomainStatusProps {
  app: MyApp
  deployment_id: string
  domain: AnswerOf<typeof getDeploymentDomain>
}

function DomainStatus({ app, deployment_id, domain }: DomainStatusProps) {
  const check = useApiMutation(verifyDeploymentDomain, { as: asApp(app.id), invalidates: [getDeploymentDomain] })
  const { verified_at } = check.data ?? domain
  return (
    <Stack>
      <Group gap="xs">
        <Text fw={600} className="user-content">
          {verified_at ? <Address name={domain.domain} /> : domain.domain}
        </Text>
        {verified_at ? (
          <Badge>{t('common.verified')}</Badge>
        ) : (
          <Badge color="yellow">{t('deployments.domain-view.not-verified-yet')}</Badge>
        )}
      </Group>
      {verified_at ? (
        <Text size="sm" c="dimmed">
          <RichText
            k="deployments.domain-view.verified-keep-the-record-it-is"
            time={<RelativeTime at={verified_at} />}
          />
        </Text>
      ) : (
        <List type="ordered" size="sm" spacing={4}>
          <List.Item>{t('deployments.domain-view.publish-this-txt-record-where-the')}</List.Item>
          <List.Item>{t('deployments.domain-view.point-the-domain-itself-at-this')}</List.Item>
          <List.Item>{t('deployments.domain-view.press-check-now-or-wait-plaza', { unproved_minutes })}</List.Item>
        </List>
      )}
      <Record domain={domain} />
      <FailureNote error={check.error} />
      {check.data && !check.data.verified_at && (
        <Text size="sm" role="status">
          {t('deployments.domain-view.this-plazas-name-servers-do-not')}
        </Text>
      )}
      {may(app, verifyDeploymentDomain) && (
        <Group>
          <Button
            variant="default"
            loading={check.isPending}
            onClick={() => check.mutate({ params: { id: deployment_id } })}
          >
            {t('deployments.domain-view.check-now')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
