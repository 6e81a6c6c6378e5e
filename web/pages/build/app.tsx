import { Box, Tabs } from '@mantine/core'
import { useParams, useRouter, useSearch } from '@tanstack/react-router'
import { Suspense, type ReactNode } from 'react'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section, LoadingSkeleton } from '../../ui/page-parts.tsx'
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

type Tab = 'overview' | 'payments' | 'balance' | 'webhooks' | 'settings' | 'secrets' | 'scopes' | 'figures'

const tabs = (): { value: Tab; label: string; content: (app: MyApp) => ReactNode }[] => [
  { value: 'overview', label: t('common.overview'), content: (app) => <AppOverview app={app} /> },
  { value: 'payments', label: t('common.payments'), content: (app) => <AppPayments app={app} /> },
  { value: 'balance', label: t('common.balance'), content: (app) => <AppBalance app={app} /> },
  { value: 'webhooks', label: t('common.webhooks'), content: (app) => <AppWebhooks app={app} /> },
  { value: 'settings', label: t('common.settings'), content: (app) => <AppSettings key={app.id} app={app} /> },
  { value: 'secrets', label: t('build.app.secrets'), content: (app) => <AppSecrets app={app} /> },
  { value: 'scopes', label: t('common.scopes'), content: (app) => <AppScopes app={app} /> },
  {
    value: 'figures',
    label: t('build.app.figures'),
    content: (app) => <AppFigures app={app} />,
  },
]

/** One of the user's apps. The tab is in the URL, so that it can be linked and survives a reload. */
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
  const router = useRouter()
  const { tab = 'overview' } = useSearch({ from: '/apps/$id' })
  const show = (value: Tab | undefined) =>
    void router.navigate({
      to: '/apps/$id',
      params: { id: app.id },
      search: value === 'overview' ? {} : { tab: value },
      replace: true,
      resetScroll: false,
    })
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
      <Tabs
        value={tab}
        onChange={(value) => show(tabs().find((one) => one.value === value)?.value)}
        keepMounted={false}
      >
        <Box className="scroll-x" mb="lg">
          <Tabs.List aria-label={t('build.app.parts-of-the-app')} style={{ flexWrap: 'nowrap' }}>
            {tabs().map(({ value, label }) => (
              <Tabs.Tab key={value} value={value} px={{ base: 8, sm: 'md' }}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Box>
        {tabs().map(({ value, content }) => (
          <Tabs.Panel key={value} value={value}>
            <Suspense fallback={<LoadingSkeleton rows={5} />}>{content(app)}</Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
