import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  changeDeployment,
  getDeployment,
  getDeploymentStatus,
  listDeployLog,
  listDeploymentReleases,
  listDeployTiers,
  rollBackDeployment,
} from '../../../contract/deployments.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { ConfirmCall } from '../../ui/confirm-call.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { asApp, type MyApp } from '../build/access.ts'
import { may } from '../build/may.tsx'
import { disabledReason, type Deployment } from './labels.ts'
import { ReleaseTable, RollBackDifferences } from './release-table.tsx'
import { baseOf, type Release } from './releases.ts'
import { t } from '../../texts.ts'

const ChangeForm = lazyComponent(() => import('./change-form.tsx'))

/** Within the rate limit. */
const poll_ms = 4_000
const invalidates = [getDeployment, getDeploymentStatus, listDeployLog, listDeploymentReleases]

interface ReleasesProps {
  app: MyApp
  deployment: Deployment
}

/** The releases of a deployment (D-104), with the outcome of each; a change or a rollback starts here. */
export function ReleasesView({ app, deployment }: ReleasesProps) {
  const query = useApiQuery(
    listDeploymentReleases,
    { params: { id: deployment.id } },
    {
      as: asApp(app.id),
      // The state may be the same before and after a release, so it does not show when a release is settled.
      refetchInterval: ({ state }) =>
        state.data?.releases.some(({ status }) => status === 'pending') ? poll_ms : false,
    },
  )
  return (
    <Section title={t('common.releases')} about={t('deployments.releases-view.each-change-is-a-release-the')}>
      <QueryResult
        query={query}
        empty={
          <EmptyState icon="box" title={t('common.no-release-is-known-yet')}>
            {t('deployments.releases-view.the-first-one-is-noted-with')}
          </EmptyState>
        }
      >
        {({ releases }) => <Releases app={app} deployment={deployment} releases={releases} />}
      </QueryResult>
    </Section>
  )
}

function Releases({ app, deployment, releases }: ReleasesProps & { releases: Release[] }) {
  const tiers = useApiQuery(listDeployTiers, {}, { as: asApp(app.id) }).data?.tiers ?? []
  const [is_changing, setChanging] = useState(false)
  const [back_to, setBackTo] = useState<Release>()
  const base = baseOf(releases)!
  const reason = disabledReason('change', deployment)
  const may_change = may(app, changeDeployment)
  return (
    <Stack>
      {may_change && (
        <Group>
          <Button variant="default" onClick={() => setChanging(true)} disabled={reason !== undefined}>
            {t('common.change')}
          </Button>
          {reason !== undefined && (
            <Text size="sm" c="dimmed">
              {reason}
            </Text>
          )}
        </Group>
      )}
      <ReleaseTable releases={releases} base={base} onRollBack={may_change ? setBackTo : undefined} />
      <Modal
        opened={is_changing}
        onClose={() => setChanging(false)}
        title={t('deployments.releases-view.change-2', { subdomain: deployment.subdomain })}
        size="lg"
      >
        <ChangeForm
          app_id={app.id}
          deployment={deployment}
          base={base}
          tiers={tiers}
          onClose={() => setChanging(false)}
        />
      </Modal>
      {back_to && (
        <ConfirmCall
          as={asApp(app.id)}
          endpoint={rollBackDeployment}
          input={{ params: { id: deployment.id }, body: { release_id: back_to.id } }}
          invalidates={invalidates}
          done={() => t('common.accepted-the-earlier-release-takes-over')}
          onClose={() => setBackTo(undefined)}
          title={t('deployments.releases-view.go-back-to-release', { number: back_to.number })}
          action={t('common.roll-back')}
        >
          <RollBackDifferences base={base} to={back_to} tiers={tiers} />
        </ConfirmCall>
      )}
    </Stack>
  )
}
