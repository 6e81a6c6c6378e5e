import { Suspense } from 'react'
import { listMyApps } from '../../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../../api/hooks.ts'
import { lazyComponent } from '../../../ui/lazy-component.tsx'
import { LinkButton } from '../../../ui/link.tsx'
import { EmptyState, LoadingSkeleton, PageHead, QueryResult, Section } from '../../../ui/page-parts.tsx'
import { t } from '../../../texts.ts'

const Steps = lazyComponent(() => import('./steps.tsx'))

/** The authorization code flow with PKCE for one of the user's apps, step by step, with every request and response. */
export default function Playground() {
  const query = useApiQuery(listMyApps, {})
  return (
    <>
      <PageHead title={t('common.playground')} about={t('build.playground.let-your-own-app-in-as')} />
      <QueryResult query={query} empty={<NoApps />}>
        {(apps) => (
          <Suspense fallback={<LoadingSkeleton rows={8} />}>
            <Steps apps={apps} />
          </Suspense>
        )}
      </QueryResult>
    </>
  )
}

const NoApps = () => (
  <Section>
    <EmptyState icon="play" title={t('build.playground.the-playground-needs-an-app-of')}>
      <LinkButton to="/apps/new" size="sm" mt="xs">
        {t('common.register-an-app')}
      </LinkButton>
    </EmptyState>
  </Section>
)
