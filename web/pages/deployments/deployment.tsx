import { Anchor, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { Suspense, useEffect, useMemo } from 'react'
import {
  followDeploymentOutput,
  getDeployment,
  getDeploymentStatus,
  listDeployLog,
  listDeploymentReleases,
  restartDeployment,
  searchDeploymentOutput,
} from '../../../contract/deployments.ts'
import { isApiError } from '../../api/errors.ts'
import { invalidate, useApiQuery } from '../../api/hooks.ts'
import { settings } from '../../settings.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { useTabTitle } from '../../ui/tab-title.ts'
import { RelativeTime } from '../../ui/format.tsx'
import { AccessNote } from '../build/access-gate.tsx'
import { appAuthorization, asApp, discardAccess, type MyApp } from '../build/access.ts'
import { may } from '../build/may.tsx'
import { DomainView } from './domain-view.tsx'
import { Hosting } from './hosting.tsx'
import { LogView } from './log-view.tsx'
import { Operations } from './operations.tsx'
import type { OutputAccess } from './output.ts'
import { ReleasesView } from './releases-view.tsx'
import { Address, factsOf, StateSection, StatusBadge } from './parts.tsx'
import { isChanging, nameOf, no_charge, type Deployment } from './labels.ts'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const MetricsView = lazyComponent(() => import('./metrics-view.tsx'))
const OutputView = lazyComponent(() => import('./output-view.tsx'))

/** Poll intervals. Both are within the rate limit. */
const poll_ms = { changing: 2_500, stable: 10_000 }

/** One deployment: its live state, operations, output and action log. */
export default function DeploymentPage() {
  const { id } = useParams({ from: '/deployments/$id' })
  return (
    <Hosting
      what={t('deployments.deployment.look-after-its-deployment')}
      head={<PageHead title={t('common.deployment')} />}
    >
      {(app) => <DeploymentView app={app} id={id} />}
    </Hosting>
  )
}

/** Polls the status; refetches the deployment and its log when the status has changed. */
function useLiveDeployment(app_id: string, id: string) {
  const input = { params: { id } }
  const as = asApp(app_id)
  const row = useApiQuery(getDeployment, input, { as })
  const status = useApiQuery(getDeploymentStatus, input, {
    as,
    refetchInterval: ({ state }) => (isChanging(state.data) ? poll_ms.changing : poll_ms.stable),
  })
  const polled_state = `${status.data?.status} ${status.data?.health_status}`
  useEffect(() => {
    void invalidate([getDeployment, listDeployLog, listDeploymentReleases], asApp(app_id))
  }, [polled_state, app_id])
  const { status: now, health_status, last_health_check, is_stopping } = status.data ?? {}
  const data =
    row.data && now
      ? {
          ...row.data,
          status: now,
          health_status: health_status ?? null,
          last_health_check: last_health_check ?? null,
          is_stopping: is_stopping ?? false,
        }
      : row.data
  return { row: { ...row, data }, live_error: status.error }
}

const outputAsApp = (app_id: string, id: string): OutputAccess => ({
  key: `${app_id} ${id}`,
  search: (query) => asApp(app_id).call(searchDeploymentOutput, { params: { id }, query }),
  stream: {
    path: followDeploymentOutput.path.replace('{id}', id),
    authorization: () => appAuthorization(app_id),
    refused: (authorization) => discardAccess(app_id, authorization),
  },
})

/** Whether the deployment does not exist or the id in the URL is invalid. */
const isMissing = (error: unknown) => isApiError(error, 'not_found') || (isApiError(error) && error.fields.length > 0)

function DeploymentView({ app, id }: { app: MyApp; id: string }) {
  const { row, live_error } = useLiveDeployment(app.id, id)
  const output = useMemo(() => outputAsApp(app.id, id), [app.id, id])
  const log = useApiQuery(listDeployLog, { params: { id } }, { as: asApp(app.id), enabled: row.data !== undefined })
  useTabTitle(row.data?.subdomain)
  if (isMissing(row.error) || isMissing(live_error)) return <NoDeployment app={app} />
  return (
    <QueryResult query={row} rows={6}>
      {(deployment) => (
        <>
          <PageHead
            title={deployment.subdomain}
            about={
              <RichText
                k="deployments.deployment.of"
                status_badge={<StatusBadge deployment={deployment} />}
                link={
                  <Link to="/apps/$id" params={{ id: app.id }} className="user-content">
                    {app.app_name}
                  </Link>
                }
              />
            }
            actions={
              <LinkButton to="/deployments" search={{ app: app.id }} variant="default">
                {t('common.all-deployments')}
              </LinkButton>
            }
          />
          <Stack>
            <AccessNote app_id={app.id} />
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <State app={app} deployment={deployment} stale={live_error !== null} />
              <About deployment={deployment} />
            </SimpleGrid>
            {deployment.custom_domain && <DomainView app={app} deployment_id={id} />}
            <Suspense fallback={<Skeleton h={308} />}>
              <MetricsView as={asApp(app.id)} deployment_id={id} />
            </Suspense>
            <ReleasesView app={app} deployment={deployment} />
            <Suspense fallback={<Skeleton h={480} />}>
              <OutputView access={output} deployment={deployment} />
            </Suspense>
            <LogView query={log} />
          </Stack>
        </>
      )}
    </QueryResult>
  )
}

const NoDeployment = ({ app }: { app: MyApp }) => (
  <>
    <PageHead title={t('common.deployment')} />
    <Section>
      <EmptyState icon="box" title={t('common.there-is-no-such-deployment')}>
        <RichText
          k="deployments.deployment.it-was-destroyed-or-it-belongs"
          mark={<span className="user-content">{app.app_name}</span>}
        />
        <br />
        <LinkButton to="/deployments" search={{ app: app.id }} size="sm" mt="md">
          {t('deployments.deployment.see-the-deployments')}
        </LinkButton>
      </EmptyState>
    </Section>
  </>
)

const State = ({ app, deployment, stale }: { app: MyApp; deployment: Deployment; stale: boolean }) => (
  <StateSection deployment={deployment} stale={stale}>
    {may(app, restartDeployment) && <Operations app_id={app.id} deployment={deployment} />}
  </StateSection>
)

const About = ({ deployment }: { deployment: Deployment }) => (
  <Section title={t('common.what-it-is')}>
    <DescriptionList
      items={[
        [t('common.address'), <Address key="address" name={nameOf(deployment.subdomain)} />],
        ...factsOf(deployment, settings.is_billing_on ? billingOf(deployment.billing_status) : no_charge()),
        [t('common.stopped'), <RelativeTime key="stopped" at={deployment.stopped_at} />],
        [
          t('deployments.deployment.container'),
          <CopyButton
            key="container"
            text={deployment.container_name}
            what={t('deployments.deployment.the-name-of-the-container')}
            size="compact-xs"
          />,
        ],
      ]}
    />
    <Text size="xs" c="dimmed" mt="md">
      <RichText
        k="deployments.deployment.a-restart-fetches-anew-what-the"
        link={(part) => <Anchor href="/docs">{part}</Anchor>}
      />
    </Text>
  </Section>
)

const billingOf = (billing_status: string | null) =>
  ({
    active: t('deployments.deployment.paid'),
    suspended: t('deployments.deployment.suspended-too-few-points'),
    awaiting_payment: t('common.awaiting-payment'),
  })[billing_status ?? ''] ??
  billing_status ??
  t('common.not-charged')
