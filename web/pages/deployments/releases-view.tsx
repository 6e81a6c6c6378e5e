import { Badge, Button, Code, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import {
  getDeployment,
  getDeploymentStatus,
  listDeployLog,
  listDeploymentReleases,
  listDeployTiers,
  rollBackDeployment,
} from '../../../contract/deployments.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { RelativeTime } from '../../ui/format.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import rowsClasses from '../../ui/responsive-table.module.css'
import { useAppCall, useAppQuery } from '../build/access.ts'
import classes from './deployments.module.css'
import { Differences } from './differences.tsx'
import { disabledReason, type Deployment, type Tier } from './labels.ts'
import { baseOf, linesOfRollBack, release_states, shortImage, type Release } from './releases.ts'

const ChangeForm = lazyComponent(() => import('./change-form.tsx'))

const shown_first = 10
/** Within the rate limit. */
const poll_ms = 4_000
const invalidates = [getDeployment, getDeploymentStatus, listDeployLog, listDeploymentReleases]

interface ReleasesProps {
  app_id: string
  deployment: Deployment
}

/** The releases of a deployment (D-104), with what became of each; a change and a roll back begin here. */
export function ReleasesView({ app_id, deployment }: ReleasesProps) {
  const query = useAppQuery(
    app_id,
    listDeploymentReleases,
    { params: { id: deployment.id } },
    {
      // The state may be the same before and after a release, so it does not tell when one is settled.
      refetchInterval: ({ state }) =>
        state.data?.releases.some(({ status }) => status === 'pending') ? poll_ms : false,
    },
  )
  return (
    <Section
      title="Releases"
      about="Each change is a release. The new container takes over when its port answers; one that does not come up leaves what serves in place."
    >
      <QueryResult query={query}>
        {({ releases }) =>
          releases.length === 0 ? (
            <EmptyState icon="box" title="No release is known yet">
              The first one is noted with the next change.
            </EmptyState>
          ) : (
            <Releases app_id={app_id} deployment={deployment} releases={releases} />
          )
        }
      </QueryResult>
    </Section>
  )
}

function Releases({ app_id, deployment, releases }: ReleasesProps & { releases: Release[] }) {
  const tiers = useAppQuery(app_id, listDeployTiers, {}).data?.tiers ?? []
  const [is_changing, setChanging] = useState(false)
  const [back_to, setBackTo] = useState<Release>()
  const [all, setAll] = useState(false)
  const base = baseOf(releases)!
  const reason = disabledReason('change', deployment)
  return (
    <Stack>
      <Group>
        <Button variant="default" onClick={() => setChanging(true)} disabled={reason !== undefined}>
          Change
        </Button>
        {reason !== undefined && (
          <Text size="sm" c="dimmed">
            {reason}
          </Text>
        )}
      </Group>
      <ReleaseTable releases={all ? releases : releases.slice(0, shown_first)} base={base} onRollBack={setBackTo} />
      {releases.length > shown_first && !all && (
        <Group justify="center">
          <Button variant="default" onClick={() => setAll(true)}>
            Show all {releases.length}
          </Button>
        </Group>
      )}
      <Modal opened={is_changing} onClose={() => setChanging(false)} title={`Change ${deployment.subdomain}`} size="lg">
        <ChangeForm
          app_id={app_id}
          deployment={deployment}
          base={base}
          tiers={tiers}
          onClose={() => setChanging(false)}
        />
      </Modal>
      <RollBack
        app_id={app_id}
        deployment={deployment}
        base={base}
        to={back_to}
        tiers={tiers}
        onClose={() => setBackTo(undefined)}
      />
    </Stack>
  )
}

interface RollBackProps extends ReleasesProps {
  base: Release
  to: Release | undefined
  tiers: Tier[]
  onClose: () => void
}

function RollBack({ app_id, deployment, base, to, tiers, onClose }: RollBackProps) {
  const call = useAppCall(app_id, rollBackDeployment, {
    invalidates,
    onDone: () => {
      notify('Accepted. The earlier release takes over once it answers.')
      onClose()
    },
  })
  const tierOf = (id: string) => tiers.find((tier) => tier.id === id)?.name ?? 'another tier'
  return (
    <Confirm
      opened={to !== undefined}
      onClose={onClose}
      title={`Go back to release ${to?.number ?? ''}?`}
      action="Roll back"
      onConfirm={() => to && call.mutate({ params: { id: deployment.id }, body: { release_id: to.id } })}
      busy={call.isPending}
      error={call.error}
    >
      {to && <Differences lines={linesOfRollBack(base, to, tierOf)} none="Nothing differs: it would stay as it is." />}
    </Confirm>
  )
}

interface ReleaseTableProps {
  releases: Release[]
  base: Release
  onRollBack: (release: Release) => void
}

const ReleaseTable = ({ releases, base, onRollBack }: ReleaseTableProps) => (
  <div className="scroll-x" tabIndex={0} role="region" aria-label="Releases">
    <Table className={rowsClasses.rows} miw={{ base: 0, sm: 700 }} verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th miw={72}>Release</Table.Th>
          <Table.Th miw={112}>State</Table.Th>
          <Table.Th miw={280}>What it is</Table.Th>
          <Table.Th miw={112}>Made</Table.Th>
          <Table.Th miw={112}>
            <VisuallyHidden>Roll back</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {releases.map((release) => (
          <Row
            key={release.id}
            release={release}
            may_return={release.id !== base.id && release.served_at !== null}
            onRollBack={onRollBack}
          />
        ))}
      </Table.Tbody>
    </Table>
  </div>
)

const words: Record<Release['changed'][number], string> = {
  image: 'image',
  tier: 'tier',
  port: 'port',
  custom_domain: 'domain',
  env_vars: 'environment',
  replicas: 'replicas',
}

const differenceOf = ({ number, rolled_back_to, changed, env_changed }: Release) => {
  if (rolled_back_to !== null) return `Back to release ${rolled_back_to}`
  if (changed.length === 0) return number === 1 ? 'The first one' : 'No difference'
  const names = env_changed.length > 0 ? ` (${env_changed.join(', ')})` : ''
  return `Changed: ${changed.map((what) => words[what]).join(', ')}${names}`
}

function Row({
  release,
  may_return,
  onRollBack,
}: {
  release: Release
  may_return: boolean
  onRollBack: (release: Release) => void
}) {
  const { color, label } = release_states[release.status]
  const tail = release.failure?.tail
  return (
    <Table.Tr>
      <Table.Td fw={600} valign="top" className="number">
        {release.number}
      </Table.Td>
      <Table.Td valign="top">
        <Badge color={color}>{label}</Badge>
      </Table.Td>
      <Table.Td valign="top" data-wide>
        <Code className="user-content" title={release.container_image}>
          {shortImage(release.container_image)}
        </Code>
        <Text size="xs" c="dimmed" className="user-content">
          {differenceOf(release)}
        </Text>
        {typeof release.failure?.message === 'string' && <Text size="sm">{release.failure.message}</Text>}
        {Array.isArray(tail) && tail.length > 0 && (
          <Code
            block
            className={classes.details}
            tabIndex={0}
            role="region"
            aria-label={`Last output of release ${release.number}`}
          >
            {tail.join('\n')}
          </Code>
        )}
      </Table.Td>
      <Table.Td valign="top">
        <RelativeTime at={release.inserted_at} />
      </Table.Td>
      <Table.Td valign="top">
        {may_return && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onRollBack(release)}
            aria-label={`Roll back to release ${release.number}`}
          >
            Roll back
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
