import { Stack } from '@mantine/core'
import { Navigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, PageHead, QueryResult, Section } from '../../ui/page-parts.tsx'
import { PageTabs } from '../../ui/page-tabs.tsx'
import type { SearchAt } from '../../ui/url-state.ts'
import { lazyComponent } from '../../ui/lazy-component.tsx'
import type { MyApp } from './access.ts'
import { AppBadges } from './app-badges.tsx'
import type { DeveloperPart } from './app-developers.tsx'
import { t } from '../../texts.ts'

const AppHome = lazyComponent(() => import('./app-home.tsx'))
const AppPayments = lazyComponent(() => import('./payments/app-payments.tsx'))
const AppPeople = lazyComponent(() => import('./app-people.tsx'))
const AppDevelopers = lazyComponent(() => import('./app-developers.tsx'))
const AppSettings = lazyComponent(() => import('./app-settings.tsx'))
const AppOwner = lazyComponent(() => import('./app-owner.tsx'))

type Tab = Exclude<NonNullable<SearchAt<'/apps/$id'>['tab']>, keyof typeof moved_tabs>

/** Tabs of version 0.2 that are now parts of others. */
const moved_tabs = {
  overview: { tab: 'home' },
  balance: { tab: 'payments' },
  figures: { tab: 'people' },
  webhooks: { tab: 'developers', hash: 'webhooks' },
  secrets: { tab: 'developers', hash: 'secrets' },
  scopes: { tab: 'developers', hash: 'scopes' },
} as const satisfies Record<string, { tab: string; hash?: DeveloperPart }>

const tabsOf = (app: MyApp): Record<Tab, [string, () => ReactNode]> => ({
  home: [t('common.home'), () => <AppHome app={app} />],
  payments: [t('common.payments'), () => <AppPayments app={app} />],
  people: [t('build.app.people'), () => <AppPeople app={app} />],
  developers: [t('build.app.developers'), () => <AppDevelopers app={app} />],
  settings: [
    t('common.settings'),
    () => (
      <Stack>
        <AppSettings key={app.id} app={app} />
        {app.role === 'owner' && <AppOwner app={app} />}
      </Stack>
    ),
  ],
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
  const search = useSearch({ from: '/apps/$id' })
  const { tab } = search
  if (tab && tab in moved_tabs) {
    const moved = moved_tabs[tab as keyof typeof moved_tabs]
    const hash = 'hash' in moved ? moved.hash : undefined
    return <Navigate to="." search={{ ...search, tab: moved.tab }} {...(hash && { hash })} replace />
  }
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
      <PageTabs
        label={t('common.parts-of-the-app')}
        title={app.app_name}
        tab={tab as Tab | undefined}
        tabs={tabsOf(app)}
      />
    </>
  )
}
