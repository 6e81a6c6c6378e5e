import { Select, Stack } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { listMyApps } from '../../../contract/oauth-apps.ts'
import { useApiQuery } from '../../api/hooks.ts'
import { LinkButton } from '../../ui/link.tsx'
import { EmptyState, QueryResult, Section } from '../../ui/page-parts.tsx'
import { AccessGate } from '../build/access-gate.tsx'
import type { MyApp } from '../build/access.ts'

interface HostingProps {
  /** What one came for, as it ends “Open the app’s access to …”. */
  what: string
  /** Lets another app be chosen. */
  has_app_choice?: boolean
  /** Stands above as long as the page cannot have a head of its own. */
  head?: ReactNode
  children: (app: MyApp) => ReactNode
}

/** Deployments belong to an app: finds out which (`?app=` in the address), and opens the way to its hosting. */
export function Hosting({ what, has_app_choice = false, head, children }: HostingProps) {
  const router = useRouter()
  const { app: asked } = useSearch({ strict: false })
  const query = useApiQuery(listMyApps, {})
  return (
    <QueryResult query={query}>
      {(apps) => {
        const app = apps.find(({ id }) => id === asked) ?? defaultApp(apps)
        if (!app)
          return (
            <>
              {head}
              <NoApps />
            </>
          )
        return (
          <Stack>
            {has_app_choice && apps.length > 1 && (
              <Select
                label="App"
                maw={340}
                allowDeselect={false}
                searchable
                value={app.id}
                onChange={(id) => id !== null && void router.navigate({ to: '.', search: { app: id }, replace: true })}
                data={apps.map(({ id, app_name }) => ({ value: id, label: app_name }))}
              />
            )}
            <AccessGate key={app.id} app={app} scope="deploy:manage" what={what} head={head}>
              {children(app)}
            </AccessGate>
          </Stack>
        )
      }}
    </QueryResult>
  )
}

/** The one that can be worked with, or else any. */
const defaultApp = (apps: MyApp[]) =>
  apps.find(({ is_approved, allowed_scopes }) => is_approved && allowed_scopes.includes('deploy:manage')) ?? apps[0]

const NoApps = () => (
  <Section>
    <EmptyState icon="box" title="Deployments belong to an app">
      You have none yet. Register one, and ask for the scope <b>deploy:manage</b>.
      <br />
      <LinkButton to="/apps/new" size="sm" mt="md">
        Register an app
      </LinkButton>
    </EmptyState>
  </Section>
)
