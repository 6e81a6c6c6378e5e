import { Alert, Button, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import {
  adminFollowDeploymentOutput,
  adminGetDeployment,
  adminListDeployLog,
  adminListDeploymentReleases,
  adminListDeployTiers,
  adminRollBackDeployment,
  adminSearchDeploymentOutput,
} from '../../../contract/admin-deployments.ts'
import { listAudit } from '../../../contract/admin-audit.ts'
import { callApi, type AnswerOf } from '../../api/call.ts'
import { isApiError } from '../../api/errors.ts'
import { useApiQuery, usePagedQuery } from '../../api/hooks.ts'
import { mayNow, useMay } from '../../session/rights.tsx'
import { currentSession } from '../../session/session.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Icon } from '../../ui/icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import { Link, LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { useTabTitle } from '../../ui/tab-title.ts'
import { factsOf, StateSection } from '../deployments/parts.tsx'
import { LogView } from '../deployments/log-view.tsx'
import type { OutputAccess } from '../deployments/output.ts'
import { ReleaseTable, RollBackDifferences } from '../deployments/release-table.tsx'
import { baseOf, type Release } from '../deployments/releases.ts'
import { PersonLink } from './person-link.tsx'
import { ReasonDialog } from './decision-dialogs.tsx'
import { t } from '../../texts.ts'
import { RichText } from '../../ui/rich-text.tsx'

const MetricsView = lazyComponent(() => import('../deployments/metrics-view.tsx'))
const OutputView = lazyComponent(() => import('../deployments/output-view.tsx'))

/** Poll interval, within the rate limit. */
const poll_ms = 5_000

type AdminDeployment = AnswerOf<typeof adminGetDeployment>

/** Any deployment, as its owner sees it (D-110): state, charts, releases, output and log. */
export default function DeploymentPage() {
  const { id } = useParams({ from: '/admin/deployments/$id' })
  const query = useApiQuery(adminGetDeployment, { params: { id } }, { refetchInterval: poll_ms })
  useTabTitle(query.data?.subdomain)
  if (isApiError(query.error, 'not_found') || isApiError(query.error, 'validation_failed')) return <NoDeployment />
  return (
    <QueryResult query={query} rows={6}>
      {(deployment) => <DeploymentView deployment={deployment} />}
    </QueryResult>
  )
}

const AllButton = () => (
  <LinkButton to="/admin/deployments" variant="default">
    {t('common.all-deployments')}
  </LinkButton>
)

const NoDeployment = () => (
  <>
    <PageHead title={t('common.deployment')} actions={<AllButton />} />
    <Section>
      <EmptyState icon="box" title={t('common.there-is-no-such-deployment')} />
    </Section>
  </>
)

function DeploymentView({ deployment }: { deployment: AdminDeployment }) {
  const { id, subdomain, app_id, app_name } = deployment
  const log = useApiQuery(adminListDeployLog, { params: { id } }, { refetchInterval: poll_ms })
  return (
    <>
      <PageHead
        title={subdomain}
        about={
          <RichText
            k="admin.deployment.of-the-app"
            link={
              <Link to="/admin/deployments" search={{ app_id }} className="user-content">
                {app_name}
              </Link>
            }
          />
        }
        actions={<AllButton />}
      />
      <Stack>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <State deployment={deployment} />
          <About deployment={deployment} />
        </SimpleGrid>
        <Suspense fallback={<Skeleton h={308} />}>
          <MetricsView deployment_id={id} />
        </Suspense>
        <Releases deployment={deployment} />
        <Output deployment={deployment} />
        <LogView query={log} />
      </Stack>
    </>
  )
}

function State({ deployment }: { deployment: AdminDeployment }) {
  const { suspended_by, last_error } = deployment
  return (
    <StateSection deployment={deployment}>
      {suspended_by === 'admin' && <Text size="sm">{t('admin.deployment.an-admin-has-suspended-it')}</Text>}
      {suspended_by === 'owner' && <Text size="sm">{t('admin.deployment.it-is-suspended-since-its-owner')}</Text>}
      {suspended_by === 'billing' && <Text size="sm">{t('admin.deployment.it-is-suspended-since-it-is')}</Text>}
      {last_error !== null && (
        <Text size="sm" c="red" className="user-content">
          {last_error}
        </Text>
      )}
    </StateSection>
  )
}

const About = ({ deployment }: { deployment: AdminDeployment }) => (
  <Section title={t('common.what-it-is')}>
    <DescriptionList
      items={[
        [t('common.owner'), <PersonLink key="owner" id={deployment.owner_id} name={deployment.owner_username} />],
        ...factsOf(
          deployment,
          deployment.billing_status ?? t('common.not-charged'),
          deployment.custom_domain ?? t('common.none'),
        ),
        mayNow(listAudit) && [t('common.audit'), <AuditLink key="audit" id={deployment.id} />],
      ]}
    />
  </Section>
)

const AuditLink = ({ id }: { id: string }) => (
  <Link to="/admin/audit" search={{ target_id: id }}>
    {t('admin.deployment.what-admins-did-with-it')}
  </Link>
)

function Releases({ deployment }: { deployment: AdminDeployment }) {
  const { id, subdomain } = deployment
  const query = useApiQuery(adminListDeploymentReleases, { params: { id } }, { refetchInterval: poll_ms })
  const tiers = usePagedQuery(adminListDeployTiers, {}).rows
  const may_roll_back = useMay(adminRollBackDeployment)
  const [back_to, setBackTo] = useState<Release>()
  const base = query.data && baseOf(query.data.releases)
  return (
    <Section title={t('common.releases')} about={t('admin.deployment.each-change-is-a-release-what')}>
      <QueryResult query={query}>
        {({ releases }) =>
          !base ? (
            <EmptyState icon="box" title={t('common.no-release-is-known-yet')} />
          ) : (
            <ReleaseTable releases={releases} base={base} onRollBack={may_roll_back ? setBackTo : undefined} />
          )
        }
      </QueryResult>
      {back_to && base && (
        <ReasonDialog
          endpoint={adminRollBackDeployment}
          id={id}
          body={() => ({ release_id: back_to.id })}
          title={t('admin.deployment.take-back-to-release', { subdomain, number: back_to.number })}
          action={t('common.roll-back')}
          hint={t('admin.deployment.the-owner-reads-it-in-the')}
          invalidates={[adminGetDeployment, adminListDeploymentReleases, adminListDeployLog]}
          done={t('common.accepted-the-earlier-release-takes-over')}
          onClose={() => setBackTo(undefined)}
        >
          <RollBackDifferences base={base} to={back_to} tiers={tiers} />
        </ReasonDialog>
      )}
    </Section>
  )
}

/** Reads the output as an admin; each access is audited. */
const outputAsAdmin = (id: string): OutputAccess => ({
  key: `admin ${id}`,
  search: (query) => callApi(adminSearchDeploymentOutput, { params: { id }, query }),
  stream: {
    path: adminFollowDeploymentOutput.path.replace('{id}', id),
    authorization: async () => `Bearer ${currentSession()?.token ?? ''}`,
    refused: () => undefined,
  },
})

/** The output, read only on demand: each access is audited. */
function Output({ deployment }: { deployment: AdminDeployment }) {
  const [is_shown, setShown] = useState(false)
  const access = useMemo(() => outputAsAdmin(deployment.id), [deployment.id])
  if (is_shown)
    return (
      <Suspense fallback={<Skeleton h={480} />}>
        <OutputView access={access} deployment={deployment} />
      </Suspense>
    )
  return (
    <Section title={t('common.output')} about={t('admin.deployment.what-the-containers-write-to-stdout')}>
      <Alert
        color="yellow"
        variant="light"
        icon={<Icon name="info" />}
        title={t('admin.deployment.every-look-is-recorded')}
      >
        <Text size="sm">{t('admin.deployment.the-audit-log-records-who-read')}</Text>
        <Button size="xs" variant="default" mt="sm" onClick={() => setShown(true)}>
          {t('admin.deployment.show-the-output')}
        </Button>
      </Alert>
    </Section>
  )
}
