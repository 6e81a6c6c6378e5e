import { Alert, Badge, Code, List, Stack, Text, TextInput, type TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Items } from '../../ui/description-list.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { Section } from '../../ui/page-parts.tsx'
import { RichText } from '../../ui/rich-text.tsx'
import classes from './deployments.module.css'
import { t } from '../../texts.ts'
import { addressOf, colors, cores, explain, memory, type Deployment } from './labels.ts'

/** A link to a deployment, or its hostname if the URL is unknown. */
export const Address = ({ name }: { name: string }) => {
  const address = addressOf(name)
  return address === undefined ? (
    <span className="user-content">{name}</span>
  ) : (
    <ExternalLink address={address}>{address.replace(/^https:\/\//, '')}</ExternalLink>
  )
}

type Explained = Parameters<typeof explain>[0]

export const StatusBadge = ({ deployment }: { deployment: Explained }) => {
  const { tone, label } = explain(deployment)
  return (
    <Badge component="span" color={colors[tone]}>
      {label}
    </Badge>
  )
}

interface StateProps {
  deployment: Explained & Pick<Deployment, 'last_health_check'>
  /** The state could not be read again. */
  stale?: boolean
  children: ReactNode
}

/** The state of a deployment, its meaning and the next step. */
export const StateSection = ({ deployment, stale = false, children }: StateProps) => {
  const { tone, label, text } = explain(deployment)
  return (
    <Section title={t('common.state')}>
      <Stack>
        <Alert role="status" color={colors[tone]} variant="light" title={label}>
          <Text size="sm">{text}</Text>
        </Alert>
        <Text size="sm" c="dimmed">
          {stale ? (
            t('deployments.deployment.the-state-could-not-be-read')
          ) : (
            <RichText
              k="common.last-health-check"
              time={<RelativeTime at={deployment.last_health_check} never={t('common.none-yet')} />}
            />
          )}
        </Text>
        {children}
      </Stack>
    </Section>
  )
}

type Described = Pick<
  Deployment,
  | 'container_image'
  | 'memory_limit_mb'
  | 'cpu_limit_millicores'
  | 'ready_replicas'
  | 'replicas'
  | 'host_server'
  | 'inserted_at'
  | 'deployed_at'
>

/** Facts of a deployment for its owner and admins; only admins get `domain`. */
export const factsOf = (deployment: Described, billing: ReactNode, domain?: string): Items => {
  const { memory_limit_mb, cpu_limit_millicores, ready_replicas, replicas } = deployment
  return [
    [t('common.image'), <Code key="image">{deployment.container_image}</Code>],
    [
      t('common.limits'),
      t('common.of-memory', {
        memory_limit_mb: memory(memory_limit_mb),
        cpu_limit_millicores: cores(cpu_limit_millicores),
      }),
    ],
    [t('common.billing'), billing],
    domain !== undefined && [t('admin.deployment.domain'), domain],
    [t('common.replicas'), t('common.of-ready', { ready_replicas, replicas })],
    [t('common.host'), deployment.host_server ?? t('common.none-yet')],
    [t('common.created'), <RelativeTime key="created" at={deployment.inserted_at} />],
    [t('common.last-deployed'), <RelativeTime key="deployed" at={deployment.deployed_at} />],
  ]
}

export const HealthPathInput = (props: TextInputProps) => (
  <TextInput
    {...props}
    label={t('deployments.parts.health-path')}
    description={t('deployments.parts.health-path-hint')}
    placeholder="/healthz"
    autoCapitalize="none"
    spellCheck={false}
  />
)

/** A container's last lines; renders nothing without lines. */
export const Tail = ({ lines, label }: { lines: unknown; label: string }) =>
  Array.isArray(lines) &&
  lines.length > 0 && (
    <Code block className={classes.details} tabIndex={0} role="region" aria-label={label}>
      {lines.join('\n')}
    </Code>
  )

/** The differences that a change or a rollback makes, one per line. */
export const Differences = ({ lines, none }: { lines: readonly string[]; none: string }) => (
  <div role="status" aria-label={t('common.what-changes')}>
    {lines.length === 0 ? (
      <Text size="sm" c="dimmed">
        {none}
      </Text>
    ) : (
      <List size="sm" spacing={2}>
        {lines.map((line) => (
          <List.Item key={line} className="user-content">
            {line}
          </List.Item>
        ))}
      </List>
    )}
  </div>
)
