import { Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { decisions } from '../../../contract/decisions.ts'
import { getDeploymentDomain, verifyDeploymentDomain } from '../../../contract/deployments.ts'
import type { AnswerOf } from '../../api/call.ts'
import { FailureNote } from '../../ui/failure-note.tsx'
import { QueryResult, Section } from '../../ui/page-parts.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { useAppCall, useAppQuery } from '../build/access.ts'
import { Copyable } from '../build/copyable.tsx'
import { Address } from './address.tsx'

const { unproved_minutes } = decisions['D-61'].value

/** The custom domain of a deployment and its verification record. */
export function DomainView({ app_id, deployment_id }: { app_id: string; deployment_id: string }) {
  const params = { id: deployment_id }
  const query = useAppQuery(app_id, getDeploymentDomain, { params })
  return (
    <Section title="Custom domain">
      <QueryResult query={query}>
        {(domain) => <DomainStatus app_id={app_id} deployment_id={deployment_id} domain={domain} />}
      </QueryResult>
    </Section>
  )
}

/** The values are long: each has the full width, below its name. */
const Record = ({ domain: { record_name, record_value } }: Pick<DomainStatusProps, 'domain'>) => (
  <Stack component="dl" gap="xs" m={0}>
    {[
      ['Type', 'TXT'] as const,
      ['Name', <Copyable key="name" value={record_name} what="the name of the record" />] as const,
      ['Value', <Copyable key="value" value={record_value} what="the value of the record" />] as const,
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
  app_id: string
  deployment_id: string
  domain: AnswerOf<typeof getDeploymentDomain>
}

function DomainStatus({ app_id, deployment_id, domain }: DomainStatusProps) {
  const check = useAppCall(app_id, verifyDeploymentDomain, { invalidates: [getDeploymentDomain] })
  const { verified_at } = check.data ?? domain
  return (
    <Stack>
      <Group gap="xs">
        <Text fw={600} className="user-content">
          {verified_at ? <Address name={domain.domain} /> : domain.domain}
        </Text>
        {verified_at ? <Badge>Verified</Badge> : <Badge color="yellow">Not verified yet</Badge>}
      </Group>
      {verified_at ? (
        <Text size="sm" c="dimmed">
          Verified <RelativeTime at={verified_at} />. Keep the record: it is checked regularly.
        </Text>
      ) : (
        <List type="ordered" size="sm" spacing={4}>
          <List.Item>Publish this TXT record where the domain’s DNS is kept.</List.Item>
          <List.Item>
            Point the domain itself at this Plaza: an A, AAAA or CNAME record, as its operator tells you.
          </List.Item>
          <List.Item>
            Press “Check now”, or wait: Plaza checks every {unproved_minutes} minutes. DNS may take a while.
          </List.Item>
        </List>
      )}
      <Record domain={domain} />
      <FailureNote error={check.error} />
      {check.data && !check.data.verified_at && (
        <Text size="sm" role="status">
          This Plaza’s name servers do not find the record yet.
        </Text>
      )}
      <Group>
        <Button
          variant="default"
          loading={check.isPending}
          onClick={() => check.mutate({ params: { id: deployment_id } })}
        >
          Check now
        </Button>
      </Group>
    </Stack>
  )
}
