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

const AppSettings = lazyComponent(() => import('./app-settings.tsx'))
const AppFigures = lazyComponent(() => import('./app-figures.tsx'))
const AppPayments = lazyComponent(() => import('./payments/app-payments.tsx'))
const AppBalance = lazyComponent(() => import('./payments/app-balance.tsx'))
const AppWebhooks = lazyComponent(() => import('./webhooks/app-webhooks.tsx'))

type Tab = 'overview' | 'payments' | 'balance' | 'webhooks' | 'settings' | 'secrets' | 'scopes' | 'figures'

const tabs: { value: Tab; label: string; content: (app: MyApp) => ReactNode }[] = [
  { value: 'overview', label: 'Overview', content: (app) => <AppOverview app={app} /> },
  { value: 'payments', label: 'Payments', content: (app) => <AppPayments app={app} /> },
  { value: 'balance', label: 'Balance', content: (app) => <AppBalance app={app} /> },
  { value: 'webhooks', label: 'Webhooks', content: (app) => <AppWebhooks app={app} /> },
  { value: 'settings', label: 'Settings', content: (app) => <AppSettings key={app.id} app={app} /> },
  { value: 'secrets', label: 'Secrets', content: (app) => <AppSecrets app={app} /> },
  { value: 'scopes', label: 'Scopes', content: (app) => <AppScopes app={app} /> },
  {
    value: 'figures',
    label: 'Figures',
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
    <PageHead title="App" />
    <Section>
      <EmptyState icon="app" title="You have no such app">
        <LinkButton to="/apps" size="sm" mt="xs">
          See your apps
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
              Deployments
            </LinkButton>
            <LinkButton to="/playground" search={{ app: app.id }} variant="default">
              Playground
            </LinkButton>
          </>
        }
      />
      <Tabs value={tab} onChange={(value) => show(tabs.find((one) => one.value === value)?.value)} keepMounted={false}>
        <Box className="scroll-x" mb="lg">
          <Tabs.List aria-label="Parts of the app" style={{ flexWrap: 'nowrap' }}>
            {tabs.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value} px={{ base: 8, sm: 'md' }}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Box>
        {tabs.map(({ value, content }) => (
          <Tabs.Panel key={value} value={value}>
            <Suspense fallback={<LoadingSkeleton rows={5} />}>{content(app)}</Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}
