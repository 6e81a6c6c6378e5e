import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import type { SearchAt } from '../../ui/url-state.ts'
import { useTabTitle } from '../../ui/tab-title.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import type { MyApp } from './access.ts'
import { AppBadges } from './app-badges.tsx'
import { AppOverview } from './app-overview.tsx'
import { AppScopes } from './app-scopes.tsx'
import { AppSecrets } from './app-secrets.tsx'
import { t } from '../../texts.ts'

const AppSettings = lazyComponent(() => import('./app-settings.tsx'))
const AppFigures = lazyComponent(() => import('./app-figures.tsx'))
const AppPayments = lazyComponent(() => import('./payments/app-payments.tsx'))
const AppBalance = lazyComponent(() => import('./payments/app-balance.tsx'))
const AppWebhooks = lazyComponent(() => import('./webhooks/app-webhooks.tsx'))

type Tab = NonNullable<SearchAt<'/apps/$id'>['tab']>

const tabsOf = (app: MyApp): Record<Tab, [string, () => ReactNode]> => ({
  overview: [t('common.overview'), () => <AppOverview app={app} />],
  payments: [t('common.payments'), () => <AppPayments app={app} />],
  balance: [t('common.balance'), () => <AppBalance app={app} />],
  webhooks: [t('common.webhooks'), () => <AppWebhooks app={app} />],
  settings: [t('common.settings'), () => <AppSettings key={app.id} app={app} />],
  secrets: [t('common.secrets'), () => <AppSecrets app={app} />],
  scopes: [t('common.scopes'), () => <AppScopes app={app} />],
  figures: [t('build.app.figures'), () => <AppFigures app={app} />],
})

/** One of the user's apps. */
export default function AppPage() {
  const { id } = useParams({ from: '/apps/$id' })
  const query = useApiQuery(listMyApps, {})
  return (
    <QueryResult query={query} rows={6}>
      {(apps) => {
        const app = apps.find((each) => each.id === id)
        return app ? <AppTabs app={app} /> : <NotYours />
      }}
    </QueryResult>
  )
}

const NotYours = () => (
  <>
    <PageHead title={t('common.app')} />
    <Section>
      <EmptyState icon="app" title={t('build.app.you-have-no-such-app')}>
        <LinkButton to="/apps" size="sm" mt="xs">
          {t('common.see-your-apps')}
        </LinkButton>
      </EmptyState>
    </Section>
  </>
)

function AppTabs({ app }: { app: MyApp }) {
  useTabTitle(app.app_name)
  const { tab } = useSearch({ from: '/apps/$id' })
  return (
    <>
      <PageHead
        title={<span className="user-content">{app.app_name}</span>}
        about={<AppBadges app={app} />}
        actions={
          <>
            <LinkButton to="/deployments" search={{ app: app.id }} variant="default">
              {t('common.deployments')}
            </LinkButton>
            <LinkButton to="/playground" search={{ app: app.id }} variant="default">
              {t('common.playground')}
            </LinkButton>
          </>
        }
      />
      <PageTabs label={t('common.parts-of-the-app')} tab={tab} tabs={tabsOf(app)} />
    </>
  )
}
